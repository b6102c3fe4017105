#include "harness/source/source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/text.h"

/* ---- the text without what is no code ------------------------------------------------------------------ */

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (!file)
        return NULL;
    if (getdelim(&text, &size, 0, file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

/* Overwrites [from, to) with blanks; line ends stay. */
static void blank(char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != '\n')
            *from = ' ';
}

/* The end of a string or character that begins at `s`, or of its line. */
static char *end_of_quoted(char *s)
{
    const char quote = *s++;
    while (*s && *s != quote && *s != '\n')
        s += *s == '\\' && s[1] ? 2 : 1;
    return *s == quote ? s + 1 : s;
}

static char *end_of_line(char *s, bool continued)
{
    while (*s && (*s != '\n' || (continued && s[-1] == '\\')))
        s++;
    return s;
}

/* Where comment, string or line of the preprocessor that begins at `s` ends; NULL: none does. */
static char *end_of_no_code(char *s, bool begins_line)
{
    if (s[0] == '/' && s[1] == '/')
        return end_of_line(s, false);
    if (s[0] == '/' && s[1] == '*') {
        char *end = strstr(s + 2, "*/");
        return end ? end + 2 : s + strlen(s);
    }
    if (s[0] == '"' || s[0] == '\'')
        return end_of_quoted(s);
    return s[0] == '#' && begins_line ? end_of_line(s, true) : NULL;
}

static void strip(char *text)
{
    bool begins_line = true;
    for (char *s = text; *s;) {
        char *end = end_of_no_code(s, begins_line);
        if (end) {
            blank(s, end);
            s = end;
            continue;
        }
        begins_line = *s == '\n' || (begins_line && isspace((unsigned char)*s));
        s++;
    }
}

/* ---- functions ----------------------------------------------------------------------------------------- */

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_word(const char *s, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(s, word, length) == 0;
}

/* The bracket that closes the one at `s`, or the end of the text. */
static const char *closing(const char *s, char open, char close)
{
    for (int depth = 0; *s; s++) {
        depth += *s == open ? 1 : *s == close ? -1 : 0;
        if (depth == 0)
            return s;
    }
    return s;
}

static int count_lines(const char *from, const char *to)
{
    int lines = 0;
    for (; from < to; from++)
        lines += *from == '\n';
    return lines;
}

/* What stands before a bracket at the level of the file. */
struct head {
    const char *name; /* the last word before parentheses, or the word after `struct` */
    size_t length;
    bool transparent; /* namespace, extern "C" */
    bool is_struct;
};

static void take_word(struct head *head, const char *word, size_t length, const char *next)
{
    if (is_word(word, length, "namespace") || is_word(word, length, "extern")) {
        head->transparent = true;
    } else if (is_word(word, length, "struct") || is_word(word, length, "class")) {
        head->is_struct = true;
        head->name = NULL;
    } else if (*next == '(' || (head->is_struct && !head->name)) {
        head->name = word;
        head->length = length;
    }
}

static void add_function(struct source *source, const char *text, const struct head *head, const char *open,
                         bool of_student)
{
    if (source->count == SOURCE_FUNCTIONS)
        return;
    struct source_function *f = &source->function[source->count++];
    text_set(f->name, sizeof f->name, "%.*s", (int)head->length, head->name);
    f->of_student = of_student;
    f->body = open;
    f->end = closing(open, '{', '}');
    f->first = 1 + count_lines(text, head->name);
    f->last = 1 + count_lines(text, f->end);
}

/* Takes the bracket at `open`; returns where to go on. */
static const char *take_body(struct source *source, const char *text, struct head *head, const char *open,
                             bool of_student)
{
    const bool enters = head->transparent && !head->name;
    if (head->name)
        add_function(source, text, head, open, of_student);
    memset(head, 0, sizeof *head);
    if (enters)
        return open + 1;
    const char *end = closing(open, '{', '}');
    return *end ? end + 1 : end;
}

static void find_functions(struct source *source, const char *text, bool of_student)
{
    struct head head = {0};
    for (const char *s = text; s && *s;) {
        if (in_word(*s)) {
            const char *word = s;
            while (in_word(*s))
                s++;
            take_word(&head, word, (size_t)(s - word), s + strspn(s, " \t\n"));
        } else if (*s == '(') {
            s = closing(s, '(', ')');
            s += *s != 0;
        } else if (*s == '{') {
            s = take_body(source, text, &head, s, of_student);
        } else {
            if (*s == ';')
                memset(&head, 0, sizeof head);
            s++;
        }
    }
}

bool source_scan(struct source *source, const char *student, const char *binding)
{
    memset(source, 0, sizeof *source);
    source->student = student ? strdup(student) : NULL;
    source->binding = binding ? strdup(binding) : NULL;
    source->rows = binding ? strdup(binding) : NULL;
    if ((student && !source->student) || (binding && (!source->binding || !source->rows)))
        return false;
    for (int i = 0; i < 2; i++) {
        char *text = i == 0 ? source->student : source->binding;
        if (text)
            strip(text);
        find_functions(source, text, i == 0);
    }
    return true;
}

void source_read(struct source *source, const char *student_path, const char *binding_path)
{
    char *student = read_text(student_path), *binding = read_text(binding_path);
    if (!source_scan(source, student, binding))
        source_free(source); /* then every task may use everything */
    free(student);
    free(binding);
}

void source_free(struct source *source)
{
    free(source->student);
    free(source->binding);
    free(source->rows);
    memset(source, 0, sizeof *source);
}

/* ---- who uses what ------------------------------------------------------------------------------------- */

struct walk {
    const struct source *source;
    bool seen[SOURCE_FUNCTIONS];
    int line;
    const struct source_function *first; /* of the student's file that was reached */
    bool of_student;                     /* a function of the student's file was reached, */
    bool found;                          /* and one that contains the line */
};

static void visit(struct walk *walk, const char *name, size_t length);

static void visit_body(struct walk *walk, const struct source_function *f)
{
    for (const char *s = f->body; s < f->end;) {
        const char *word = s;
        while (s < f->end && in_word(*s))
            s++;
        if (s > word)
            visit(walk, word, (size_t)(s - word));
        else
            s++;
    }
}

static void visit(struct walk *walk, const char *name, size_t length)
{
    for (int i = 0; i < walk->source->count; i++) {
        const struct source_function *f = &walk->source->function[i];
        if (walk->seen[i] || !is_word(name, length, f->name))
            continue;
        walk->seen[i] = true;
        walk->of_student = walk->of_student || f->of_student;
        if (!walk->first && f->of_student)
            walk->first = f;
        walk->found = walk->found || (f->of_student && walk->line >= f->first && walk->line <= f->last);
        visit_body(walk, f);
    }
}

static void walk_task(struct walk *walk, const char *task_id)
{
    const struct source *source = walk->source;
    char row[64];
    text_set(row, sizeof row, "{\"%.40s\",", task_id);
    const char *at = source->rows ? strstr(source->rows, row) : NULL;
    if (at) {
        at += strlen(row);
        at += strspn(at, " \t\n");
        visit(walk, at, strcspn(at, " \t\n,}"));
    }
}

bool source_uses_line(const struct source *source, const char *task_id, int line)
{
    struct walk walk = {.source = source, .line = line};
    walk_task(&walk, task_id);
    return !walk.of_student || walk.found;
}

const struct source_function *source_entry(const struct source *source, const char *task_id)
{
    struct walk walk = {.source = source};
    walk_task(&walk, task_id);
    return walk.first;
}

bool source_is_empty(const struct source_function *function)
{
    return function->body + 1 + strspn(function->body + 1, " \t\r\n}") >= function->end;
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool source_has_word(const char *line, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = line; (at = strstr(at, word)) != NULL; at++)
        if ((at == line || !in_name(at[-1])) && !in_name(at[length]))
            return true;
    return false;
}

int source_next_line_with(const char *path, int line, const char *word)
{
    char text[1024];
    FILE *file = fopen(path, "r");
    int number = 0, found = 0;
    while (file && !found && fgets(text, sizeof text, file) && (++number <= line || text[0] != '}'))
        found = number > line && source_has_word(text, word) ? number : 0;
    if (file)
        fclose(file);
    return found;
}
