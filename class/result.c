#include "class/result.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "class/clean.h"
#include "class/files.h"
#include "harness/base/json.h"

#define LARGEST_RESULT (64u << 20)

static const char *const words[VERDICTS] = {"passed", "failed", "inconclusive", "does not compile",
                                            "not graded"};

const char *verdict_word(enum verdict verdict)
{
    return words[verdict];
}

static char *checksum_text(const struct submission *s)
{
    return text_of("%016" PRIx64, s->checksum);
}

static void put_head(const struct run *run, const struct submission *s, const struct outcome *outcome,
                     FILE *out)
{
    struct json json = {.out = out};
    char *checksum = checksum_text(s), *entry = clean(s->entry, false);
    json_object(&json, NULL);
    json_string(&json, "name", s->name);
    json_string(&json, "id", s->id);
    json_string(&json, "entry", entry);
    json_string(&json, "checksum", checksum);
    json_string(&json, "lab", run->lab);
    json_unsigned(&json, "seed", run_seed(run, s));
    json_string(&json, "verdict", words[outcome->verdict]);
    json_string(&json, "reason", outcome->reason);
    json_number(&json, "seconds", outcome->seconds);
    json_number(&json, "processor_seconds", outcome->processor_seconds);
    json_end_object(&json);
    free(checksum);
    free(entry);
}

bool result_write(const struct run *run, struct submission *s, struct outcome *outcome)
{
    struct new_file report, file;
    file_begin(&report, "%s/reports/%s.txt", run->results, s->key);
    if (outcome->reason && !(outcome->report && strstr(outcome->report, outcome->reason)))
        fprintf(report.out, "%s: %s.\n\n", words[outcome->verdict], outcome->reason);
    fputs(outcome->report ? outcome->report : "", report.out);
    file_begin(&file, "%s/json/%s.json", run->results, s->key);
    fputs("{\n\"submission\": ", file.out);
    put_head(run, s, outcome, file.out);
    fprintf(file.out, ",\n\"grader\": %s}\n", outcome->grader ? outcome->grader : "null");
    fflush(file.out);
    s->result = value_read(file.text);
    const bool written = file_end(&report);
    free(outcome->reason);
    free(outcome->report);
    free(outcome->grader);
    return file_end(&file) && written;
}

void result_look(const struct run *run, struct submission *s)
{
    char *path = text_of("%s/json/%s.json", run->results, s->key), *checksum = checksum_text(s),
         *entry = clean(s->entry, false);
    char *text = file_read(path, LARGEST_RESULT, NULL);
    struct value *result = text ? value_read(text) : NULL;
    const struct value *head = value_get(result, "submission");
    const bool same =
        strcmp(value_text(head, "checksum"), checksum) == 0 && strcmp(value_text(head, "entry"), entry) == 0;
    const bool again =
        run->again && (strstr(s->name, run->again) || strcmp(value_text(head, "verdict"), run->again) == 0);
    if (same && !again)
        s->result = result;
    else
        value_free(result);
    free(path);
    free(checksum);
    free(entry);
    free(text);
}

enum verdict result_verdict(const struct submission *s)
{
    const char *word = value_text(value_get(s->result, "submission"), "verdict");
    int verdict = 0;
    while (verdict < VERDICT_NONE && strcmp(words[verdict], word) != 0)
        verdict++;
    return (enum verdict)verdict;
}

const char *result_reason(const struct submission *s)
{
    const char *own = value_text(value_get(s->result, "submission"), "reason");
    return own[0] ? own : value_text(value_get(value_get(s->result, "grader"), "first"), "cause");
}

/* "student.cu:30: race in shared memory; the result is right only by luck": a hazard is of the kind that its sentence begins with. */
static char *hazard_kind(const char *cause)
{
    const char *begin = strstr(cause, ".cu:");
    begin = begin && strstr(begin, ": ") ? strstr(begin, ": ") + 2 : cause;
    return text_of("%.*s", (int)strcspn(begin, ";:,."), begin);
}

char *result_kind(const struct submission *s)
{
    const struct value *first = value_get(value_get(s->result, "grader"), "first");
    const char *reason = value_text(first, "reason");
    if (result_verdict(s) >= VERDICT_BUILD)
        return text_of("%s", verdict_word(result_verdict(s)));
    if (value_get(first, "todo"))
        return text_of("an open TODO");
    return strcmp(reason, "hazard") == 0 ? hazard_kind(value_text(first, "cause")) : text_of("%s", reason);
}

double result_points(const struct submission *s, const char *which)
{
    return value_number(value_get(s->result, "grader"), which, 0);
}

const struct value *result_tasks(const struct submission *s)
{
    return value_get(value_get(s->result, "grader"), "tasks");
}
