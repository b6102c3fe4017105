/* Reports at the end of the program. */
#ifndef SIM_API_REPORT_H
#define SIM_API_REPORT_H

#include <stdbool.h>
#include <stdio.h>

/* From now on the end of the program is reported, also by a signal. */
void api_report_begin(void);
/* Whether it is told of accesses to closed pages (api_pages.h). */
bool api_report_sees_faults(void);

/* Which source lines cost most: api_profile.c. */
void api_print_profile(FILE *out);

#endif
