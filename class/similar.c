#include "class/similar.h"

#include <stdlib.h>
#include <string.h>

#include "class/files.h"
#include "harness/source/token.h"

#define GRAM   10 /* tokens of a fingerprint: shorter likeness is chance */
#define WINDOW 6  /* of so many fingerprints one is kept: GRAM + WINDOW - 1 like tokens are always noticed */
#define LEAST  5  /* fingerprints of a file, for it to be compared */

const char similar_meaning[] =
    "These files are alike in what their authors wrote between the lines of the skeleton, whatever their names and comments. That is a\n"
    "reason to read both, and no proof: two people who work by the same notes may write the same loop.\n";

struct mark {
    uint64_t hash;
    int line;
};

struct marks {
    struct mark *all; /* by hash, each once */
    int count;
};

static int by_hash(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;
    return x->hash != y->hash ? (x->hash > y->hash) - (x->hash < y->hash) : x->line - y->line;
}

static void sort(struct marks *marks)
{
    int kept = 0;
    if (marks->count > 0)
        qsort(marks->all, (size_t)marks->count, sizeof *marks->all, by_hash);
    for (int i = 0; i < marks->count; i++)
        if (kept == 0 || marks->all[kept - 1].hash != marks->all[i].hash)
            marks->all[kept++] = marks->all[i];
    marks->count = kept;
}

static const struct mark *find(const struct marks *marks, uint64_t hash)
{
    const struct mark wanted = {hash, 0};
    int low = 0, high = marks->count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (marks->all[middle].hash < wanted.hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low < marks->count && marks->all[low].hash == hash ? &marks->all[low] : NULL;
}

/* Names that say what happens stay what they are: keywords, and CUDA's own. */
static bool keeps_name(const struct tokens *tokens, int i)
{
    return token_in(
        tokens, i,
        " if else for while do return break continue __shared__ extern threadIdx blockIdx blockDim gridDim "
        "__syncthreads __syncwarp atomicAdd atomicCAS __shfl_down_sync __shfl_xor_sync __shfl_up_sync ");
}

static uint64_t token_hash(const struct tokens *tokens, int i)
{
    const struct token *token = &tokens->token[i];
    uint64_t hash = 14695981039346656037u + (unsigned)token->kind;
    if ((token->kind == TOKEN_NAME && !keeps_name(tokens, i)) || token->kind == TOKEN_NUMBER ||
        token->kind == TOKEN_STRING)
        return hash * 1099511628211u;
    for (int j = 0; j < token->length; j++)
        hash = (hash ^ (unsigned char)tokens->text[token->at + j]) * 1099511628211u;
    return hash;
}

/* All fingerprints of a text, in its order. */
static struct marks grams_of(const char *text)
{
    struct tokens tokens;
    struct marks grams = {0};
    tokens_read(&tokens, text); /* as far as it can be read */
    if (tokens.count >= GRAM)
        grams.all = allocate((size_t)tokens.count * sizeof *grams.all);
    for (int i = 0; i + GRAM <= tokens.count; i++) {
        uint64_t hash = 0;
        for (int j = 0; j < GRAM; j++)
            hash = hash * 6364136223846793005u + token_hash(&tokens, i + j);
        grams.all[grams.count++] = (struct mark){hash, tokens.token[i].line};
    }
    tokens_free(&tokens);
    return grams;
}

/* Of each window the least, the last of equal ones. */
static void winnow(struct marks *grams)
{
    int kept = 0, last = -1;
    for (int begin = 0; begin + WINDOW <= grams->count; begin++) {
        int least = begin;
        for (int i = begin + 1; i < begin + WINDOW; i++)
            if (grams->all[i].hash <= grams->all[least].hash)
                least = i;
        if (least != last)
            grams->all[kept++] = grams->all[last = least]; /* kept <= least: windows move on */
    }
    grams->count = grams->count < WINDOW ? grams->count : kept;
}

static void leave_out(struct marks *marks, const struct marks *what)
{
    int kept = 0;
    for (int i = 0; i < marks->count; i++)
        if (!find(what, marks->all[i].hash))
            marks->all[kept++] = marks->all[i];
    marks->count = kept;
}

static struct marks marks_of(const char *path, const struct marks *skeleton)
{
    char *text = path ? file_read(path, 4u << 20, NULL) : NULL;
    struct marks marks = grams_of(text ? text : "");
    leave_out(&marks, skeleton); /* before winnowing: else the skeleton's could stand for a student's */
    winnow(&marks);
    sort(&marks);
    free(text);
    return marks;
}

/* What more than a third of a class has. */
static void leave_out_common(struct marks *marks, int count)
{
    struct marks all = {0}, common = {0};
    int total = 0, files = 0;
    for (int i = 0; i < count; i++) {
        total += marks[i].count;
        files += marks[i].count > 0;
    }
    if (files < 10)
        return;
    all.all = allocate((size_t)total * sizeof *all.all);
    common.all = allocate((size_t)total * sizeof *common.all);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < marks[i].count; j++)
            all.all[all.count++] = marks[i].all[j];
    qsort(all.all, (size_t)all.count, sizeof *all.all, by_hash);
    for (int i = 0, same = 0; i < all.count; i++) {
        same = i > 0 && all.all[i].hash == all.all[i - 1].hash ? same + 1 : 1;
        if (same == files / 3 + 1)
            common.all[common.count++] = all.all[i];
    }
    for (int i = 0; i < count; i++)
        leave_out(&marks[i], &common);
    free(all.all);
    free(common.all);
}

static struct pair compare(const struct run *run, const struct marks *marks, int a, int b)
{
    const struct submission *all = run->submissions.all;
    struct pair pair = {
        .a = a, .b = b, .identical = marks[a].count > 0 && all[a].checksum == all[b].checksum};
    const int fewer = marks[a].count < marks[b].count ? marks[a].count : marks[b].count;
    for (int i = 0; i < marks[a].count; i++) {
        const struct mark *mine = &marks[a].all[i], *other = find(&marks[b], mine->hash);
        pair.shared += other != NULL;
        if (other && (pair.line_a == 0 || mine->line < pair.line_a)) {
            pair.line_a = mine->line;
            pair.line_b = other->line;
        }
    }
    pair.percent = fewer >= LEAST ? 100.0 * pair.shared / fewer : 0;
    if (pair.identical)
        pair.percent = 100;
    return pair;
}

static int most_alike(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->identical != y->identical)
        return y->identical - x->identical;
    return x->percent != y->percent ? (x->percent < y->percent) - (x->percent > y->percent)
                                    : y->shared - x->shared;
}

struct pair *similar_find(const struct run *run, const char *skeleton, int *count)
{
    const int files = run->submissions.count;
    struct marks *marks = allocate((size_t)files * sizeof *marks), none = {0};
    char *text = file_read(skeleton, 4u << 20, NULL);
    struct marks base = text ? grams_of(text) : none;
    struct pair *pairs = allocate((size_t)files * (size_t)files / 2 * sizeof *pairs);
    sort(&base);
    for (int i = 0; i < files; i++)
        marks[i] = marks_of(run->submissions.all[i].refused ? NULL : run->submissions.all[i].path, &base);
    leave_out_common(marks, files);
    *count = 0;
    for (int a = 0; a < files; a++)
        for (int b = a + 1; b < files; b++) {
            const struct pair pair = compare(run, marks, a, b);
            const bool graded = !run->submissions.all[a].refused && !run->submissions.all[b].refused;
            if (!graded || pair.percent < run->settings.similar_percent)
                continue;
            pairs[(*count)++] = pair;
        }
    if (*count)
        qsort(pairs, (size_t)*count, sizeof *pairs, most_alike);
    for (int i = 0; i < files; i++)
        free(marks[i].all);
    free(marks);
    free(base.all);
    free(text);
    return pairs;
}
