/* printf in a kernel: packed arguments, every conversion, and formats that make no sense. */
#include "test.h"
#include "sim/machine/kernel_printf.h"

/* A thread's memory: generic addresses 0x1000 to 0x11ff. */
static unsigned char memory[512];

#define BASE   0x1000u
#define FORMAT 0x1000u
#define ARGS   0x1100u
#define TEXT   0x1180u

static bool read_memory(void *context, uint64_t address, void *out, size_t size)
{
    (void)context;
    if (address < BASE || address - BASE > sizeof(memory) - size)
        return false;
    memcpy(out, memory + (address - BASE), size);
    return true;
}

static size_t used;

static void put(const void *value, size_t size)
{
    used = (used + size - 1) / size * size;
    memcpy(memory + (ARGS - BASE) + used, value, size);
    used += size;
}

static void put_int(int value)
{
    put(&value, 4);
}

static void put_long(long long value)
{
    put(&value, 8);
}

static void put_double(double value)
{
    put(&value, 8);
}

static char printed[8192];

/* Prints with the arguments put so far. */
static int print(const char *format)
{
    FILE *file = fmemopen(printed, sizeof(printed), "w");
    int count;

    strcpy((char *)memory, format);
    printed[0] = '\0';
    count = kernel_printf(file, FORMAT, ARGS, read_memory, NULL);
    fclose(file);
    used = 0;
    return count;
}

static void expect(const char *format, const char *wanted, int count)
{
    int returned = print(format);

    assert_string_equal(printed, wanted);
    assert_int_equal(returned, count);
}

TEST(test_plain_text)
{
    expect("hello\n", "hello\n", 0);
    expect("", "", 0);
    expect("100%%, 50%%", "100%, 50%", 0);
}

TEST(test_integers)
{
    put_int(-5);
    put_int(7);
    put_int(-1);
    put_int(255);
    put_int(255);
    put_int(8);
    expect("%d %i %u %x %X %o", "-5 7 4294967295 ff FF 10", 6);
    put_int(-5);
    put_int(65535);
    put_int(300);
    put_int(-1);
    expect("%hd %hd %hhu %hu", "-5 -1 44 65535", 4);
}

TEST(test_eight_bytes_are_aligned)
{
    put_int(1);
    put_long(-9000000000);
    put_int(2);
    put_long(-1);
    put_long(5);
    put_long(6);
    expect("%d %lld %d %llu %ld %zu", "1 -9000000000 2 18446744073709551615 5 6", 6);
}

TEST(test_floating_point)
{
    put_double(1.5);
    put_double(0.1);
    put_double(-1e100);
    put_double(0.5);
    expect("%f %g %e %a", "1.500000 0.1 -1.000000e+100 0x1p-1", 4);
    put_double(1.0 / 3);
    put_double(2);
    expect("[%8.3f] [%-8.1f]", "[   0.333] [2.0     ]", 2);
    put_double(0.0 / 0.0 < 0 ? 1 : 1e308 * 10);
    expect("%F", "INF", 1);
}

TEST(test_flags_and_stars)
{
    put_int(42);
    put_int(42);
    put_int(42);
    put_int(42);
    expect("%+d|%05d|%-5d|%#x", "+42|00042|42   |0x2a", 4);
    put_int(6);
    put_int(42);
    put_int(-6);
    put_int(42);
    expect("%*d|%*d|", "    42|42    |", 4);
    put_int(2);
    put_double(3.14159);
    put_int(-1);
    put_double(3.14159);
    expect("%.*f %.*f", "3.14 3.141590", 4);
}

TEST(test_strings_and_characters)
{
    strcpy((char *)memory + (TEXT - BASE), "lane");
    put_long(TEXT);
    put_long(TEXT);
    put_int('x');
    put_long(TEXT);
    expect("%s [%6s] %c [%.2s]", "lane [  lane] x [la]", 4);
    put_long(0);
    expect("%s", "(null)", 1);
    put_long(0xdead0000);
    expect("%s", "(unreadable string at 0xdead0000)", 1);
}

TEST(test_string_without_end)
{
    memset(memory + (TEXT - BASE), 'a', sizeof(memory) - (TEXT - BASE));
    put_long(TEXT);
    expect("%.3s", "aaa", 1);
    put_long(TEXT);
    expect("%s", "(unreadable string at 0x1180)", 1);
}

TEST(test_pointers)
{
    put_long(0x7f00);
    expect("%p", "0x7f00", 1);
}

TEST(test_malformed)
{
    expect("%", "%", 0);
    put_int(8);
    expect("50% off", "5010ff", 1); /* "% o" is a conversion: a flag and an octal number */
    expect("%y", "%y", 0);
    expect("%n", "%n", 0);
    expect("%ll", "%ll", 0);
    expect("%-", "%-", 0);
    expect("%5.", "%5.", 0);
    put_int(1);
    expect("%-+ #0-+ #0d", "+1", 1);
}

TEST(test_huge_fields_are_bounded)
{
    put_int(7);
    assert_int_equal(print("%999999999999d"), 1);
    assert_int_equal(strlen(printed), 4096);
    put_int(INT32_MIN);
    put_int(7);
    assert_int_equal(print("%*d"), 2);
    assert_int_equal(strlen(printed), 4096);
    put_int(2000000000);
    put_double(1);
    assert_int_equal(print("%.*f"), 2);
    assert_int_equal(strlen(printed), 4096 + 2);
}

TEST(test_no_format)
{
    FILE *file = fmemopen(printed, sizeof(printed), "w");

    assert_int_equal(kernel_printf(file, 0, 0, read_memory, NULL), -1);
    assert_int_equal(kernel_printf(file, 0x99999, 0, read_memory, NULL), -1);
    strcpy((char *)memory, "%d");
    assert_int_equal(kernel_printf(file, FORMAT, 0x99999, read_memory, NULL),
                     1); /* prints 0, reads nothing */
    fclose(file);
    assert_string_equal(printed, "0");
}

/* Any bytes as a format: bounded output, no crash (the sanitizers watch). */
TEST(test_noise)
{
    static const char letters[] = "%%%%d*.hlzs#+- 0123456789cpfgxn\x80";
    unsigned random = 1;

    for (int round = 0; round < 20000; round++) {
        char format[24];

        for (size_t i = 0; i < sizeof(format) - 1; i++) {
            random = random * 1664525u + 1013904223u;
            format[i] = letters[(random >> 16) % (sizeof(letters) - 1)];
        }
        format[sizeof(format) - 1] = '\0';
        for (size_t i = 0; i < 64; i++)
            memory[ARGS - BASE + i] = (unsigned char)(random >> (i % 24));
        assert_in_range(print(format), 0, 32);
    }
}

RUN_ALL
