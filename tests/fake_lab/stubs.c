/* What only real backends have, and what the fake never calls. */
void backend_load(void);
void backend_change(void);
unsigned __real___cudaPushCallConfiguration(void);
void backend_load(void)
{
}
void backend_change(void)
{
}
unsigned __real___cudaPushCallConfiguration(void)
{
    return 0;
}
