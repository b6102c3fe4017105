// HTML and script in messages.
// instead of lab02_sum; told: Your program printed
extern "C" double lab02_sum(const real *, int)
{
    fprintf(stderr, "<script>alert(1)</script>]]></failure>\n");
    exit(3);
}
