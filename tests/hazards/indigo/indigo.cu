/* The table of all patterns. */
#include "tests/hazards/indigo/graphs.h"
#include "tests/hazards/labelled.h"

void add_edge_patterns(struct labelled_kernel *table, int *count);
void add_vertex_patterns(struct labelled_kernel *table, int *count);
void add_pull_and_push_patterns(struct labelled_kernel *table, int *count);

extern "C" const struct labelled_kernel *indigo_table(void);
extern "C" const int indigo_inputs = GRAPHS;

/* Ends with a kernel without a name. */
const struct labelled_kernel *indigo_table(void)
{
    static struct labelled_kernel table[LABELLED_MAX];
    int count = 0;
    add_edge_patterns(table, &count);
    add_vertex_patterns(table, &count);
    add_pull_and_push_patterns(table, &count);
    return table;
}
