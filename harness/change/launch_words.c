/* What a change of a launch that makes it right says about the launch. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "harness/change/change_internal.h"
#include "harness/source/names.h"
#include "sim/device/launch_change.h"

struct words {
    const struct protocol_launch_change *change;
    const struct protocol_seen *seen, *before; /* before: NULL: it is the first one */
    const struct call *call;
    const char *file; /* the student's, as a whole */
    struct trial_words *to;
};

#define WHAT(w, ...) text_append((w)->to->what, sizeof(w)->to->what, __VA_ARGS__)
#define HOW(w, ...)  text_append((w)->to->how, sizeof(w)->to->how, __VA_ARGS__)

/* ---- what stands there --------------------------------------------------------------------------------- */

/* The line and what follows it. */
static const char *at_line(const char *text, int number)
{
    while (text && --number > 0 && (text = strchr(text, '\n')))
        text++;
    return text;
}

/* The end of the argument that begins at `s`: a comma or the parenthesis that closes all of them. */
static const char *end_of_argument(const char *s)
{
    int depth = 0;
    for (; *s && *s != ';'; s++) {
        if (strchr("([{", *s))
            depth++;
        else if (strchr(")]}", *s) && depth-- == 0)
            return s;
        else if (*s == ',' && depth == 0)
            return s;
    }
    return s;
}

/* What the source has for argument `number` of the launch: "blocks"; false: it is not found. */
static bool written_argument(const struct words *w, int number, char *text, size_t size)
{
    const char *s = at_line(w->file, w->seen->place.line), *line = s;
    s = s ? strstr(s, ">>>") : NULL;
    s = s && s - line < 400 ? strchr(s, '(') : NULL;
    for (; s && number > 0; number--) {
        s = end_of_argument(s + 1);
        s = *s == ',' ? s : NULL;
    }
    if (!s)
        return false;
    const char *end = end_of_argument(++s);
    while (s < end && isspace((unsigned char)*s))
        s++;
    if (end == s || end - s > 40)
        return false;
    text_set(text, size, "%.*s", (int)(end - s), s);
    return true;
}

/* "blocks, passed for count," or "the argument for count". */
static void name_argument(const struct words *w, int number, char *text, size_t size)
{
    char written[64], parameter[64];
    const bool is_written = written_argument(w, number, written, sizeof written),
               is_named = trial_parameter_name(w->file, w->seen->kernel, number, parameter, sizeof parameter);
    if (is_written && is_named && strcmp(written, parameter) != 0)
        text_set(text, size, "%s, passed for %s,", written, parameter);
    else if (is_written)
        text_set(text, size, "%s", written);
    else if (is_named)
        text_set(text, size, "the argument for %s", parameter);
    else
        text_set(text, size, "argument %d", number + 1);
}

static void written_or_number(const struct words *w, int number, char *text, size_t size)
{
    if (!written_argument(w, number, text, size))
        text_set(text, size, "what argument %d is", number + 1);
}

static uint32_t product(const uint32_t size[3])
{
    return size[0] * size[1] * size[2];
}

/* ---- sentences ----------------------------------------------------------------------------------------- */

static void say_blocks(const struct words *w)
{
    const struct protocol_launch_change *change = w->change;
    const uint32_t is = w->seen->grid[change->at], number = (uint32_t)change->number;
    const char *along = w->seen->grid[1] > 1 ? change->at == 0 ? " in x" : " in y" : "";
    WHAT(w, "another number of blocks");
    switch ((enum sim_launch_change_kind)change->kind) {
    case SIM_LAUNCH_BLOCKS_MORE: HOW(w, "with one more block%s", along); break;
    case SIM_LAUNCH_BLOCKS_TIMES:
        HOW(w, "with %u times as many blocks%s, %u instead of %u", number, along, is * number, is);
        break;
    case SIM_LAUNCH_BLOCKS_PART:
        HOW(w, "with one in %u of the blocks%s, %u instead of %u", number, along, (is + number - 1) / number,
            is);
        break;
    default: HOW(w, "with a single block%s instead of %u", along, is);
    }
}

/* The first line of the kernel that uses both x and y of a variable; 0: there is none. */
static int line_with_both(const struct words *w, const char *variable)
{
    char kernel[160], x[32], y[32];
    text_set(kernel, sizeof kernel, "%.*s(", (int)strcspn(w->seen->kernel, "<("), w->seen->kernel);
    text_set(x, sizeof x, "%s.x", variable);
    text_set(y, sizeof y, "%s.y", variable);
    const char *s = w->file;
    while (s && (s = strstr(s, kernel)) && (strcspn(s, "{") > strcspn(s, ";") || s[-1] == '<'))
        s++;
    const char *end = s ? strstr(s, "\n}") : NULL;
    for (const char *at = s; at && end && (at = strstr(at, y)) && at < end; at++) {
        const char *begin = at;
        while (begin > w->file && begin[-1] != '\n')
            begin--;
        const char *other = strstr(begin, x);
        if (!other || other > begin + strcspn(begin, "\n"))
            continue;
        int line = 1;
        for (const char *c = w->file; c < at; c++)
            line += *c == '\n';
        return line;
    }
    return 0;
}

static void say_axes(const struct words *w, const char *variable)
{
    const int line = line_with_both(w, variable);
    if (line > 0)
        HOW(w, "; or, in the kernel, %s.x and %s.y (line %d)", variable, variable, line);
}

static void say_threads(const struct words *w)
{
    const uint32_t *block = w->seen->block;
    switch ((enum sim_launch_change_kind)w->change->kind) {
    case SIM_LAUNCH_GRID_AXES:
        WHAT(w, "other dimensions of the grid");
        HOW(w, "with %u x %u blocks instead of %u x %u", w->seen->grid[1], w->seen->grid[0], w->seen->grid[0],
            w->seen->grid[1]);
        say_axes(w, "blockIdx");
        break;
    case SIM_LAUNCH_BLOCK_AXES:
        WHAT(w, "other dimensions of the block");
        HOW(w, "with %u x %u threads instead of %u x %u", block[1], block[0], block[0], block[1]);
        say_axes(w, "threadIdx");
        break;
    case SIM_LAUNCH_BLOCK_SQUARE:
        WHAT(w, "a block of two dimensions");
        HOW(w, "with %u x %u threads instead of %u", block[0], block[0], block[0]);
        break;
    case SIM_LAUNCH_BLOCK_FLAT:
        WHAT(w, "a block of one dimension");
        HOW(w, "with %u threads in x instead of %u x %u", block[0] * block[1], block[0], block[1]);
        break;
    case SIM_LAUNCH_SHARED:
        WHAT(w, "more dynamic shared memory, of which the launch gives %llu bytes",
             (unsigned long long)w->seen->dynamic_shared);
        HOW(w, "with more than enough dynamic shared memory, %lld bytes instead of %llu",
            (long long)w->change->number, (unsigned long long)w->seen->dynamic_shared);
        break;
    default:
        WHAT(w, "another number of threads per block");
        HOW(w, "with %lld threads per block instead of %u", (long long)w->change->number, block[0]);
    }
}

/* What should be handed over. */
static void say_instead(const struct words *w, char *to, size_t size)
{
    const struct protocol_launch_change *change = w->change;
    switch ((enum sim_launch_change_kind)change->kind) {
    case SIM_LAUNCH_ARGUMENT: written_or_number(w, change->from, to, size); break;
    case SIM_LAUNCH_ARGUMENT_BLOCKS:
        text_set(to, size, "the number of blocks, %u,", product(w->seen->grid));
        break;
    case SIM_LAUNCH_ARGUMENT_BEFORE:
        text_set(to, size, "the number of blocks of the launch before, %u,",
                 w->before ? product(w->before->grid) : 0);
        break;
    case SIM_LAUNCH_ARGUMENT_THREADS:
        text_set(to, size, "the number of threads per block, %u,", product(w->seen->block));
        break;
    default:
        if (change->buffer >= 0)
            text_set(to, size, "%s", w->call->run.buffer[change->buffer].name);
        else
            text_set(to, size, "%s, %lld in this case,", w->call->task->arg_names[change->argument],
                     (long long)w->call->run.arg[change->argument]);
    }
}

static void say_argument(const struct words *w)
{
    const struct protocol_launch_change *change = w->change;
    char is[160], to[160];
    name_argument(w, change->at, is, sizeof is);
    switch ((enum sim_launch_change_kind)change->kind) {
    case SIM_LAUNCH_EXCHANGE:
        written_or_number(w, change->at, is, sizeof is);
        written_or_number(w, change->from, to, sizeof to);
        WHAT(w, "the arguments of this launch in another order");
        HOW(w, "with %s and %s in each other's place", is, to);
        break;
    case SIM_LAUNCH_ARGUMENT_MORE:
        WHAT(w, "a small change of %s in this launch", is);
        HOW(w, "with one %s than %s", change->number > 0 ? "more" : "less", is);
        break;
    default:
        say_instead(w, to, sizeof to);
        WHAT(w, "another argument than %s in this launch", is);
        HOW(w, "with %s instead of %s", to, is);
    }
}

void trial_launch_words(const struct trial *t, const struct protocol_launch_change *change,
                        struct trial_words *words)
{
    const struct trial_launches *launches = &t->launches;
    const enum sim_launch_change_kind kind = (enum sim_launch_change_kind)change->kind;
    char *file = trial_read_file(t->grader->build.source_path);
    int number = 0;
    while (number + 1 < launches->seen_count && launches->seen[number].place.line != change->line)
        number++;
    const struct words w = {.change = change,
                            .seen = &launches->seen[number],
                            .before = number > 0 ? &launches->seen[number - 1] : NULL,
                            .call = &t->cases[0].call,
                            .file = file,
                            .to = words};
    *words = (struct trial_words){.line = change->line};
    if (kind == SIM_LAUNCH_NONE) {
        WHAT(&w, "this launch of %s left out", w.seen->kernel);
        HOW(&w, "without this launch of %s", w.seen->kernel);
    } else if (kind == SIM_LAUNCH_AFTER_NEXT) {
        WHAT(&w, "the launches in another order");
        HOW(&w, "with this launch, of %s, after the next one", w.seen->kernel);
    } else if (kind <= SIM_LAUNCH_BLOCKS) {
        say_blocks(&w);
    } else if (kind <= SIM_LAUNCH_SHARED) {
        say_threads(&w);
    } else {
        say_argument(&w);
    }
    free(file);
}
