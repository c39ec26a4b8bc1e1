/* SPDX-License-Identifier: Apache-2.0
 *
 * Pid 1 of a jail for a fork of a guest. Its pid namespace is below the guest's, because a process
 * can have children only in its own pid namespace or below. Its user namespace is below the guest's
 * and made with the guest's ids, so that the guest's fork can join it (inside/gate.c). Root, limits
 * and all else are as for any guest of the nest; the disk is a copy of the origin's.
 *
 * This process is not a part of the fork, and no process of the guest continues in here before the
 * fork was inspected.
 */
#include "inside/gate.h"
#include "inside/inside.h"
#include "inside/views.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "jail/proto.h"

/* ---- before the fork ---- */

static void fork_enter_cgroups(struct inside *in, const struct warm_request *r)
{
    for (uint32_t i = 0; i < r->enter_count; i++)
        if (write(r->enter[i], "0", 1) < 0)
            die_sys("enter cgroup");
    in->held &= ~LAYER_BIT(LAYER_CGROUPNS);
    if (in->mode & LAYER_BIT(LAYER_CGROUPNS) && unshare(CLONE_NEWCGROUP) == 0)
        in->held |= LAYER_BIT(LAYER_CGROUPNS);
}

static void open_gate(const struct inside *in, const struct fork_request *r)
{
    struct gate_word word = {.kind = GATE_OPEN, .number = (int32_t)r->given.enter_count};
    size_t spaces = GATE_SPACES - !(in->held & LAYER_BIT(LAYER_CGROUPNS)), count = 0;
    int fds[FD_MSG_MAX];
    char path[64];

    for (; count < spaces; count++) {
        snprintf(path, sizeof path, "/proc/self/ns/%s", gate_spaces[count].name);
        fds[count] = open(path, O_RDONLY | O_CLOEXEC);
        if (fds[count] < 0)
            die_sys("open %s", path);
    }
    for (uint32_t i = 0; i < r->given.enter_count; i++)
        fds[count++] = r->given.enter[i];
    if (fd_send(r->gate, &word, sizeof word, fds, count) < 0)
        die_sys("open the gate");
    while (count)
        close(fds[--count]);
}

/* ---- the fork ---- */

/* Receives a message of this kind. Exits if the library is gone. */
static void receive_gate(int gate, enum gate_kind kind, struct gate_word *ret)
{
    struct pollfd wait[] = {{.fd = gate, .events = POLLIN}, {.fd = SPEC_FD_CONTROL, .events = 0}};
    int none[FD_MSG_MAX];
    size_t count;

    while (poll(wait, ARRAY_LEN(wait), -1) < 0 && errno == EINTR)
        ;
    if (wait[1].revents || fd_recv(gate, ret, sizeof *ret, none, &count, 0) != sizeof *ret ||
        ret->kind != kind)
        _exit(1);
}

static int fork_put(void *ctx, const struct new_fd *file)
{
    const int *gate = ctx;
    struct gate_word word = {.kind = GATE_PUT, .number = file->number, .cloexec = file->cloexec};

    return fd_send(*gate, &word, sizeof word, &file->fd, 1);
}

static void give_ends(const struct fork_request *r, const struct gate_word *arrived)
{
    int gate = r->gate;

    for (int i = 0; i < 3; i++)
        (void)fork_put(&gate, &(struct new_fd){.number = i, .fd = r->given.standard[i]});
    for (int i = 0; i < 2; i++)
        (void)fork_put(&gate, &(struct new_fd){.number = arrived->channel[i],
                                               .fd = r->given.channel[i],
                                               .cloexec = true});
}

/* Every descriptor must have been replaced, or the fork would keep one that leads to its origin. */
static void check_given(int gate)
{
    struct gate_word word = {.kind = GATE_DONE};

    if (fd_send(gate, &word, sizeof word, NULL, 0) < 0)
        _exit(1);
    receive_gate(gate, GATE_DONE, &word);
    if (word.number != 1)
        die(ERR_GUEST, "a descriptor of the fork could not be replaced");
}

static void close_given(const struct fork_request *r)
{
    for (int i = 0; i < 3; i++)
        close(r->given.standard[i]);
    for (int i = 0; i < 2; i++)
        close(r->given.channel[i]);
    close(r->origin_box);
}

static pid_t take_fork(const struct fork_request *r)
{
    struct gate_word arrived;
    int gate = r->gate;
    struct err err;
    pid_t pid;

    receive_gate(gate, GATE_ARRIVED, &arrived);
    const int given[] = {0, 1, 2, arrived.channel[0], arrived.channel[1]}; /* by give_ends() */
    const struct reopening files = {.origin_box = r->origin_box,
                                    .given = given,
                                    .given_count = ARRAY_LEN(given),
                                    .put = fork_put,
                                    .ctx = &gate};
    if (check_fork(r->origin_box, &pid, &err) < 0 || reopen_files(&files, pid, &err) < 0)
        die_err(&err);
    give_ends(r, &arrived);
    check_given(gate);
    return pid;
}

static _Noreturn void fork_main(struct inside *in, const struct fork_request *r)
{
    struct gate_word let = {.kind = GATE_LET};
    struct err err;

    if (prctl(PR_SET_DUMPABLE, 1) < 0) /* otherwise root owns our /proc/self */
        die_sys("set dumpable");
    report_born(true);
    fork_enter_cgroups(in, &r->given);
    in->held &= ~LAYER_BIT(LAYER_PROC);
    if (chdir("/") < 0 || root_build_fork(in, &err) < 0)
        die_err(&err);
    if (copy_box(r->origin_box, in->box_fd, &err) < 0 || views_show_kept(in, &err) < 0 ||
        check_alone(&err) < 0)
        die_err(&err);
    open_gate(in, r);
    report_state(in, MSG_READY);
    pid_t guest = take_fork(r);
    in->held |= r->inherited;
    int pidfd = (int)syscall(SYS_pidfd_open, guest, 0);
    if (pidfd < 0)
        die_sys("open a pidfd");
    close_given(r);
    drop_privileges(in);
    /* In this order: after MSG_STARTED, the library may open the next gate, which ends this one. */
    (void)fd_send(r->gate, &let, sizeof let, NULL, 0);
    report_guest(in, MSG_STARTED, guest);
    in->spec.lay = in->spec.channel = false;
    serve_fork(in, guest, pidfd, r->gate);
}

/* ---- the nest's side ---- */

#define MAKER_S 2

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Closes all descriptors of the nest: the origin has the same user as we, and sees us. */
static void keep_only(int control, const struct fork_request *r)
{
    int kept[SPEC_ENTER_MAX + 16] = {control,
                                     r->gate,
                                     r->origin_box,
                                     r->given.standard[0],
                                     r->given.standard[1],
                                     r->given.standard[2],
                                     r->given.channel[0],
                                     r->given.channel[1]};
    size_t count = 8;
    int next = 3;

    for (uint32_t i = 0; i < r->given.enter_count; i++)
        kept[count++] = r->given.enter[i];
    qsort(kept, count, sizeof *kept, by_number);
    for (size_t i = 0; i < count; i++) {
        if (kept[i] > next)
            (void)syscall(SYS_close_range, next, kept[i] - 1, 0);
        next = kept[i] >= next ? kept[i] + 1 : next;
    }
    (void)syscall(SYS_close_range, next, ~0U, 0);
}

static void become_init(struct inside *in, int control, const struct fork_request *r)
{
    sigset_t none;

    keep_only(control, r);
    in->box_fd = in->sync_fd = -1;
    if (dup3(control, SPEC_FD_CONTROL, O_CLOEXEC) < 0)
        _exit(1);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    in->unbound = false; /* the new user namespace gave us all capabilities */
    fork_main(in, r);
}

struct made {
    bool made;
    int error;
};

/* Runs in the origin's pid namespace for a moment: only a process there can make a namespace below
 * it. */
static _Noreturn void maker_main(struct inside *in, int control, const struct fork_request *r,
                                 int report_to)
{
    struct clone3_args args = {.flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC |
                                        CLONE_NEWUTS};

    long pid = syscall(SYS_clone3, &args, sizeof args);
    if (pid == 0)
        become_init(in, control, r);
    struct made made = {.made = pid > 0, .error = errno};
    (void)fd_send(report_to, &made, sizeof made, NULL, 0);
    _exit(0);
}

/* Waits at most MAKER_S, because the nest waits for us. Guests can see the maker, and can stop it
 * if Landlock does not confine their signals. */
static void wait_for_maker(pid_t maker)
{
    const struct timespec most = {.tv_sec = MAKER_S};
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    while (waitpid(maker, NULL, WNOHANG) == 0) {
        if (sigtimedwait(&set, NULL, &most) > 0)
            continue;
        (void)kill(maker, SIGKILL);
        (void)waitpid(maker, NULL, 0);
        return;
    }
}

/* The new namespace belongs to the user that makes it: the origin's user. */
static int enter_users(const struct inside *in, int user_space)
{
    uid_t uid = in->spec.uid;
    gid_t gid = in->spec.gid;

    if (setns(user_space, CLONE_NEWUSER) < 0 || setresgid(gid, gid, gid) < 0 ||
        setresuid(uid, uid, uid) < 0)
        return -1;
    return prctl(PR_SET_DUMPABLE, 0);
}

/* After this process and the maker have exited, the new init is a child of its origin's init. */
static _Noreturn void helper_main(struct inside *in, int control, const struct fork_request *r,
                                  int user_space, int pid_space, int report_to)
{
    struct made made = {.error = 0};
    pid_t maker = -1;

    if (enter_users(in, user_space) == 0 && setns(pid_space, CLONE_NEWPID) == 0)
        maker = fork();
    if (maker == 0)
        maker_main(in, control, r, report_to);
    made.error = errno;
    if (maker < 0)
        (void)fd_send(report_to, &made, sizeof made, NULL, 0);
    else
        wait_for_maker(maker);
    _exit(0);
}

int fork_make(struct inside *in, int control, const struct fork_request *r, int user_space,
              int pid_space)
{
    struct made made = {.error = ECHILD};
    int pair[2], none[FD_MSG_MAX];
    size_t count = 0;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    pid_t helper = fork();
    if (helper == 0)
        helper_main(in, control, r, user_space, pid_space, pair[1]);
    close(pair[1]);
    if (helper > 0)
        (void)fd_recv(pair[0], &made, sizeof made, none, &count, 0);
    close(pair[0]);
    if (helper > 0)
        (void)waitpid(helper, NULL, 0);
    errno = made.error;
    return made.made ? 0 : -1;
}
