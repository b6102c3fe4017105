/* The student's file, with what its lines cost in the cases that were recorded. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/text.h"
#include "harness/html/html.h"
#include "picture/picture.h"

#define MOST_LINES 3000

/* What is known of one line. */
struct cost {
    uint64_t sectors, sectors_least, wavefronts, wavefronts_least, hazards;
};

static bool is_file(const struct html_page *page, const char *file)
{
    return strcmp(text_file_name(file), text_file_name(page->grader->build.source)) == 0;
}

void html_line_text(const struct html_page *page, const char *file, int line, char *text, size_t size)
{
    FILE *source = is_file(page, file) ? fopen(page->grader->build.source_path, "r") : NULL;
    char read[1024] = "";
    int number = 0;
    while (source && number < line && fgets(read, sizeof read, source))
        number += strchr(read, '\n') != NULL;
    if (source)
        fclose(source);
    char *words = read + strspn(read, " \t"), *comment = strstr(words, " /");
    words[strcspn(words, "\r\n")] = 0;
    if (comment && strchr("/*", comment[2]))
        *comment = 0;
    text_set(text, size, "%s", words);
    if (strlen(words) >= size) {
        size_t end = size - sizeof "\xe2\x80\xa6"; /* ... as one letter */
        while (end > 0 && (words[end] & 0xc0) == 0x80)
            end--; /* no part of a letter */
        text_set(text + end, size - end, "\xe2\x80\xa6");
    }
    if (number < line || !text[0])
        text_set(text, size, "line %d", line);
}

static void add_counts(const struct html_page *page, const struct html_case *of, struct cost *costs)
{
    for (int i = 0; i < of->line_count; i++) {
        const struct protocol_line *line = &of->line[i];
        if (line->place.line <= 0 || line->place.line >= MOST_LINES || !is_file(page, line->place.file))
            continue;
        struct cost *cost = &costs[line->place.line];
        cost->sectors += line->counts.load_sectors + line->counts.store_sectors;
        cost->sectors_least += line->counts.load_sectors_ideal + line->counts.store_sectors_ideal;
        cost->wavefronts += line->counts.shared_wavefronts;
        cost->wavefronts_least += line->counts.shared_wavefronts_ideal;
    }
}

static void add_hazards(const struct html_page *page, struct cost *costs)
{
    for (int i = 0; i < page->failures->count; i++) {
        const struct grader_outcome *outcome = page->failures->all[i].outcome;
        for (int k = 0; k < outcome->hazard_count; k++) {
            const struct protocol_place *place = &outcome->hazard[k].here;
            if (place->line > 0 && place->line < MOST_LINES && is_file(page, place->file))
                costs[place->line].hazards++;
        }
    }
}

static void write_number(FILE *out, uint64_t number)
{
    if (number > 0)
        fprintf(out, "<td>%llu</td>", (unsigned long long)number);
    else
        fputs("<td></td>", out);
}

static void write_line(FILE *out, int number, const char *text, const struct cost *cost)
{
    const bool hot =
        cost->hazards > 0 || cost->sectors > cost->sectors_least || cost->wavefronts > cost->wavefronts_least;
    fprintf(out, "<tr id=\"L%d\"%s>", number, hot ? " class=\"hot\"" : "");
    write_number(out, cost->sectors);
    write_number(out, cost->wavefronts);
    write_number(out, cost->hazards);
    fprintf(out, "<td>%d</td><td class=\"code\">", number);
    picture_escape(out, text);
    fputs("</td></tr>\n", out);
}

static void write_lines(FILE *out, FILE *source, const struct cost *costs)
{
    char *text = NULL;
    size_t size = 0;
    for (int number = 1; number < MOST_LINES && getline(&text, &size, source) >= 0; number++) {
        text[strcspn(text, "\r\n")] = 0;
        write_line(out, number, text, &costs[number]);
    }
    free(text);
}

void html_source_write(const struct html_page *page)
{
    struct cost *costs = calloc(MOST_LINES, sizeof *costs);
    FILE *source = costs ? fopen(page->grader->build.source_path, "r") : NULL;
    for (int i = 0; i < page->case_count && source; i++)
        if (page->cases[i])
            add_counts(page, page->cases[i], costs);
    if (source) {
        add_hazards(page, costs);
        fputs(
            "<section>\n<h2>Source</h2>\n<p>Sectors and wavefronts of the cases that are drawn above; hazards of all "
            "failing cases. Marked: a line with a hazard, or with more sectors or wavefronts than its bytes need.</p>\n"
            "<figure class=\"source\">\n<table>\n<thead><tr><th>sectors</th><th>wavefronts</th><th>hazards</th><th>line</th>"
            "<th class=\"code\">source</th></tr></thead>\n<tbody>\n",
            page->out);
        write_lines(page->out, source, costs);
        fputs("</tbody>\n</table>\n</figure>\n</section>\n", page->out);
        fclose(source);
    }
    free(costs);
}
