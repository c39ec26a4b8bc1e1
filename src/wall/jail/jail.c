/* SPDX-License-Identifier: Apache-2.0 */
#include "jail/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/beside.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/spawn.h"
#include "base/str.h"
#include "jail/jail_parts.h"
#include "jail/message.h"
#include "jail/uids.h"

struct jail *jail_new(pid_t helper, int control)
{
    struct jail *jail = xcalloc(1, sizeof *jail);

    *jail = (struct jail){.helper = helper,
                          .control = control,
                          .init_pidfd = -1,
                          .guest_pidfd = -1,
                          .pid_space = -1,
                          .user_space = -1,
                          .box = -1};
    return jail;
}

/* ---- starting ---- */

int jail_find_helper(char **ret, struct err *err)
{
    return beside_find("glovebox-jail", "GLOVEBOX_JAIL", ret, err);
}

/* Descriptors that are passed to the helper. */
struct loan {
    posix_spawn_file_actions_t actions;
    int copies[16];
    size_t count;
};

/* The source is first copied to a high number, so that placing one never overwrites another. */
static int lend(struct loan *loan, int fd, int target)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, 64);

    if (high < 0)
        return -1;
    loan->copies[loan->count++] = high;
    return posix_spawn_file_actions_adddup2(&loan->actions, high, target) ? -1 : 0;
}

static int lend_all(struct loan *loan, const struct jail_spec *spec, const struct jail_fds *fds,
                    int control, int plan)
{
    const int standard[3] = {fds->in, fds->out, fds->err};

    for (int i = 0; i < 3; i++) {
        if (standard[i] >= 0) {
            if (lend(loan, standard[i], i) < 0)
                return -1;
        } else if (posix_spawn_file_actions_addopen(&loan->actions, i, "/dev/null",
                                                    i ? O_WRONLY : O_RDONLY, 0)) {
            return -1;
        }
    }
    if (lend(loan, control, SPEC_FD_CONTROL) < 0 || lend(loan, plan, SPEC_FD_SPEC) < 0)
        return -1;
    if (spec->lay && lend(loan, fds->lay, SPEC_FD_LAY) < 0)
        return -1;
    if (spec->nest && lend(loan, fds->zygote, SPEC_FD_ZYGOTE) < 0)
        return -1;
    for (int i = 0; spec->channel && i < 2; i++)
        if (lend(loan, fds->channel[i], SPEC_FD_CHANNEL + i) < 0)
            return -1;
    for (unsigned i = 0; i < spec->enter_count + spec->enter_v2; i++)
        if (lend(loan, fds->enter[i], SPEC_FD_CGROUP + (int)i) < 0)
            return -1;
    return 0;
}

static int spawn_helper(const struct jail_spec *spec, const struct jail_fds *fds, int control,
                        int plan, pid_t *ret_pid, struct err *err)
{
    struct loan loan = {.count = 0};
    posix_spawnattr_t attr;
    AUTO_FREE char *path = NULL;
    char *argv[] = {(char *)"glovebox-jail", (char *)"--spec", NULL};
    char *envp[] = {NULL};

    if (jail_find_helper(&path, err) < 0)
        return -1;
    posix_spawn_file_actions_init(&loan.actions);
    spawn_plainly(&attr);
    int failed = lend_all(&loan, spec, fds, control, plan) < 0
                     ? errno
                     : posix_spawn(ret_pid, path, &loan.actions, &attr, argv, envp);
    posix_spawn_file_actions_destroy(&loan.actions);
    posix_spawnattr_destroy(&attr);
    while (loan.count)
        close(loan.copies[--loan.count]);
    errno = failed;
    return failed ? err_sys(err, "start %s", path) : 0;
}

static int start(struct jail_spec *spec, const struct jail_fds *fds, struct jail **ret,
                 struct err *err)
{
    AUTO_BUF struct buf bytes = {0};
    int pair[2];
    pid_t pid = -1;

    spec->host_pid = getpid();
    buf_init(&bytes, SPEC_MAX_BYTES + 4096);
    if (spec_encode(spec, &bytes, err) < 0)
        return -1;
    AUTO_CLOSE int plan = fd_memory("glovebox-spec", bytes.p, bytes.n, err);
    if (plan < 0)
        return -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return err_sys(err, "make a socket pair");
    AUTO_CLOSE int ours = pair[0];
    AUTO_CLOSE int theirs = pair[1];
    if (spawn_helper(spec, fds, theirs, plan, &pid, err) < 0)
        return -1;

    *ret = jail_new(pid, fd_take(&ours));
    return 0;
}

int jail_start(struct jail_spec *spec, const struct jail_fds *fds, struct jail **ret,
               struct err *err)
{
    spec->host_jails = spec->nest ? uids_take() : 0;
    if (start(spec, fds, ret, err) < 0) {
        uids_give_back(spec->host_jails);
        return -1;
    }
    (*ret)->uids = spec->host_jails;
    return 0;
}

/* ---- receiving ---- */

static void reap_helper(struct jail *jail)
{
    struct rusage use = {0};
    struct jail_state *s = &jail->state;

    if (jail->reaped)
        return;
    jail->reaped = true;
    if (!jail->helper)
        return;
    while (wait4(jail->helper, NULL, 0, &use) < 0 && errno == EINTR)
        ;
    /* The helper has waited for all its descendants, so this is the usage of the whole tree, even
     * if the helper was killed. */
    s->user_us = (int64_t)use.ru_utime.tv_sec * 1000000 + use.ru_utime.tv_usec;
    s->system_us = (int64_t)use.ru_stime.tv_sec * 1000000 + use.ru_stime.tv_usec;
    if (use.ru_maxrss > s->max_rss_kib)
        s->max_rss_kib = use.ru_maxrss;
}

static void keep_fd(int *slot, int *fds, size_t count, size_t which)
{
    if (which >= count)
        return;
    fd_close(slot);
    *slot = fd_take(&fds[which]);
}

/* Keeps the descriptors that come with MSG_BORN, MSG_STARTED and MSG_READY. */
static void keep_fds(struct jail *jail, enum jail_message kind, int *fds, size_t count)
{
    if (kind == MSG_BORN) {
        keep_fd(&jail->init_pidfd, fds, count, 0);
        keep_fd(&jail->pid_space, fds, count, 1);
        keep_fd(&jail->user_space, fds, count, 2);
    }
    if (kind == MSG_STARTED || kind == MSG_READY) {
        keep_fd(&jail->box, fds, count, 0);
        keep_fd(&jail->guest_pidfd, fds, count, 1);
    }
    for (size_t i = 0; kind == MSG_NETWORK && !jail->network_n && i < count; i++)
        jail->network[i] = fd_take(&fds[i]);
    if (kind == MSG_NETWORK && !jail->network_n)
        jail->network_n = count;
}

void jail_receive(struct jail *jail, struct jail_event *ret)
{
    char message[MSG_MAX];
    int fds[FD_MSG_MAX];
    size_t count;

    *ret = (struct jail_event){.kind = JAIL_GONE};
    ssize_t got = fd_recv(jail->control, message, sizeof message, fds, &count, 0);
    if (got <= 0) {
        reap_helper(jail);
        return;
    }
    keep_fds(jail, message_read((struct str){message, (size_t)got}, &jail->state, ret), fds, count);
    while (count)
        fd_close(&fds[--count]);
}

/* ---- the rest ---- */

int jail_fd(const struct jail *jail)
{
    return jail->control;
}

static void jail_say(struct jail *jail, enum jail_message kind)
{
    unsigned char raw[4] = {(unsigned char)kind};

    (void)fd_send(jail->control, raw, sizeof raw, NULL, 0);
}

/* If there is a pid namespace, kills its pid 1: the kernel then kills all processes in it.
 * Otherwise asks the init to kill them. Before the guest runs, killing the helper is enough. */
void jail_kill(struct jail *jail)
{
    if (jail->reaped)
        return;
    if (!jail->helper) {
        if (jail->init_pidfd >= 0)
            (void)syscall(SYS_pidfd_send_signal, jail->init_pidfd, SIGKILL, NULL, 0);
        (void)shutdown(jail->control, SHUT_RDWR); /* in case MSG_BORN has not come */
    } else if (!jail->state.started) {
        (void)kill(jail->helper, SIGKILL);
    } else if (jail->state.held & LAYER_BIT(LAYER_PIDNS)) {
        (void)syscall(SYS_pidfd_send_signal, jail->init_pidfd, SIGKILL, NULL, 0);
    } else {
        jail_say(jail, MSG_END);
    }
}

void jail_settle(struct jail *jail)
{
    jail->state.exited = jail->state.alone = true;
}

void jail_let_exit(struct jail *jail)
{
    jail_say(jail, MSG_LET);
}

void jail_interrupt(struct jail *jail)
{
    if (jail->state.started && !jail->state.exited)
        jail_say(jail, MSG_INTERRUPT);
}

void jail_leave(struct jail *jail)
{
    jail_say(jail, MSG_LEAVE);
}

const struct jail_state *jail_state(const struct jail *jail)
{
    return &jail->state;
}

/* The host's number of a process; 0 if it is gone. */
static pid_t pid_of(int pidfd)
{
    char path[64], text[512];
    struct str rest, line;
    int64_t pid = 0;

    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", pidfd);
    ssize_t got = pidfd < 0 ? -1 : fd_read_file_at(AT_FDCWD, path, text, sizeof text);
    rest = (struct str){text, got > 0 ? (size_t)got : 0};
    while (str_next_line(&rest, &line))
        if (str_starts(line, "Pid:"))
            (void)num_int64(str_trim(str_slice(line, strlen("Pid:"), line.n)), &pid);
    return pid > 0 ? (pid_t)pid : 0; /* -1: it is reaped */
}

/* Not by its init, whose links an ordinary user may not follow. */
static uint64_t pid_space_of(const struct jail *jail, pid_t guest)
{
    char path[64];
    struct stat st;

    if (jail->pid_space >= 0)
        return fstat(jail->pid_space, &st) == 0 ? st.st_ino : 0;
    snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)guest);
    return guest && stat(path, &st) == 0 ? st.st_ino : 0;
}

bool jail_tree(const struct jail *jail, struct watch_tree *ret)
{
    *ret = (struct watch_tree){
        .root = jail->helper,
        .in_pidns = true, /* without a pid namespace, the helper is a subreaper */
        .tmpfs_fd = -1,
    };
    if (jail->helper)
        return !jail->reaped;
    ret->root = pid_of(jail->init_pidfd);
    ret->beside = pid_of(jail->guest_pidfd);
    ret->pid_space = pid_space_of(jail, ret->beside);
    return ret->root;
}

int jail_dup_guest(const struct jail *jail)
{
    return jail->guest_pidfd < 0 ? -1 : fcntl(jail->guest_pidfd, F_DUPFD_CLOEXEC, 0);
}

int jail_init_pidfd(const struct jail *jail)
{
    return jail->state.held & LAYER_BIT(LAYER_PIDNS) ? jail->init_pidfd : -1;
}

int jail_box(const struct jail *jail)
{
    return jail->box;
}

size_t jail_take_network(struct jail *jail, int ret[FD_MSG_MAX])
{
    size_t n = jail->network_n;

    memcpy(ret, jail->network, sizeof jail->network);
    jail->network_n = 0;
    return n;
}

int jail_take_box(struct jail *jail)
{
    return fd_take(&jail->box);
}

void jail_free(struct jail *jail)
{
    if (!jail)
        return;
    if (!jail->reaped) {
        jail_kill(jail);
        struct pollfd wait = {.fd = jail->control, .events = 0};
        while (poll(&wait, 1, 2000) < 0 && errno == EINTR)
            ;
        if (jail->helper)
            (void)kill(jail->helper, SIGKILL);
        reap_helper(jail);
    }
    uids_give_back(jail->uids);
    fd_close(&jail->control);
    fd_close(&jail->init_pidfd);
    fd_close(&jail->guest_pidfd);
    fd_close(&jail->pid_space);
    fd_close(&jail->user_space);
    fd_close(&jail->box);
    while (jail->network_n)
        fd_close(&jail->network[--jail->network_n]);
    free(jail);
}
