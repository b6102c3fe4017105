/* What is written when a class is graded, from the submissions' results: all in results/, each file whole or not at all. */
#pragma once

#include "class/run.h"

/* Points after open ones and days late were taken into account; days in `days` (0: in time). */
double mark_of(const struct run *run, const struct submission *submission, int *days);
/* Points of the lab, from any result; 0: none has any. */
double class_maximum(const struct run *run);

bool write_csv(const struct run *run);        /* class.csv */
bool write_json(const struct run *run);       /* class.json */
bool write_junit(const struct run *run);      /* junit.xml */
bool write_gradescope(const struct run *run); /* gradescope/KEY.json */
bool write_classroom(const struct run *run);  /* classroom/KEY.json, for GitHub Classroom */
bool write_students(const struct run *run);   /* students/KEY.txt */
bool write_similar(const struct run *run, const char *skeleton, int *pairs);
bool write_page(const struct run *run, int pairs); /* class.txt */
