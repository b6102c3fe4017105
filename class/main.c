/* ./grade LAB SUBMISSIONS -o RESULTS: grades a class. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <getopt.h>
#include <glob.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "class/files.h"
#include "class/report.h"
#include "class/result.h"
#include "class/run.h"
#include "harness/base/tree.h"

enum { GRADED = 0, NOT_GRADED = 2, INCONCLUSIVE = 3 };

static const char help[] =
    "usage: ./grade labNN SUBMISSIONS [-o RESULTS] [options]\n"
    "\n"
    "Grades every file in the folder SUBMISSIONS: files NAME.cu, folders with one .cu file each, or what Moodle, Canvas\n"
    "and Gradescope export, also as a .zip. The same command goes on where an interrupted one stopped, and grades\n"
    "only what is new or has changed.\n"
    "\n"
    "  -o FOLDER        where the results go (results): class.txt, class.csv, class.json, junit.xml, similar.txt; for each\n"
    "                   submission a file in json/, reports/, students/, gradescope/ and classroom/\n"
    "  -j N             so many at a time (as many as there are processors); on a GPU one at a time for each\n"
    "  --seed N         inputs for all by this seed; without it, one is drawn and kept in RESULTS\n"
    "  --seed-by-name   a seed of its own for each submission, from that one and its name\n"
    "  --settings FILE  open points, days late, what students see: docs/grading.md\n"
    "  --backend WHERE  auto, gpu or sim, as of ./grader\n"
    "  --real double    in double precision\n"
    "  --again TEXT     grades once more: a verdict (inconclusive), or names that contain the text\n"
    "  --help           this text\n"
    "\n"
    "Exit status: 0 all are graded; 3 all are, but some are inconclusive or could not be judged; 2 not all are.\n";

static bool complain(const char *format, const char *what)
{
    fputs("grade: ", stderr);
    fprintf(stderr, format, what);
    fputc('\n', stderr);
    return false;
}

struct asked {
    const char *submissions, *results, *settings, *seed;
};

/* ---- the command line ---------------------------------------------------------------------------------------- */

static bool take_number(const char *text, uint64_t most, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 0);
    return errno == 0 && end != text && *end == 0 && text[0] != '-' && *value <= most;
}

static bool take_option(struct run *run, struct asked *asked, int option)
{
    uint64_t number;
    switch (option) {
    case 'o': asked->results = optarg; return true;
    case 'j':
        if (!take_number(optarg, 1024, &number) || number == 0)
            return complain("-j %s: expected a number from 1 to 1024", optarg);
        run->jobs = (int)number;
        return true;
    case 's':
        asked->seed = optarg;
        return take_number(optarg, UINT64_MAX, &run->seed) ||
               complain("--seed %s: expected a whole number", optarg);
    case 'n': run->seed_by_name = true; return true;
    case 'f': asked->settings = optarg; return true;
    case 'b':
        run->backend = optarg;
        return !strcmp(optarg, "auto") || !strcmp(optarg, "gpu") || !strcmp(optarg, "sim") ||
               complain("--backend %s: expected auto, gpu or sim", optarg);
    case 'r':
        run->real = optarg;
        return !strcmp(optarg, "float") || !strcmp(optarg, "double") ||
               complain("--real %s: there are float and double", optarg);
    case 'a': run->again = optarg; return true;
    default: fputs("See ./grade --help\n", stderr); return false;
    }
}

/* lab03_dynamic_shared/ is lab03, too. */
static bool take_lab(struct run *run, char *lab)
{
    lab[strcspn(lab, "_/")] = 0;
    run->lab = lab;
    return strlen(lab) == 5 && strncmp(lab, "lab", 3) == 0 && strspn(lab + 3, "0123456789") == 2;
}

static bool read_arguments(struct run *run, struct asked *asked, int argc, char **argv)
{
    static const struct option options[] = {
        {"seed", required_argument, NULL, 's'},     {"seed-by-name", no_argument, NULL, 'n'},
        {"settings", required_argument, NULL, 'f'}, {"backend", required_argument, NULL, 'b'},
        {"real", required_argument, NULL, 'r'},     {"again", required_argument, NULL, 'a'},
        {"help", no_argument, NULL, 'h'},           {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = getopt_long(argc, argv, "o:j:h", options, NULL)) >= 0) {
        if (option == 'h') {
            fputs(help, stdout);
            exit(GRADED);
        }
        if (!take_option(run, asked, option))
            return false;
    }
    if (argc - optind != 2)
        return complain(
            "%s",
            "expected a lab and a folder, as in ./grade lab03 submissions/ -o results/; more: ./grade --help");
    asked->submissions = argv[optind + 1];
    return take_lab(run, argv[optind]) || complain("There is no %s; a lab is named like lab03", argv[optind]);
}

/* ---- the folders --------------------------------------------------------------------------------------------------- */

static char *absolute(const char *path)
{
    char *here = getcwd(NULL, 0),
         *whole = path[0] == '/' ? text_of("%s", path) : text_of("%s/%s", here ? here : ".", path);
    free(here);
    return whole;
}

static bool make_results(const struct run *run)
{
    static const char *const folders[] = {"json", "reports", "students", "gradescope", "classroom"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char *path = text_of("%s/%s", run->results, folders[i]);
        const bool made = folder_make(path);
        free(path);
        if (!made)
            return false;
    }
    char *path = text_of("%s/.lock", run->results);
    const int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    free(path);
    if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) != 0)
        return complain("another ./grade works on %s, or its file .lock cannot be written", run->results);
    return true;
}

/* Results of one folder are of one lab and one seed: what an earlier run was asked for holds. */
static bool agree_on_run(struct run *run, const struct asked *asked)
{
    char *path = text_of("%s/run.txt", run->results), *text = file_read(path, 4096, NULL);
    char lab[16] = "", real[16] = "", backend[16] = "";
    uint64_t seed = 0;
    int by_name = 0;
    const bool known =
        text && sscanf(text, "lab %15s\nreal %15s\nbackend %15s\nseed %" SCNu64 "\nseed_by_name %d", lab,
                       real, backend, &seed, &by_name) == 5;
    free(text);
    if (known) {
        free(path);
        if (strcmp(lab, run->lab) || strcmp(real, run->real) || strcmp(backend, run->backend) ||
            by_name != run->seed_by_name || (asked->seed && seed != run->seed))
            return complain(
                "%s/run.txt: these results were made with another lab, seed or option; choose another folder with -o",
                run->results);
        run->seed = seed;
        return true;
    }
    uint64_t fresh;
    if (!asked->seed && getrandom(&fresh, sizeof fresh, 0) != sizeof fresh)
        return complain("no random seed: %s", strerror(errno));
    if (!asked->seed)
        run->seed = fresh >> 11; /* 53 bits, as the grader draws one */
    struct new_file file;
    file_begin(&file, "%s", path);
    fprintf(file.out, "lab %s\nreal %s\nbackend %s\nseed %" PRIu64 "\nseed_by_name %d\n", run->lab, run->real,
            run->backend, run->seed, run->seed_by_name);
    free(path);
    return file_end(&file);
}

uint64_t run_seed(const struct run *run, const struct submission *s)
{
    uint64_t seed = run->seed;
    for (const char *at = s->key; run->seed_by_name && *at; at++)
        seed = (seed ^ (unsigned char)*at) * 1099511628211u;
    return run->seed_by_name ? seed >> 11 : seed;
}

/* ---- another program --------------------------------------------------------------------------------------------------- */

/* Of what lies in a folder. */
static uint64_t folder_bytes;

static int add_bytes(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)path, (void)kind, (void)where;
    folder_bytes += (uint64_t)status->st_size + 512; /* an empty file takes room, too */
    return 0;
}

static bool holds_more(const char *folder, uint64_t most)
{
    folder_bytes = 0;
    nftw(folder, add_bytes, 16, FTW_PHYS | FTW_MOUNT);
    return folder_bytes > most;
}

/* Its status; -1: it did not end by itself, or it filled `folder` (NULL: none) with more than `most` bytes. */
static int call_filling(char *const argv[], const char *folder, uint64_t most)
{
    int status;
    const pid_t pid = fork();
    if (pid == 0) {
        const struct rlimit largest = {1u << 30, 1u << 30};
        setrlimit(RLIMIT_FSIZE, &largest);
        setenv("LC_ALL", "C.UTF-8", 1);
        execvp(argv[0], argv);
        _exit(127);
    }
    pid_t ended = 0;
    while (pid > 0 && folder && (ended = waitpid(pid, &status, WNOHANG)) == 0) {
        usleep(50000);
        if (holds_more(folder, most))
            kill(pid, SIGKILL);
    }
    if (pid < 0 || (!folder && (ended = waitpid(pid, &status, 0)) != pid) || ended != pid)
        return -1;
    return WIFEXITED(status) && !(folder && holds_more(folder, most)) ? WEXITSTATUS(status) : -1;
}

static int call(char *const argv[])
{
    return call_filling(argv, NULL, 0);
}

/* Programs shrink to a quarter or so. */
#define MOST_TIMES   100 /* as the message says */
#define MOST_TO_HOLD ((uint64_t)64 << 20)

/* A .zip becomes a folder of this run's own. 1 of unzip is a warning. */
static bool unpack(const struct run *run, char **submissions)
{
    const size_t length = strlen(*submissions);
    if (length < 4 || strcasecmp(*submissions + length - 4, ".zip") != 0)
        return true;
    char *folder = text_of("%s/unpacked", run->work);
    char *unzip[] = {"unzip", "-q", "-o", *submissions, "-d", folder, NULL},
         *bsdtar[] = {"bsdtar", "-xf", *submissions, "-C", folder, NULL};
    struct stat zip;
    if (!folder_make(folder))
        return false;
    const uint64_t most =
        MOST_TO_HOLD + (stat(*submissions, &zip) == 0 ? MOST_TIMES * (uint64_t)zip.st_size : 0);
    int status = call_filling(unzip, folder, most);
    if (status == 127)
        status = call_filling(bsdtar, folder, most);
    if (holds_more(folder, most)) {
        tree_remove(folder);
        return complain("%s holds more than 64 MiB + 100 times its own size: it is not unpacked",
                        *submissions);
    }
    if (status == 127)
        return complain("%s: to unpack it, install unzip, or unpack it yourself and name the folder",
                        *submissions);
    if (status != 0 && status != 1)
        return complain("%s cannot be unpacked: see above", *submissions);
    *submissions = folder;
    return true;
}

/* What all builds share: made once, before several makes look at it at the same time. */
static bool prepare(const struct run *run)
{
    char *goal = text_of("%s/%s/%s/skeleton", run->build, run->lab, run->real),
         *build = text_of("BUILD=%s", run->build);
    char *make[] = {"make", "-s", "--no-print-directory", build, goal, NULL};
    const int status = call(make);
    free(goal);
    free(build);
    return status == 0 || complain("%s cannot be built: see above", run->lab);
}

/* ---- all of it ------------------------------------------------------------------------------------------------------------ */

/* What was given to the students; NULL: there is no such lab. */
static char *skeleton_of(const struct run *run)
{
    glob_t found;
    char *pattern = text_of("%s_*/skeleton.cu", run->lab);
    char *path = glob(pattern, 0, NULL, &found) == 0 ? text_of("%s", found.gl_pathv[0]) : NULL;
    globfree(&found);
    free(pattern);
    return path;
}

static bool write_all(const struct run *run, const char *skeleton)
{
    bool (*const write[])(const struct run *) = {write_csv,        write_json,      write_junit,
                                                 write_gradescope, write_classroom, write_students};
    bool written = true;
    int pairs;
    for (size_t i = 0; i < sizeof write / sizeof write[0]; i++)
        written &= write[i](run);
    return write_similar(run, skeleton, &pairs) && write_page(run, pairs) && written;
}

/* What has a result of an earlier run is done. */
static int look_for_results(struct run *run)
{
    char name[80];
    int missing = 0;
    for (int i = 0; i < run->submissions.count; i++) {
        struct submission *s = &run->submissions.all[i];
        submission_take(s, NULL, name);
        result_look(run, s);
        missing += !s->result && !s->refused;
    }
    return missing;
}

static int grade(struct run *run, char *submissions, const char *skeleton)
{
    const char *asked = submissions;
    if (!unpack(run, &submissions) || !submissions_find(&run->submissions, submissions, asked != submissions))
        return NOT_GRADED;
    if (run->submissions.count == 0)
        return complain("%s holds no submission", submissions), NOT_GRADED;
    if (look_for_results(run) > 0 && !prepare(run))
        return NOT_GRADED;
    const bool whole = queue_run(run, skeleton);
    if (!write_all(run, skeleton) || !whole)
        return NOT_GRADED;
    for (int i = 0; i < run->submissions.count; i++) {
        const struct submission *s = &run->submissions.all[i];
        if (result_verdict(s) == VERDICT_INCONCLUSIVE || (result_verdict(s) == VERDICT_NONE && !s->refused))
            return INCONCLUSIVE;
    }
    return GRADED;
}

int main(int argc, char **argv)
{
    struct run run = {
        .root = getenv("LABS_ROOT"), .build = getenv("BUILD"), .real = "float", .backend = "auto"};
    struct asked asked = {.results = "results"};
    char message[512];
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    run.jobs = processors > 0 ? (int)processors : 1;
    if (!run.root || !run.build)
        return complain("%s", "start it by ./grade"), NOT_GRADED;
    if (!read_arguments(&run, &asked, argc, argv))
        return NOT_GRADED;
    if (!settings_read(&run.settings, asked.settings, message))
        return complain("%s", message), NOT_GRADED;
    char *submissions = absolute(asked.submissions);
    run.results = absolute(asked.results);
    if (chdir(run.root) != 0)
        return complain("%s cannot be entered", run.root), NOT_GRADED;
    char *skeleton = skeleton_of(&run);
    if (!skeleton)
        return complain("there is no %s", run.lab), NOT_GRADED;
    if (!make_results(&run) || !agree_on_run(&run, &asked) || !run_folder_begin(&run))
        return NOT_GRADED;
    const int status = grade(&run, submissions, skeleton);
    run_folder_end(&run);
    return status;
}
