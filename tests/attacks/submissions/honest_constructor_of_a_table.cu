// A static table is filled by a constructor, a usual thing in C++.
// added; told: passed
static double table[256];
__attribute__((constructor)) static void fill()
{
    for (int i = 0; i < 256; i++)
        table[i] = i;
}
