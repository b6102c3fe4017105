/* What is wrong, as one place and one sentence each: for editors (--format=gcc) and for code hosts (--sarif). */
#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/report/file.h"
#include "harness/report/report.h"

/* The finding whose place is told. */
static const struct grader_finding *finding_of(const struct failure *failure)
{
    return &failure->outcome->finding;
}

/* One is enough of a line of a task. */
static bool same_place(const struct failure *a, const struct failure *b)
{
    const struct grader_finding *one = finding_of(a), *other = finding_of(b);
    return a->task == b->task && one->line == other->line && strcmp(one->file, other->file) == 0;
}

/* Was the same said of an earlier one? The report's first is said first. */
static bool is_said(const struct failures *failures, const struct failure *failure)
{
    bool said = same_place(failure, failures->first);
    for (const struct failure *earlier = failures->all; earlier < failure; earlier++)
        said = said || same_place(earlier, failure);
    return said;
}

/* The file as an editor finds it: findings may have the student's by its name alone. */
static const char *file_of(const struct grader *grader, const struct failure *failure)
{
    const char *file = finding_of(failure)->file, *source = grader->build.source,
               *name = strrchr(source, '/');
    return finding_of(failure)->line <= 0 || (name && strcmp(name + 1, file) == 0) ? source : file;
}

/* The cause, without the place, which stands before it. */
static void sentence(const struct grader *grader, const struct failure *failure, char *text, size_t size)
{
    char place[256], cause[1024];
    failure_place(grader, finding_of(failure)->file, finding_of(failure)->line, place, sizeof place);
    failure_sentence(grader, failure, cause, sizeof cause);
    const size_t length = strlen(place);
    const bool stands =
        length > 0 && strncmp(cause, place, length) == 0 && strncmp(cause + length, ": ", 2) == 0;
    snprintf(text, size, "(%s) %s, %s: %s", failure->task->task->part, failure->task->task->id, failure->name,
             stands ? cause + length + 2 : cause);
}

/* Tells each failure that is not said yet, the report's first one before the others. */
static void each(const struct grader *grader, const struct failures *failures,
                 void (*tell)(void *context, const struct grader *grader, const struct failure *failure),
                 void *context)
{
    if (failures->first)
        tell(context, grader, failures->first);
    for (int i = 0; i < failures->count; i++)
        if (&failures->all[i] != failures->first && !is_said(failures, &failures->all[i]))
            tell(context, grader, &failures->all[i]);
}

/* ---- --format=gcc ------------------------------------------------------------------------------------------ */

static void print_gcc(void *context, const struct grader *grader, const struct failure *failure)
{
    char text[1400];
    const struct grader_finding *finding = finding_of(failure);
    FILE *out = context;
    sentence(grader, failure, text, sizeof text);
    if (finding->line > 0)
        fprintf(out, "%s:%d:1: error: %s\n", file_of(grader, failure), finding->line, text);
    else
        fprintf(out, "%s: error: %s\n", file_of(grader, failure), text);
}

bool report_gcc(const struct grader *grader, FILE *out)
{
    struct failures failures;
    if (!failures_find(grader, &failures))
        return false;
    const struct failure *first = failures.first;
    if (first && first->open)
        fprintf(out, "%s:%d:1: warning: TODO %d is still open\n", grader->build.source, first->open->line,
                first->open->number);
    each(grader, &failures, print_gcc, out);
    failures_free(&failures);
    return true;
}

/* ---- --sarif: the Static Analysis Results Interchange Format 2.1.0 (OASIS) ------------------------------------ */

/* A file's name as a URI, relative to the repository where it lies in it. */
static void write_uri(struct json *json, const char *file)
{
    char uri[3 * 4096 + 8];
    size_t length = file[0] == '/' ? (size_t)snprintf(uri, sizeof uri, "file://") : 0;
    for (; *file && length + 4 < sizeof uri; file++)
        if (strchr("/._-~", *file) || (*file >= '0' && *file <= '9') || (*file >= 'A' && *file <= 'Z') ||
            (*file >= 'a' && *file <= 'z'))
            uri[length++] = *file;
        else
            length += (size_t)snprintf(uri + length, 4, "%%%02X", (unsigned char)*file);
    uri[length] = 0;
    json_string(json, "uri", uri);
}

static void write_location(struct json *json, const char *file, int line)
{
    json_object(json, NULL);
    json_object(json, "physicalLocation");
    json_object(json, "artifactLocation");
    write_uri(json, file);
    json_end_object(json);
    if (line > 0) {
        json_object(json, "region");
        json_integer(json, "startLine", line);
        json_end_object(json);
    }
    json_end_object(json);
    json_end_object(json);
}

static void write_result(void *context, const struct grader *grader, const struct failure *failure)
{
    char text[1400];
    struct json *json = context;
    const struct grader_finding *finding = finding_of(failure);
    sentence(grader, failure, text, sizeof text);
    json_object(json, NULL);
    json_string(json, "ruleId", reason_key(finding->reason));
    json_string(json, "level", "error");
    json_object(json, "message");
    json_string(json, "text", text);
    json_end_object(json);
    json_array(json, "locations");
    write_location(json, file_of(grader, failure), finding->line);
    json_end_array(json);
    json_end_object(json);
}

static void write_sarif(const struct grader *grader, const struct failures *failures, void *context,
                        FILE *out)
{
    (void)context;
    struct json json = {.out = out};
    json_object(&json, NULL);
    json_string(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_string(&json, "version", "2.1.0");
    json_array(&json, "runs");
    json_object(&json, NULL);
    json_object(&json, "tool");
    json_object(&json, "driver");
    json_string(&json, "name", "CUDA labs' grader");
    json_end_object(&json);
    json_end_object(&json);
    json_array(&json, "results");
    each(grader, failures, write_result, &json);
    json_end_array(&json);
    json_end_object(&json);
    json_end_array(&json);
    json_end_object(&json);
}

bool report_sarif(const struct grader *grader, const char *path, char message[512])
{
    return file_write(grader, "--sarif", path, write_sarif, NULL, message);
}
