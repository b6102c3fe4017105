/*
 * launch auto|off PLACE PROGRAM: starts an attack as the grader starts a worker, and prints what it printed, as the
 * grader would show it. Then it looks whether PLACE is as it was and nothing runs any more: else "achieved: ...".
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/wire/keeper.h"
#include "harness/wire/process.h"
#include "harness/wire/sandbox.h"

static const char *place;
static pid_t bystander; /* another process of the same user */
static int shared;      /* memory of System V */

static const char *in_place(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", place, name);
    return path;
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(in_place(name), "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        exit(2);
}

static void listen_at(const char *name, int type)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%.100s", in_place(name));
    const int server = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    unlink(address.sun_path);
    if (server < 0 || bind(server, (struct sockaddr *)&address, sizeof address) != 0 ||
        (type == SOCK_STREAM && listen(server, 4) != 0))
        exit(2);
}

static void begin_bystander(void)
{
    bystander = fork();
    if (bystander == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
}

/* What the instructor has, and what his shell left open. */
static void furnish(void)
{
    mkdir(in_place("build"), 0700);
    mkdir(in_place("home"), 0700);
    put("secret", "secret\n");
    put("other.cu", "other\n");
    put("results.json", "results\n");
    put("build/student.o", "object\n");
    shared = shmget(IPC_PRIVATE, 4096, 0600);
    char *memory = shared < 0 ? (void *)-1 : shmat(shared, NULL, 0);
    if (memory != (void *)-1)
        strcpy(memory, "secret");
    listen_at("socket", SOCK_STREAM);
    listen_at("datagrams", SOCK_DGRAM);
    setenv("GITHUB_TOKEN", "secret", 1);
    setenv("SSH_AUTH_SOCK", in_place("socket"), 1);
    setenv("HOME", in_place("home"), 1);
    const int left = open(in_place("results.json"), O_RDWR);
    dup2(left, 40); /* without O_CLOEXEC */
}

static bool is_there(const char *left, pid_t group)
{
    return (left && kill(atoi(left + 6), 0) == 0) || kill(-group, 0) == 0;
}

static void look_after(const struct process *process, pid_t group)
{
    struct stat results, other;
    const char *left = strstr(process->out.text, "left: ");
    if (stat(in_place("results.json"), &results) != 0 || results.st_size != 8)
        puts("achieved: the results are other ones");
    if (stat(in_place("other.cu"), &other) != 0 || (other.st_mode & 0777) != (results.st_mode & 0777) ||
        other.st_mtim.tv_sec < 1000)
        puts("achieved: another's file is changed");
    if (access("/tmp/attack-left", F_OK) == 0)
        puts("achieved: a file is left");
    bool ended = false;
    for (int i = 0; i < 10 || (i < 500 && is_there(left, group));
         i++) { /* the killed end when a processor is free */
        usleep(10000);
        for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG)) > 0;) /* orphans, too, in a namespace of its own */
            ended |= pid == bystander;
    }
    if (ended)
        puts("achieved: another process was ended");
    if (is_there(left, group))
        puts("achieved: a process is left");
}

int main(int argc, char **argv)
{
    static struct process process;
    static struct exchange exchange;
    static struct arena arena;
    char message[512];
    if (argc != 4 || !grader_arena_create(&arena, 64 << 20))
        return 2;
    place = argv[2];
    umask(077);
    furnish();
    begin_bystander();
    prctl(PR_SET_DUMPABLE, 0);
    signal(SIGUSR1, SIG_IGN);
    if (!sandbox_begin(strcmp(argv[1], "off") == 0 ? SANDBOX_OFF : SANDBOX_AUTO, "", message)) {
        puts(message);
        return 2;
    }
    printf("sandbox: %s\n", sandbox_says());
    keeper_start();
    process_init(&process, argv[3], place, &arena);
    if (!process_start(&process))
        return 2;
    const pid_t group = process.pid;
    process_hello(&process, &exchange);
    process_stop(&process);
    fputs(process.out.text, stdout);
    fputs(process.err.text, stdout);
    if (process.out.length == 0 && exchange.text[0])
        printf("ended: %s\n", exchange.text);
    look_after(&process, group);
    keeper_stop();
    shmctl(shared, IPC_RMID, NULL);
    kill(bystander, SIGKILL);
    sandbox_end();
    return 0;
}
