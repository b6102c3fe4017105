/*
 * A source file that the grader writes becomes a worker of its own: by the command `again`, which make has put beside the
 * grader. Where there is none, as where the grader was copied elsewhere, nothing is compiled and nothing is said.
 */
#ifndef HARNESS_GRADER_RECOMPILE_H
#define HARNESS_GRADER_RECOMPILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "harness/result/grader.h"

#define RECOMPILE_FOLDER 512
#define RECOMPILE_PATH   4200 /* of a worker; its source, object and log have longer names: .cu, .o, .log */

/* Can the student's file be compiled again, and is it as it was when it was compiled for this grading? */
bool recompile_is_possible(const struct grader_build *build);

/* A new folder in TMPDIR, named from the root. False: there is none, and the name is empty. Remove it with rmdir. */
bool recompile_make_folder(char folder[RECOMPILE_FOLDER]);

/* The worker's path with an ending. */
void recompile_name(const char *path, const char *ending, char name[RECOMPILE_PATH + 8]);

/* A worker at `path`; or only what the device runs, as PTX at `path`.o, for a worker that there is: a third of the work. */
enum recompile_to { RECOMPILE_WORKER, RECOMPILE_PTX };

/* Begins to compile `path`.cu with these further options of nvcc. 0: that is not possible. */
pid_t recompile_begin(const struct grader_build *build, const char *path, const char *options,
                      enum recompile_to to);

/* Waits for the compiler, and ends it when the grading is interrupted. True: it is made. */
bool recompile_wait(pid_t compiler);

/* Stops the compiler, if it runs (0: it does not), and removes all of the worker's files. */
void recompile_drop(pid_t compiler, const char *path);

#endif
