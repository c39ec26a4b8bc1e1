/* SPDX-License-Identifier: Apache-2.0
 *
 * The watcher's view of a guest and its fork, which are below the same process and share memory:
 *
 *   origin's init --+-- a process of the origin
 *                   +-- the fork's init, pid 1 of a namespace below
 *                   +-- the fork, pid 2 of that namespace
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "limits/watch.h"
#include "tap.h"

#define MIB ((uint64_t)1 << 20)
enum { COMMON = 40, CHANGED = 10, ORIGINS = 16, FORKS = 24 }; /* MiB */

static void touch(char *p, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i += 4096)
        p[i] = 1;
}

static char *use_memory(uint64_t bytes)
{
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        _exit(99);
    (void)madvise(p, bytes, MADV_NOHUGEPAGE);
    touch(p, bytes);
    return p;
}

static void sleep_for_ever(void)
{
    for (;;)
        pause();
}

static void say_ready(int fd)
{
    if (write(fd, "r", 1) != 1)
        _exit(99);
}

static pid_t child(void)
{
    pid_t pid = fork();

    if (pid < 0)
        _exit(99);
    return pid;
}

static _Noreturn void be_origin(int ready)
{
    char *common = use_memory(COMMON * MIB);

    if (child() == 0) {
        use_memory(ORIGINS * MIB);
        say_ready(ready);
        sleep_for_ever();
    }
    if (unshare(CLONE_NEWPID) < 0)
        _exit(99);
    if (child() == 0)
        sleep_for_ever();
    if (child() == 0) {
        touch(common, CHANGED * MIB);
        use_memory(FORKS * MIB);
        say_ready(ready);
        sleep_for_ever();
    }
    sleep_for_ever();
    _exit(0);
}

static size_t children_of(pid_t pid, pid_t *ret, size_t max)
{
    char path[64], text[256];
    struct str rest, word;
    size_t n = 0;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, pid);
    rest = (struct str){text, 0};
    ssize_t got = fd_read_file_at(AT_FDCWD, path, text, sizeof text);
    rest.n = got > 0 ? (size_t)got : 0;
    int64_t number;
    while (n < max && str_next(&rest, ' ', &word))
        if (num_int64(word, &number))
            ret[n++] = (pid_t)number;
    return n;
}

static uint64_t space_of(pid_t pid)
{
    char path[64];
    struct stat st;

    snprintf(path, sizeof path, "/proc/%d/ns/pid", pid);
    return stat(path, &st) == 0 ? st.st_ino : 0;
}

struct family {
    pid_t top, init, own, fork_init, fork;
};

/* False if this host has no namespaces for it. */
static bool begin(struct family *ret)
{
    int ends[2];
    char bytes[2];
    bool ready = true;
    struct err err;
    pid_t found[4];

    if (fd_pipe(ends, &err) < 0)
        abort();
    *ret = (struct family){.top = child()};
    if (ret->top == 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWPID) < 0)
            _exit(99);
        if (child() == 0)
            be_origin(ends[1]);
        close(ends[1]);
        waitpid(-1, NULL, 0);
        _exit(0);
    }
    close(ends[1]);
    for (size_t i = 0; i < sizeof bytes; i++)
        ready &= read(ends[0], &bytes[i], 1) == 1;
    close(ends[0]);
    if (!ready || children_of(ret->top, &ret->init, 1) != 1 ||
        children_of(ret->init, found, ARRAY_LEN(found)) != 3)
        return false;
    ret->own = found[0];
    ret->fork_init = found[1];
    ret->fork = found[2];
    return true;
}

static void end(const struct family *f)
{
    kill(f->init, SIGKILL);
    kill(f->top, SIGKILL);
    waitpid(f->top, NULL, 0);
}

static int ended_process(void)
{
    pid_t pid = child();

    if (pid == 0)
        _exit(0);
    int pidfd = pidfd_open(pid, 0);
    waitpid(pid, NULL, 0);
    return pidfd;
}

static bool near(uint64_t got, uint64_t want_mib)
{
    uint64_t want = want_mib * MIB;

    return got + 4 * MIB > want && got < want + 8 * MIB; /* a sanitizer needs some of its own */
}

static struct watch_tree origins(const struct family *f)
{
    return (struct watch_tree){
        .root = f->init, .in_pidns = true, .pid_space = space_of(f->init), .tmpfs_fd = -1};
}

static struct watch_tree forks(const struct family *f)
{
    return (struct watch_tree){.root = f->fork_init,
                               .beside = f->fork,
                               .in_pidns = true,
                               .pid_space = space_of(f->fork_init),
                               .tmpfs_fd = -1};
}

static void test_members(const struct family *f)
{
    struct watch_tree origin = origins(f), fork = forks(f), all = origin;
    pid_t pids[4];
    uint64_t tasks = 0;

    all.pid_space = 0;
    EQ_INT(watch_tree_tasks(&all, &tasks), 0);
    EQ_INT(tasks, 4);
    EQ_INT(watch_tree_processes(&origin, pids, ARRAY_LEN(pids)), 2);
    OK(pids[0] == f->init && pids[1] == f->own, "the origin has its own processes");
    EQ_INT(watch_tree_processes(&fork, pids, ARRAY_LEN(pids)), 2);
    OK(pids[0] == f->fork_init && pids[1] == f->fork, "and the fork has its own");
    EQ_INT(watch_tree_processes(&fork, pids, 1), 1);
    EQ_INT(watch_tree_tasks(&fork, &tasks), 0);
    EQ_INT(tasks, 2);
    fork.beside = f->own; /* as if the number was used again */
    EQ_INT(watch_tree_tasks(&fork, &tasks), 0);
    EQ_INT(tasks, 1);
}

/* The init holds what is common, too: it counts once, as the largest process of its tree. */
static void test_limits(const struct family *f)
{
    struct watch_tree origin = origins(f), fork = forks(f);
    AUTO_CLOSE int alive = pidfd_open(f->init, 0);
    AUTO_CLOSE int ended = ended_process();
    struct watch_inherited inherited = {.bytes = watch_tree_begin(&fork), .origin = alive};
    uint64_t bytes = 0;

    origin.exact_at_bytes = fork.exact_at_bytes = 1;
    EQ_INT(watch_tree_memory(&origin, &bytes), 0);
    OK(near(bytes, COMMON + ORIGINS), "the origin counts what its fork shares: %llu KiB",
       (unsigned long long)bytes / 1024);
    EQ_INT(watch_tree_memory(&fork, &bytes), 0);
    OK(near(bytes, COMMON + FORKS), "a process counts in full: %llu KiB",
       (unsigned long long)bytes / 1024);
    OK(near(inherited.bytes, COMMON + FORKS), "before a look all may be inherited: %llu KiB",
       (unsigned long long)inherited.bytes / 1024);
    fork.inherited = &inherited;
    EQ_INT(watch_tree_memory(&fork, &bytes), 0);
    OK(near(bytes, COMMON + FORKS), "also if it has inherited some");
    OK(near(inherited.bytes, COMMON - CHANGED), "which is what it has not changed: %llu KiB",
       (unsigned long long)inherited.bytes / 1024);
    inherited = (struct watch_inherited){.bytes = COMMON * MIB, .origin = ended};
    EQ_INT(watch_tree_memory(&fork, &bytes), 0);
    EQ_INT(inherited.bytes, COMMON * MIB); /* of an origin that has ended, it stays as it was */
}

static void test_parts(const struct family *f)
{
    struct watch_tree origin = origins(f), fork = forks(f);
    uint64_t one = 0, other = 0;

    EQ_INT(watch_tree_part(&origin, &one), 0);
    EQ_INT(watch_tree_part(&fork, &other), 0);
    OK(near(one + other, COMMON + CHANGED + ORIGINS + FORKS),
       "the parts of both are all that they have: %llu KiB",
       (unsigned long long)(one + other) / 1024);
    OK(one > ORIGINS * MIB && other > (CHANGED + FORKS) * MIB, "each has what is its own");
}

int main(void)
{
    struct family f;

    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (begin(&f)) {
        RUN(test_members(&f));
        RUN(test_limits(&f));
        RUN(test_parts(&f));
    } else {
        SKIP("needs user and pid namespaces");
    }
    end(&f);
    return tap_done();
}
