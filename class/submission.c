#include "class/submission.h"

#include <dirent.h>
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "class/clean.h"
#include "class/files.h"

#define LARGEST_SOURCE (4u << 20)
#define DEEPEST        6
#define MOST_SEEN      9

static bool ends_in(const char *name, const char *ending)
{
    const size_t length = strlen(name), end = strlen(ending);
    return length > end && strcasecmp(name + length - end, ending) == 0;
}

static uint64_t hash(uint64_t start, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) /* FNV-1a: tells apart what was changed, not who wants to deceive */
        start = (start ^ (unsigned char)bytes[i]) * 1099511628211u;
    return start;
}

/* ---- the file in a folder --------------------------------------------------------------------------------- */

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcmp(entry->d_name, "__MACOSX") != 0;
}

struct seen {
    char *path[MOST_SEEN];
    int count; /* may be more */
};

static void look_for_files(struct seen *seen, const char *folder, int depth)
{
    struct dirent **entry;
    struct stat status;
    const int count = depth < DEEPEST ? scandir(folder, &entry, is_visible, alphasort) : 0;
    for (int i = 0; i < count; i++) {
        char *path = text_of("%s/%s", folder, entry[i]->d_name);
        const bool known = lstat(path, &status) == 0;
        if (known && S_ISDIR(status.st_mode))
            look_for_files(seen, path, depth + 1);
        else if (known && ends_in(path, ".cu") && seen->count++ < MOST_SEEN)
            seen->path[seen->count - 1] = text_of("%s", path);
        free(path);
        free(entry[i]);
    }
    if (count >= 0 && depth < DEEPEST)
        free(entry);
}

static bool has_usual_name(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    return strcasecmp(name, "skeleton.cu") == 0 || strcasecmp(name, "student.cu") == 0 ||
           (strncasecmp(name, "lab", 3) == 0 && strcspn(name, ".") == 5);
}

/* The one file, or the only one of several that has the skeleton's name or the lab's. */
static void choose_file(struct submission *s, const char *folder)
{
    struct seen seen = {.count = 0};
    look_for_files(&seen, folder, 0);
    const int kept = seen.count < MOST_SEEN ? seen.count : MOST_SEEN;
    int usual = 0, which = 0;
    for (int i = 0; i < kept; i++)
        if (has_usual_name(seen.path[i]) && ++usual)
            which = i;
    if (seen.count == 1 || usual == 1)
        s->path = text_of("%s", seen.path[which]);
    else if (seen.count == 0)
        s->refused = text_of("the folder holds no file whose name ends in .cu");
    else
        s->refused =
            text_of("the folder holds %d files whose names end in .cu; which one is meant?", seen.count);
    for (int i = 0; i < kept; i++)
        free(seen.path[i]);
}

/* ---- whose it is -------------------------------------------------------------------------------------------- */

/* What the groups of a pattern match, or NULL. */
static char *group(const char *pattern, const char *text, int which)
{
    regex_t compiled;
    regmatch_t match[6];
    char *found = NULL;
    if (regcomp(&compiled, pattern, REG_EXTENDED) != 0)
        return NULL;
    if (regexec(&compiled, text, 6, match, 0) == 0 && match[which].rm_so >= 0)
        found = text_of("%.*s", (int)(match[which].rm_eo - match[which].rm_so), text + match[which].rm_so);
    regfree(&compiled);
    return found;
}

/* Moodle: "Last First_12345_assignsubmission_file_"; Canvas: lastfirst_LATE_12345_67890_lab03.cu. */
static void take_name(struct submission *s)
{
    static const struct {
        const char *pattern;
        int name, id;
    } systems[] = {
        {"^(.*)_([0-9]+)_assignsubmission_", 1, 2},
        {"^([^_]+)_(LATE_)?([0-9]+)_([0-9]+)_", 1, 3},
        {"^(submission_([0-9]+))$", 1, 2},
    };
    char *name = NULL;
    for (size_t i = 0; !name && i < sizeof systems / sizeof systems[0]; i++)
        if ((name = group(systems[i].pattern, s->entry, systems[i].name)))
            s->id = group(systems[i].pattern, s->entry, systems[i].id);
    if (!name)
        name = text_of("%.*s", (int)(strlen(s->entry) - (ends_in(s->entry, ".cu") ? 3 : 0)), s->entry);
    s->name = clean(name, false);
    if (!s->id)
        s->id = text_of("%s", "");
    free(name);
}

/* Gradescope's submission_metadata.yml: a person's name and number under "submission_12345:". */
static void take_metadata(struct submissions *found, const char *folder)
{
    char *path = text_of("%s/submission_metadata.yml", folder), *text = file_read(path, 64u << 20, NULL),
         *rest = text;
    struct submission *s = NULL;
    for (char *line; text && (line = strsep(&rest, "\n"));) {
        char *name = group("^ *(- )?:name: *['\"]?(.*[^'\"])['\"]?$", line, 2),
             *id = group("^ *:sid: *['\"]?([^'\"]+)", line, 1);
        if (line[0] != ' ')
            s = NULL;
        for (int i = 0; line[0] != ' ' && i < found->count; i++)
            if (strncmp(line, found->all[i].entry, strcspn(line, ":")) == 0 &&
                strlen(found->all[i].entry) == strcspn(line, ":"))
                s = &found->all[i];
        if (s && name && strcmp(s->name, s->entry) == 0) {
            free(s->name);
            s->name = clean(name, false);
        }
        if (s && id && strcmp(s->name, s->entry) != 0) {
            free(s->id);
            s->id = clean(id, false);
            s = NULL; /* the first of a group */
        }
        free(name);
        free(id);
    }
    free(path);
    free(text);
}

/* Letters that no shell, system of files or address minds; with a number where that makes another name of it. */
static void take_key(struct submission *s, bool alone)
{
    const size_t length = strlen(s->entry) - (ends_in(s->entry, ".cu") ? 3 : 0);
    char *key = text_of("%.*s", (int)(length < 80 ? length : 80), s->entry);
    bool plain = alone && length <= 80 && !(length > 9 && key[length - 9] == '-'); /* as if it had a number */
    for (char *at = key; *at; at++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-", *at) ||
            (at == key && strchr(".-", *at))) {
            *at = '_';
            plain = false;
        }
    s->key = plain ? text_of("%s", key)
                   : text_of("%s-%08x", key,
                             (unsigned)(hash(14695981039346656037u, s->entry, strlen(s->entry)) >> 32));
    free(key);
}

/* ---- what lies in the folder ---------------------------------------------------------------------------------- */

static bool is_no_submission(const char *name, mode_t mode)
{
    return S_ISREG(mode) &&
           (strcmp(name, "submission_metadata.yml") == 0 || ends_in(name, ".csv") || ends_in(name, ".html"));
}

static void add(struct submissions *found, const char *folder, const char *entry)
{
    struct stat status;
    char *path = text_of("%s/%s", folder, entry);
    const bool known = lstat(path, &status) == 0;
    if (known && is_no_submission(entry, status.st_mode)) {
        found->ignored[found->ignored_count++] = clean(entry, false);
        free(path);
        return;
    }
    struct submission *s = &found->all[found->count++];
    *s = (struct submission){.entry = text_of("%s", entry)};
    s->folder = known && S_ISDIR(status.st_mode);
    if (s->folder)
        choose_file(s, path);
    else if (!known)
        s->refused = text_of("it cannot be read: %s", strerror(errno));
    else if (!ends_in(entry, ".cu"))
        s->refused = text_of("it is no CUDA file: its name does not end in .cu");
    else
        s->path = text_of("%s", path);
    if (s->path && lstat(s->path, &status) == 0)
        s->date = status.st_mtime;
    take_name(s);
    free(path);
}

/* A folder that holds nothing but one folder, in which are several: an export's own. NULL: it is not so. */
static char *only_folder(const char *folder)
{
    struct dirent **entry, **inner;
    char *path = NULL;
    const int count = scandir(folder, &entry, is_visible, alphasort);
    if (count == 1 && entry[0]->d_type == DT_DIR) {
        path = text_of("%s/%s", folder, entry[0]->d_name);
        const int within = scandir(path, &inner, is_visible, alphasort);
        int folders = 0;
        for (int i = 0; i < within; i++) {
            folders += inner[i]->d_type == DT_DIR || strcmp(inner[i]->d_name, "submission_metadata.yml") == 0;
            free(inner[i]);
        }
        if (within >= 0)
            free(inner);
        if (folders < 2) {
            free(path);
            path = NULL;
        }
    }
    for (int i = 0; i < count; i++)
        free(entry[i]);
    if (count >= 0)
        free(entry);
    return path;
}

static bool same_person(const struct submission *a, const struct submission *b)
{
    return strcasecmp(a->name, b->name) == 0 && strcmp(a->id, b->id) == 0;
}

static void tell_apart(struct submissions *found)
{
    for (int i = 0; i < found->count; i++) {
        bool alone = true;
        struct submission *s = &found->all[i];
        for (int j = 0; j < found->count; j++) {
            const struct submission *other = &found->all[j];
            s->again |= j < i && same_person(s, other);
            alone &= j == i || strcasecmp(s->name, other->name) != 0;
        }
        take_key(s, alone);
    }
}

bool submissions_find(struct submissions *found, const char *folder, bool packed)
{
    struct dirent **entry;
    char *inner = packed ? only_folder(folder) : NULL;
    const int count = scandir(inner ? inner : folder, &entry, is_visible, alphasort);
    *found = (struct submissions){0};
    if (count < 0) {
        fprintf(stderr, "grade: %s cannot be read: %s\n", folder, strerror(errno));
        free(inner);
        return false;
    }
    found->all = allocate((size_t)count * sizeof *found->all);
    found->ignored = allocate((size_t)count * sizeof *found->ignored);
    for (int i = 0; i < count; i++) {
        add(found, inner ? inner : folder, entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    take_metadata(found, inner ? inner : folder);
    tell_apart(found);
    free(inner);
    return true;
}

/* ---- what is graded ------------------------------------------------------------------------------------------- */

static char *why_not_read(const char *path)
{
    struct stat status;
    if (errno == ELOOP)
        return text_of("it is a symbolic link, which is not followed");
    if (errno == EFBIG)
        return text_of("it has more than %u MB", LARGEST_SOURCE >> 20);
    if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return text_of("it is no file but a %s", S_ISDIR(status.st_mode)    ? "folder"
                                                 : S_ISFIFO(status.st_mode) ? "FIFO"
                                                                            : "device or socket");
    return text_of("it cannot be read: %s", strerror(errno));
}

static char *why_no_source(const char *text, size_t size)
{
    if (text[strspn(text, " \t\r\n")] == 0 && strlen(text) == size)
        return text_of("the file is empty");
    if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return text_of("it is in UTF-16; a compiler wants UTF-8");
    if (strlen(text) < size)
        return text_of("it is no text: it holds bytes of value 0");
    return NULL;
}

static bool put_copy(const char *to, const char *name, const char *text, size_t size)
{
    struct new_file copy;
    file_begin(&copy, "%s/%s", to, name);
    fwrite(text, 1, size, copy.out);
    return file_end(&copy);
}

/* Headers in the same folder. */
static bool take_headers(struct submission *s, const char *to)
{
    struct dirent **entry;
    char *folder = text_of("%.*s", (int)(strrchr(s->path, '/') - s->path), s->path);
    const int count = scandir(folder, &entry, is_visible, alphasort);
    bool whole = true;
    for (int i = 0; i < count; i++) {
        const char *name = entry[i]->d_name;
        char *path = text_of("%s/%s", folder, name), *text = NULL;
        size_t size;
        if ((ends_in(name, ".h") || ends_in(name, ".cuh")) &&
            (text = file_read(path, LARGEST_SOURCE, &size))) {
            s->checksum = hash(hash(s->checksum, name, strlen(name)), text, size);
            whole &= !to || put_copy(to, name, text, size);
        }
        free(text);
        free(path);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    free(folder);
    return whole;
}

bool submission_take(struct submission *s, const char *to, char name[80])
{
    size_t size;
    if (s->refused)
        return false;
    char *text = file_read(s->path, LARGEST_SOURCE, &size);
    s->refused = text ? why_no_source(text, size) : why_not_read(s->path);
    s->checksum = hash(14695981039346656037u, text ? text : "", text ? size : 0);
    const char *own = strrchr(s->path, '/') + 1;
    const bool plain =
        !own[strspn(own, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.")] &&
        strlen(own) < 64 && strcmp(own + strlen(own) - 3, ".cu") == 0;
    snprintf(name, 80, "%s", plain ? own : "student.cu");
    const bool taken =
        !s->refused && (!to || put_copy(to, name, text, size)) && (!s->folder || take_headers(s, to));
    free(text);
    return taken;
}
