#include "harness/cause/warning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cause/kernel_text.h"
#include "harness/source/source.h"

/* One line: "cause", "yes" or "no", place, the compiler's words, meaning; tabs between them. */
static bool take_line(char *line, struct warning *warning)
{
    char *field[4];
    for (int i = 0; i < 4; i++) {
        field[i] = line;
        line += strcspn(line, "\t\n");
        if (*line)
            *line++ = '\0';
    }
    warning->is_cause = strcmp(field[0], "cause") == 0;
    text_set(warning->place, sizeof warning->place, "%s", field[1]);
    text_set(warning->compiler, sizeof warning->compiler, "%s", field[2]);
    text_set(warning->meaning, sizeof warning->meaning, "%s", field[3]);
    protocol_clean(warning->place, sizeof warning->place);
    protocol_clean(warning->compiler, sizeof warning->compiler);
    protocol_clean(warning->meaning, sizeof warning->meaning);
    return strcmp(field[0], "no") != 0 && warning->meaning[0];
}

int warnings_read(const struct grader_build *build, struct warning warnings[WARNINGS_MAX])
{
    char path[sizeof build->folder + 32], line[2048];
    int count = 0;
    text_set(path, sizeof path, "%s/student.warnings", build->folder);
    FILE *file = fopen(path, "r");
    while (file && count < WARNINGS_MAX && fgets(line, sizeof line, file))
        count += take_line(line, &warnings[count]);
    if (file)
        fclose(file);
    return count;
}

/* What nvcc might warn of, and does not. */
static bool find_unused(const struct grader_build *build, const struct source *source, const char *task,
                        char *text, size_t size, struct protocol_place *place)
{
    char said[512] = "";
    int line = 0;
    if (!source->student || !kernel_text_unused(source, task, said, sizeof said, &line))
        return false;
    text_set(place->file, sizeof place->file, "%s", text_file_name(build->source));
    place->line = line;
    text_set(text, size, "%s:%d: %s\n", place->file, line, said);
    return true;
}

bool warning_of_values(const struct grader_build *build, const char *task, char *text, size_t size,
                       struct protocol_place *place)
{
    struct warning warnings[WARNINGS_MAX];
    struct source source;
    const int count = warnings_read(build, warnings);
    bool found = false;
    build_read_source(build, &source);
    for (int i = 0; i < count && !found; i++) {
        const struct warning *warning = &warnings[i];
        const char *colon = strrchr(warning->place, ':');
        if (!warning->is_cause || !colon || !source_uses_line(&source, task, atoi(colon + 1)))
            continue;
        text_set(place->file, sizeof place->file, "%.*s", (int)(colon - warning->place), warning->place);
        place->line = atoi(colon + 1);
        text_set(text, size, "%s:%d: %s\n", text_file_name(place->file), place->line, warning->meaning);
        found = true;
    }
    if (!found)
        found = find_unused(build, &source, task, text, size, place);
    source_free(&source);
    return found;
}
