/* Reports at the end of the program. */
#ifndef SIM_API_REPORT_H
#define SIM_API_REPORT_H

#include <stdio.h>

/* From now on the end of the program, and a segmentation fault, are reported. */
void api_report_begin(void);

/* Which source lines cost most: api_profile.c. */
void api_print_profile(FILE *out);

#endif
