#include "tests/hazards/pending.h"

#include <stdio.h>
#include <string.h>

bool hazard_is_pending(const char *set, const char *name)
{
    static char text[65536];
    char wanted[256];

    if (text[0] == '\0') {
        FILE *file = fopen("tests/hazards/pending", "r");

        text[0] = '\n';
        if (file != NULL) {
            text[1 + fread(text + 1, 1, sizeof text - 2, file)] = '\0';
            fclose(file);
        }
    }
    snprintf(wanted, sizeof wanted, "\n%s/%s\n", set, name);
    return strstr(text, wanted) != NULL;
}
