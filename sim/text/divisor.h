/* What a line of source divides by, for reports: a guess from the text. */
#pragma once

#include <stdbool.h>

struct divisor {
    char name[64]; /* "tiles", "(n / 32)"; "": none, or several come into question */
    int set_at;    /* the line in the same function that stores in it last; 0: none does */
};

/* `remainder`: of %, else of /. Reads the file: for reports only. */
struct divisor divisor_in_source(const char *file, int line, bool remainder);
