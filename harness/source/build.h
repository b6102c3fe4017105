/* Where we are and what was built. */
#pragma once

#include <stdbool.h>

/* What build.info in the grader's folder says. */
struct grader_build {
    char folder[4096];  /* of the grader's executable */
    char root[4096];    /* of the repository; "": unknown */
    char made_in[4096]; /* where make ran, which may be another folder with BUILD= */
    char lab[64], real[16], nvcc[512], ptxas[512], toolkit[256];
    char no_gpu[256];       /* why there is no worker-gpu; "": there is one, or nothing is known */
    bool complete;          /* build.info is there: all was built */
    char source[4096];      /* as named by the build: for messages */
    char source_path[4096]; /* where to open it */
};

/* False: `message` says what is missing. */
bool build_read(struct grader_build *build, const char *argv0, char message[512]);
/* The same as far as it is known where the build stopped with an error, or has not begun: which file it is. */
void build_guess(struct grader_build *build, const char *argv0);
/*
 * The nearest folder above the grader's from which the file `name` can be read, in `root`; if there is none, where make ran.
 * False: it is not there, either.
 */
bool build_find(const struct grader_build *build, const char *name, char root[4096]);
/* Reads the file to grade and the lab's binding.c. Free with source_free. */
struct source;
void build_read_source(const struct grader_build *build, struct source *source);
/* The text of the lab's header; NULL: it cannot be read. Owned by the caller. */
char *build_read_header(const struct grader_build *build);
