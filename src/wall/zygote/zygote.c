/* SPDX-License-Identifier: Apache-2.0
 *
 * The zygote's side of a nest; see zygote.h. Not part of the library.
 */
#include "zygote/zygote.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/wire.h"
#include "inside/inside.h"
#include "inside/zygote_ask.h"
#include "jail/proto.h"
#include "zygote/zygote_pages.h"

#define FORKS_MAX 256

struct fork {
    pid_t pid;
    int exit_fd;
};

static struct {
    struct inside in;
    int signals;
    struct zygote_ask ask; /* the request for the next fork */
    int fds[FD_MSG_MAX];
    size_t fd_count;
    struct fork forks[FORKS_MAX];
    struct buf words;
} zygote = {.in = {.sync_fd = -1, .box_fd = -1, .init_fd = -1}};

enum { ASK_INIT, ASK_GUEST, ASK_EXIT, ASK_STANDARD, ASK_REST = ASK_STANDARD + 3 };

static int read_spec(void)
{
    struct stat st;
    struct err err;

    if (fstat(ZYGOTE_FD_SPEC, &st) < 0 || st.st_size > SPEC_MAX_BYTES)
        return -1;
    AUTO_FREE char *bytes = xmalloc((size_t)st.st_size);
    ssize_t got = pread(ZYGOTE_FD_SPEC, bytes, (size_t)st.st_size, 0);
    if (got != st.st_size)
        return -1;
    return spec_decode((struct str){bytes, (size_t)got}, &zygote.in.spec, &err);
}

int zygote_open(void)
{
    sigset_t set;

    if (read_spec() < 0)
        return -1;
    zygote.in.mode = zygote.in.spec.wanted;
    close(ZYGOTE_FD_SPEC);
    close(ZYGOTE_FD_CODE);
    (void)fcntl(ZYGOTE_FD_NEST, F_SETFD, FD_CLOEXEC);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    zygote.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (zygote.signals < 0)
        return -1;
    return fd_send(ZYGOTE_FD_NEST, "", 1, NULL, 0);
}

static uint64_t to_us(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

static void report_exit(pid_t pid, int status, const struct rusage *use)
{
    struct guest_end end = {.status = status,
                            .user_us = to_us(use->ru_utime),
                            .system_us = to_us(use->ru_stime),
                            .max_rss_kib = (uint64_t)use->ru_maxrss};

    for (size_t i = 0; i < FORKS_MAX; i++) {
        struct fork *f = &zygote.forks[i];
        if (f->pid != pid)
            continue;
        (void)fd_send(f->exit_fd, &end, sizeof end, NULL, 0);
        fd_close(&f->exit_fd);
        f->pid = 0;
        return;
    }
}

static void zygote_reap(void)
{
    struct signalfd_siginfo info;
    struct rusage use;
    int status;
    pid_t pid;

    (void)!read(zygote.signals, &info, sizeof info);
    while ((pid = wait4(-1, &status, WNOHANG, &use)) > 0)
        report_exit(pid, status, &use);
}

static bool take_ask(void)
{
    ssize_t got =
        fd_recv(ZYGOTE_FD_NEST, &zygote.ask, sizeof zygote.ask, zygote.fds, &zygote.fd_count, 0);

    if (got != sizeof zygote.ask || zygote.fd_count < ASK_REST)
        _exit(got > 0); /* the nest is gone */
    return setns(zygote.fds[ASK_INIT], CLONE_NEWPID) == 0;
}

static void drop_ask(void)
{
    while (zygote.fd_count)
        close(zygote.fds[--zygote.fd_count]);
}

/* ---- what forks touch ---- */

static bool rehearses;

int zygote_rehearse(void)
{
    if (pages_begin() < 0)
        return -1;
    pid_t pid = fork(); /* NOLINT: as zygote_serve does */
    rehearses = pid == 0;
    if (pid == 0)
        return 0;
    if (pid > 0)
        (void)waitpid(pid, NULL, 0);
    return pages_learn() < 0 ? -1 : 1;
}

void zygote_end_rehearsal(void)
{
    if (!rehearses)
        return;
    pages_note();
    _exit(0);
}

/* ---- in the child ---- */

/* Moves the descriptors to the numbers that guest_enter expects; first all to high numbers, so that
 * none is overwritten. Returns the index of the first one that is left in zygote.fds, or -1. */
static int place_fds(void)
{
    int at = ASK_REST;

    for (size_t i = 0; i < zygote.fd_count; i++)
        if ((zygote.fds[i] = fcntl(zygote.fds[i], F_DUPFD_CLOEXEC, 64)) < 0)
            return -1;
    for (int i = 0; i < 3; i++)
        if (dup2(zygote.fds[ASK_STANDARD + i], i) < 0)
            return -1;
    for (int i = 0; zygote.ask.channel && i < 2; i++)
        if (dup2(zygote.fds[at++], SPEC_FD_CHANNEL + i) < 0)
            return -1;
    zygote.in.init_fd = zygote.fds[ASK_GUEST];
    return at;
}

static int zygote_enter_cgroups(int at)
{
    for (uint32_t i = 0; i < zygote.ask.enter_count; i++)
        if (write(zygote.fds[at++], "0", 1) < 0)
            return -1;
    if (!zygote.ask.enter_v2)
        return 0;
    AUTO_CLOSE int procs = openat(zygote.fds[at], "cgroup.procs", O_WRONLY | O_CLOEXEC);
    return procs < 0 || write(procs, "0", 1) < 0 ? -1 : 0;
}

/* Joining a user namespace gave us all capabilities in it. */
static int drop_capabilities(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};

    for (int cap = 0; cap < 64 && prctl(PR_CAPBSET_DROP, cap) == 0; cap++)
        ;
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return (int)syscall(SYS_capset, &head, none);
}

/* The kernel makes us undumpable at each change of ids, so we become dumpable again at the end. */
static int become_guest(void)
{
    uid_t uid = zygote.in.spec.uid;
    gid_t gid = zygote.in.spec.gid;

    if (setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0 || drop_capabilities() < 0)
        return -1;
    return prctl(PR_SET_DUMPABLE, 1);
}

static int zygote_join(void)
{
    int spaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS;

    if (zygote.ask.held & LAYER_BIT(LAYER_NETNS))
        spaces |= CLONE_NEWNET;
    if (zygote.ask.held & LAYER_BIT(LAYER_CGROUPNS))
        spaces |= CLONE_NEWCGROUP;
    return setns(zygote.fds[ASK_INIT], spaces);
}

/* Converts the words to the form that zygote_serve() returns. */
static int turn_words(void)
{
    struct wire w = {.rest = buf_str(&zygote.in.words)};

    buf_init(&zygote.words, WORDS_MAX);
    for (int list = 0; list < 2; list++) {
        uint32_t left = wire_count(&w, 4);
        for (list == 0 ? (void)buf_addf(&zygote.words, "%u%c", left, 0) : (void)0; left; left--) {
            (void)buf_add_str(&zygote.words, wire_str(&w));
            (void)buf_addc(&zygote.words, '\0');
        }
    }
    return wire_ok(&w) ? 0 : -1;
}

static int zygote_enter(zygote_wake *wake, void *ctx)
{
    sigset_t none;

    zygote.in.held = zygote.ask.held;
    zygote.in.reports_exit = !zygote.in.spec.forks;
    zygote.in.reports_sockets = true;
    zygote.in.spec.channel = zygote.ask.channel;
    int at = place_fds();
    if (at < 0 || zygote_enter_cgroups(at) < 0)
        return -1;
    pages_fetch(); /* after entering the cgroups, so that they are charged to the guest */
    if (wake(ctx) < 0 || zygote_join() < 0 || become_guest() < 0)
        return -1;
    guest_enter(&zygote.in);
    fd_close(&zygote.in.init_fd); /* reports that the guest runs, as exec does for other guests */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    return turn_words();
}

/* ---- the loop ---- */

static void keep_fork(pid_t pid)
{
    for (size_t i = 0; pid > 0 && i < FORKS_MAX; i++) {
        if (zygote.forks[i].pid)
            continue;
        zygote.forks[i].pid = pid;
        zygote.forks[i].exit_fd = zygote.fds[ASK_EXIT];
        zygote.fds[ASK_EXIT] = -1;
        break;
    }
}

/* Waits for a request. Our next child is then created in the new jail's pid namespace. */
static int wait_ask(void)
{
    for (;;) {
        struct pollfd wait[] = {{.fd = zygote.signals, .events = POLLIN},
                                {.fd = ZYGOTE_FD_NEST, .events = POLLIN}};
        if (poll(wait, ARRAY_LEN(wait), -1) < 0 && errno != EINTR)
            return -1;
        if (wait[0].revents)
            zygote_reap();
        if (!wait[1].revents)
            continue;
        if (take_ask())
            return 0;
        drop_ask(); /* its init died meanwhile */
    }
}

struct str zygote_serve(zygote_wake *wake, void *ctx)
{
    pages_settle();
    while (wait_ask() == 0) {
        pid_t pid = fork(); /* NOLINT: by the C library alone, see zygote_python.py */
        if (pid == 0 && zygote_enter(wake, ctx) < 0)
            _exit(127);
        if (pid == 0)
            return buf_str(&zygote.words);
        keep_fork(pid);
        drop_ask();
    }
    _exit(0);
}
