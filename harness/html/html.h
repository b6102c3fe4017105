/*
 * --html: the report as one page that needs nothing else, with pictures of what the kernels did. It holds the same text as
 * the report, and no number that the report or the simulator does not have.
 */
#pragma once

#include "harness/report/failure.h"
#include "harness/result/grader.h"

/* What was recorded of one case of a task, run once more. */
struct html_case {
    const struct grader_task *task;
    const struct grader_case *c;
    const struct protocol_hazard *race; /* that the report tells of the case; NULL: none */
    struct lab_buffer buffer[LAB_MAX_BUFFERS];
    int buffer_count;
    uint64_t address[LAB_MAX_BUFFERS];   /* of the buffers, on the device */
    struct protocol_trace warp, block;   /* of one warp, and of its block */
    struct protocol_trace stores, loads; /* of global memory, by all warps */
    struct protocol_launch launch;       /* the only one; else its grid is 0 */
    struct protocol_line line[PROTOCOL_MAX_LINES];
    int line_count;
};

struct html_page {
    const struct grader *grader;
    const struct failures *failures;
    struct html_case **cases; /* NULL where nothing was recorded */
    int case_count;
    FILE *out;
};

/* The buffer of the call that holds the address; -1: none. */
int html_buffer_at(const struct html_case *of, uint64_t address);
/* "block 0, threads 0 to 31" */
void html_name_warp(const struct protocol_thread *first, char *text, size_t size);
/* Is all of it there? Each step, and as one instruction? */
bool html_is_whole(const struct protocol_trace *trace);
bool html_is_each(const struct protocol_trace *trace);
/* The line of the student's file, without its indentation and comment; "line 5" if the place is in another file. */
void html_line_text(const struct html_page *page, const char *file, int line, char *text, size_t size);
void html_figure_begin(const struct html_page *page, const char *title, const char *class);
void html_figure_end(const struct html_page *page, const char *caption);

/* False: `message` says why not. */
bool html_write(const struct grader *grader, struct html_case **cases, int case_count, const char *path,
                char message[512]);

/* The parts of the page: html_style.c, html_case.c, html_block.c, html_array.c, html_ladder.c, html_sm.c, html_source.c. */
extern const char html_style[], html_script[];
bool html_case_has_pictures(const struct html_case *of);
void html_case_write(const struct html_page *page, const struct html_case *of);
void html_block_write(const struct html_page *page, const struct html_case *of);
void html_array_write(const struct html_page *page, const struct html_case *of);
void html_ladder_write(const struct html_page *page);
void html_sm_write(const struct html_page *page);
void html_source_write(const struct html_page *page);
