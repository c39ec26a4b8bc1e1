/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes random system calls with plausible arguments. Runs as a guest, in a jail; run.py looks from
 * outside at what it could change.
 *
 *     fuzz SEED SECONDS NAMESPACE...
 *
 * It starts nothing unless it is behind a filter, and in none of the named namespaces, which are
 * the host's: then nothing that it hits belongs to anybody else. It prints "fuzzed N" in the end.
 *
 * The first process only watches: it starts workers one after the other, two at a time, and gives
 * each a second. What a worker does follows from the seed and the worker's number alone.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "arguments.h"

/* Numbers that older headers lack; they are the same on x86-64 and arm64. */
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_map_shadow_stack
#define SYS_map_shadow_stack 453
#endif
#ifndef SYS_futex_wake
#define SYS_futex_wake    454
#define SYS_futex_requeue 456
#endif
#ifndef SYS_statmount
#define SYS_statmount 457
#define SYS_listmount 458
#endif
#ifndef SYS_lsm_get_self_attr
#define SYS_lsm_get_self_attr 459
#define SYS_lsm_set_self_attr 460
#endif
#ifndef SYS_mseal
#define SYS_mseal 462
#endif
#ifndef SYS_setxattrat
#define SYS_setxattrat 463
#define SYS_getxattrat 464
#endif
#ifndef SYS_file_getattr
#define SYS_file_getattr 468
#define SYS_file_setattr 469
#endif

static const struct fuzz_call {
    long number;
    const char *kinds;
} calls[] = {
#define FUZZ(name, kinds) {SYS_##name, kinds},
#include "calls.def"
};

enum {
    CALLS_MAX = 1500, /* of one worker */
    WORKERS = 2,      /* at one time */
    WORKER_MS = 1000, /* a worker that blocks is ended */
    NUMBERS = 480,    /* system calls that exist, and some that do not */
};

static _Atomic uint64_t *counted; /* calls, of all workers */

/* ---- workers ---- */

static bool ends_worker(long number)
{
    return number == SYS_exit || number == SYS_exit_group || number == SYS_execve ||
           number == SYS_rt_sigreturn ||
#ifdef SYS_vfork
           number == SYS_vfork || number == SYS_pause ||
#endif
           number == SYS_rt_sigsuspend;
}

static void one_call(void)
{
    long number, a[6] = {0};

    if (below(12) == 0) {
        number = (long)below(NUMBERS);
        for (int i = 0; i < 6; i++)
            a[i] = argument("fpiklgza"[below(8)]);
    } else {
        const struct fuzz_call *c = &PICK(calls);
        number = c->number;
        for (int i = 0; c->kinds[i]; i++)
            a[i] = argument(c->kinds[i]);
    }
    if (ends_worker(number))
        return;
    pid_t before = getpid();
    (void)syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (getpid() != before && below(2)) /* a child; half of them go on */
        _exit(0);
}

static void fill_descriptors(void)
{
    static const char *const opened[] = {
        "/",          ".",       "/dev/null",        "/usr/bin",
        "/proc/self", "/proc/1", "/usr/bin/python3", "/proc/self/ns/user",
        "/dev/shm"};
    int pair[2];

    for (size_t i = 0; i < sizeof opened / sizeof *opened; i++)
        (void)open(opened[i], O_RDONLY | O_NONBLOCK);
    (void)open("f", O_RDWR | O_CREAT | O_NONBLOCK, 0600);
    (void)pipe2(pair, O_NONBLOCK);
    (void)socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair);
    (void)socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair);
    (void)socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    (void)socket(AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    (void)socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK, 0);
    (void)memfd_create("f", 0);
}

static _Noreturn void work(uint64_t seed)
{
    struct timespec now;

    state = seed * 0x9e3779b97f4a7c15ULL + 1;
    any();
    (void)setsid();
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    time_t end = now.tv_sec + 2;
    fill_descriptors();
    for (size_t i = 0; i < ARENA; i += 8) {
        uint64_t word = any();
        memcpy(arena + i, &word, sizeof word);
    }
    for (int i = 0; i < CALLS_MAX && now.tv_sec < end; i++) {
        one_call();
        ++*counted;
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
    }
    _exit(0);
}

static pid_t start_worker(uint64_t seed)
{
    pid_t pid = fork();

    if (pid == 0)
        work(seed);
    return pid;
}

static uint64_t now_ms(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* What workers leave behind is taken down with the jail. */
static void watch(uint64_t seed, uint64_t ms)
{
    struct {
        pid_t pid;
        uint64_t since;
    } workers[WORKERS] = {0};
    uint64_t end = now_ms() + ms, number = 0;

    while (now_ms() < end) {
        for (int i = 0; i < WORKERS; i++) {
            if (workers[i].pid > 0 && waitpid(workers[i].pid, NULL, WNOHANG) != 0)
                workers[i].pid = 0;
            else if (workers[i].pid > 0 && now_ms() > workers[i].since + WORKER_MS)
                (void)kill(workers[i].pid, SIGKILL);
            if (workers[i].pid <= 0) {
                workers[i].pid = start_worker(seed + ++number * 1000003);
                workers[i].since = now_ms();
            }
        }
        while (waitpid(-1, NULL, WNOHANG | __WALL) > 0) /* what became ours */
            for (int i = 0; i < WORKERS; i++)
                if (workers[i].pid > 0 && kill(workers[i].pid, 0) < 0)
                    workers[i].pid = 0;
        (void)usleep(500);
    }
}

/* ---- before anything ---- */

static bool is_behind_filter(void)
{
    char text[8192];
    int fd = open("/proc/self/status", O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    if (n <= 0)
        return false;
    text[n] = '\0';
    close(fd);
    return strstr(text, "Seccomp:\t2") && strstr(text, "NoNewPrivs:\t1") &&
           strstr(text, "CapEff:\t0000000000000000");
}

/* "pid:[4026531836]": none of ours may be one of the host's. */
static bool is_apart(char **hosts)
{
    static const char *const names[] = {"pid", "mnt", "net", "ipc", "uts"};
    char path[64], link[64];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "/proc/self/ns/%s", names[i]);
        ssize_t n = readlink(path, link, sizeof link - 1);
        if (n <= 0)
            return false;
        link[n] = '\0';
        for (char **host = hosts; *host; host++)
            if (strcmp(*host, link) == 0)
                return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    if (argc < 5 || !is_behind_filter() || !is_apart(argv + 3)) {
        puts("not inside: nothing is tried");
        return 2;
    }
    for (int signal_number = 1; signal_number <= 64; signal_number++)
        if (signal_number != SIGCHLD && signal_number != SIGALRM)
            (void)signal(signal_number, SIG_IGN);
    arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    counted = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (arena == MAP_FAILED || counted == MAP_FAILED)
        return 2;
    watch(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10) * 1000);
    printf("\nfuzzed %llu\n", (unsigned long long)*counted);
    return 0;
}
