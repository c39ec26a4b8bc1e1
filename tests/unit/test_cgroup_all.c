/* SPDX-License-Identifier: Apache-2.0
 *
 * The ceiling above all groups of a process: it binds, a kill in it is told from others, and
 * nothing of it is left.
 */
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "cgroup_common.h"

#define NONE ((struct jail_limits){.memory_bytes = 64 * MIB, .pids = 8})

/* A child in the group that takes so much and stays. */
static pid_t take(struct cgroup *c, uint64_t bytes)
{
    int ready[2];
    char word;

    if (pipe(ready) < 0)
        abort();
    pid_t pid = fork_into(c);
    if (pid == 0) {
        char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (uint64_t i = 0; p != MAP_FAILED && i < bytes; i += 4096)
            p[i] = 1;
        (void)!write(ready[1], "x", 1);
        for (;;)
            (void)pause();
    }
    close(ready[1]);
    (void)!read(ready[0], &word, 1); /* or it was killed */
    close(ready[0]);
    pause_ms(20);
    return pid;
}

/* v2 may count one twice. */
static bool kills(struct cgroup *c)
{
    struct cgroup_usage use;

    cgroup_usage(c, &use);
    return use.oom_kills > 0;
}

static void test_binds(void)
{
    struct cgroup *a, *b;

    OK(cgroup_ceiling(48 * MIB), "a group holds the ceiling");
    a = open_or_die(NONE);
    b = open_or_die(NONE);
    EQ_INT(cgroup_held(a), CGROUP_LAYERS);
    (void)cgroup_oom_fd(a);
    struct pollfd oom = {.fd = cgroup_oom_fd(b), .events = POLLIN};
    (void)take(a, 16 * MIB);
    EQ_INT(kills(a), 0);
    (void)take(b, 40 * MIB);
    OK(poll(&oom, 1, 0) > 0, "that memory is out can be polled");
    OK(kills(b) && !kills(a), "the larger one is killed");
    EQ_INT(cgroup_oom_cause(b), CGROUP_OOM_ALL);
    cgroup_oom_over(a);
    cgroup_close(b);
    b = open_or_die((struct jail_limits){.memory_bytes = 8 * MIB, .pids = 8});
    (void)take(b, 16 * MIB);
    OK(kills(b), "a group has its own limit besides");
    EQ_INT(cgroup_oom_cause(b), CGROUP_OOM_OWN);
    cgroup_close(a);
    cgroup_close(b);
    (void)reap_all();
}

static void test_changes(void)
{
    struct cgroup *c;

    OK(cgroup_ceiling(96 * MIB), "it can be changed");
    c = open_or_die(NONE);
    (void)take(c, 56 * MIB);
    EQ_INT(kills(c), 0);
    cgroup_close(c);
    OK(cgroup_ceiling_less(60 * MIB), "and what others have is taken off it");
    c = open_or_die(NONE);
    (void)take(c, 56 * MIB);
    OK(kills(c) && cgroup_oom_cause(c) == CGROUP_OOM_ALL, "but never more than half");
    cgroup_close(c);
    c = open_or_die(NONE);
    (void)take(c, 44 * MIB);
    EQ_INT(kills(c), 0);
    cgroup_close(c);
    OK(cgroup_ceiling_less(0), "they are gone");
    (void)reap_all();
}

static void test_end(void)
{
    struct cgroup *c = open_or_die(NONE);

    cgroup_close(c);
    OK(count_dirs(getpid()) > 0, "the directory stays without groups in it");
    (void)cgroup_ceiling(0);
    EQ_INT(count_dirs(getpid()), 0);
    c = open_or_die(NONE);
    EQ_INT(cgroup_held(c), CGROUP_LAYERS);
    cgroup_close(c);
    EQ_INT(count_dirs(getpid()), 0);
}

/* An owner that was killed leaves a directory with groups and processes in it. */
static void test_swept(void)
{
    int status;

    fflush(stdout);
    pid_t owner = fork();
    if (owner == 0) {
        (void)cgroup_ceiling(48 * MIB);
        (void)take(open_or_die(NONE), MIB);
        _exit(0);
    }
    waitpid(owner, &status, 0);
    OK(count_dirs(owner) > 0, "it is there");
    cgroup_sweep();
    EQ_INT(count_dirs(owner), 0);
    EQ_INT(reap_all(), 1);
}

/* It goes as soon as it is empty, and limits nothing until then. */
static void test_end_in_use(void)
{
    struct cgroup *c;

    (void)cgroup_ceiling(48 * MIB);
    c = open_or_die(NONE);
    (void)cgroup_ceiling(0);
    (void)take(c, 56 * MIB);
    EQ_INT(kills(c), 0);
    cgroup_close(c);
    (void)cgroup_ceiling(48 * MIB);
    (void)cgroup_ceiling(0);
    EQ_INT(count_dirs(getpid()), 0);
    (void)reap_all();
}

static void test_around(void)
{
    struct cgroup *c = open_or_die(NONE);
    int status;

    pid_t pid = fork_into(c);
    if (pid == 0)
        _exit(cgroup_memory_around() <= 64 * MIB && cgroup_memory_around() >= MIB ? 0 : 1);
    OK(waitpid(pid, &status, 0) == pid && status == 0, "the limit of the group around us");
    cgroup_close(c);
}

int main(void)
{
    if (!can_run()) {
        SKIP(NEED_ROOT);
        return tap_done();
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    RUN(test_binds());
    RUN(test_changes());
    RUN(test_end());
    RUN(test_swept());
    RUN(test_end_in_use());
    RUN(test_around());
    return tap_done();
}
