/* SPDX-License-Identifier: Apache-2.0
 *
 * Pid 1 while the guest runs: answers refused system calls, reaps, and reports how the guest's
 * first process ended. When it exits, the kernel kills whatever else is left in the namespace;
 * where there is none, the keeper does (inside/end.c).
 */
#include "inside/gate.h"
#include "inside/inside.h"
#include "inside/notice.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/wire.h"
#include "jail/filter.h"
#include "jail/proto.h"

struct serve {
    struct inside *in;
    pid_t guest;
    int guest_fd;         /* the guest's first process, until it has become the program */
    int exit_fd;          /* the zygote's socket, which reports the guest's end; -1 for none */
    struct guest_end end; /* what the zygote reported */
    int pidfd;            /* of a guest whose parent is outside this jail; -1 for none */
    int listener;
    struct notices notices;
    uint64_t leaving;   /* by what name the listener knows the guest's exit, which waits */
    bool leaves;        /* it has begun to exit, */
    int leaving_status; /* with this */
    struct gate *gate;  /* a fork of the guest, or of one of its forks, is under way */
    struct watched forks;
    int upper;       /* of a fork: from the init that watches its calls; -1 for none */
    bool forks_only; /* the guest is dead, and we stay because its forks need us */
    bool waits;      /* it runs, but has no program yet */
    bool parked;     /* it was here before it had anything to run */
    int lay_fd;      /* from then on, until it starts: files to lay; -1 for none */
    int signals;
    int timer;
    struct denials denials;
};

static void count_denial(struct serve *s, const char *name)
{
    const struct denial *denial = denials_count(&s->denials, name);

    if (denial->count == 1 && !s->waits)
        denials_report_one(denial);
}

static void receive_upper(struct serve *s)
{
    char name[DENIAL_NAME];

    if (!watched_receive(s->upper, name))
        fd_close(&s->upper);
    if (*name)
        count_denial(s, name);
}

/* The guest's exit takes longer the larger its memory is. If no other process is left in here,
 * there is no need to wait for it: the library finds that out, and orders us to die, or to let the
 * guest continue. */
static void receive_leaving(struct serve *s, const struct seccomp_notif *request)
{
    if ((pid_t)request->pid != s->guest || s->forks_only || !childless_usage(s->guest, &s->end)) {
        (void)let_continue(s->listener, request->id);
        return;
    }
    s->leaving = request->id;
    s->leaves = true;
    s->leaving_status = (int)(request->data.args[0] & 0xff) << 8;
    report_end(&s->end, &s->denials, (struct end_report){MSG_LEAVING, s->leaving_status, false});
}

/* One refused call, or one that is reported. */
static void answer(struct serve *s)
{
    struct seccomp_notif request;
    struct seccomp_notif_resp response;
    char name[48];

    memset(&request, 0, sizeof request);
    if (ioctl(s->listener, SECCOMP_IOCTL_NOTIF_RECV, &request) < 0)
        return; /* the caller died meanwhile */
    if (filter_notice(filter_native(), &request.data) == FILTER_NOTICE_LEAVE) {
        receive_leaving(s, &request);
        return;
    }
    if (notice_answer(&s->notices, &request))
        return;
    if (s->gate && gate_answer(s->gate, &request))
        return;
    (void)filter_denial_name(&request.data, name, sizeof name);
    bool reported = watched_report(&s->forks, request.pid, name);
    memset(&response, 0, sizeof response);
    response.id = request.id;
    response.error = -filter_denial_errno(filter_native(), &request.data);
    (void)ioctl(s->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
    if (!reported)
        count_denial(s, name);
}

/* Where there may be forks they need us; the library says when we are done. */
static void finish(struct serve *s, int status, bool alone)
{
    report_end(&s->end, &s->denials,
               (struct end_report){MSG_EXIT, status, alone && !s->in->spec.forks});
    if (!s->in->spec.forks)
        _exit(0);
    s->forks_only = true;
}

static void reap(struct serve *s)
{
    struct signalfd_siginfo info;
    int status, of_guest = 0;
    bool ended = false;
    pid_t pid;

    (void)!read(s->signals, &info, sizeof info);
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid != s->guest || s->forks_only)
            continue;
        of_guest = status;
        ended = true;
    }
    /* Orphans become our children: with none left, nothing else lives in here. */
    if (ended)
        finish(s, of_guest, pid < 0 && errno == ECHILD);
}

/* The kernel kills a guest whose zygote dies; how it ended is not known any more. */
static void lose_zygote(struct serve *s)
{
    if (s->forks_only)
        return;
    report_why(END_ZYGOTE);
    if (!s->in->spec.forks)
        _exit(1);
    s->forks_only = true;
}

/* A guest whose parent is the zygote: the zygote waits for it and reports to us. */
static void receive_zygote(struct serve *s)
{
    ssize_t got = read(s->exit_fd, &s->end, sizeof s->end);

    fd_close(&s->exit_fd);
    if (got != sizeof s->end) {
        lose_zygote(s);
        return;
    }
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    finish(s, s->end.status, waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

/* Another process waits for a fork; we know of its end what the kernel keeps for a while.
 */
static void note_fork_end(struct serve *s)
{
    int status = pidfd_status(s->pidfd);

    fd_close(&s->pidfd);
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    finish(s, status, false);
}

/* Until the library says what is to run. */
static void wait_for_go(struct serve *s)
{
    if (s->exit_fd >= 0)
        drop_privileges(s->in); /* the zygote's fork has joined us by now */
    struct go go;
    struct pollfd wait[] = {{.fd = SPEC_FD_CONTROL, .events = POLLIN},
                            {.fd = s->exit_fd >= 0 ? s->exit_fd : s->signals, .events = POLLIN}};

    while (poll(wait, ARRAY_LEN(wait), -1) < 0 && errno == EINTR)
        ;
    if (wait[1].revents)
        _exit(1); /* it died waiting, or its zygote did */
    go_receive(s->in, &go);
    go_lay(s->in, go.fds[0]);
    report_state(s->in, MSG_STARTED);
    fd_close(&s->in->box_fd);
    struct str words = go.words.n ? go.words : STR("\0");
    (void)fd_send(s->guest_fd, words.p, words.n, go.fds + 1, go.count - 1);
    while (go.count)
        close(go.fds[--go.count]);
}

/* The guest's first process reports that it is about to become the program, or why it cannot. It
 * waits for our answer: the library gets the report while the program starts, and not when the
 * program first pauses. */
static void receive_guest(struct serve *s)
{
    struct guest_word word;
    int fds[FD_MSG_MAX];
    size_t count = 0;
    ssize_t got = fd_recv(s->guest_fd, &word, sizeof word, fds, &count, 0);

    if (got <= 0 && s->exit_fd >= 0 && !s->parked)
        die(ERR_SYSTEM, "the zygote ended before its fork arrived");
    if (got <= 0) { /* closed by exec: it runs */
        fd_close(&s->guest_fd);
        /* It was kept to one processor while the jail was made (main.c). */
        if (s->exit_fd < 0)
            (void)sched_setaffinity(s->guest, sizeof s->in->processors, &s->in->processors);
        if (s->waits)
            report_state(s->in, MSG_READY);
        return;
    }
    if (word.stage == GUEST_FAILED)
        die_err(&word.err);
    s->in->held |= word.held;
    if (word.lost)
        report_lost(word.lost, word.err.msg);
    if (count)
        s->listener = fds[0];
    notices_init(&s->notices, s->listener, word.flavour, fd_take(&s->in->locks_fd), s->in->touched);
    s->notices.forks = s->in->spec.forks;
    if (word.flavour & FILTER_NO_ROOT)
        notices_own_files(&s->notices, s->in->box_fd, s->in->held & LAYER_BIT(LAYER_LANDLOCK));
    if (!s->waits)
        report_state(s->in, s->in->spec.park ? MSG_READY : MSG_STARTED);
    if (s->in->spec.park) {
        s->parked = true;
        wait_for_go(s);
        return;
    }
    if (!s->waits)
        fd_close(&s->in->box_fd);
    (void)fd_send(s->guest_fd, "", 1, NULL, 0);
}

static void watch_children(struct serve *s)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (s->signals < 0)
        die_sys("watch for the guest's end");
}

/* The library ends the run in time. When it cannot (it is stopped, stuck in a write that no process
 * reads, or late on a busy host), we do, a moment later. */
#define BACKSTOP_MS 40

static void start_clock(struct serve *s)
{
    int64_t ms = s->in->spec.wall_ms + BACKSTOP_MS;
    struct itimerspec end = {.it_value = {ms / 1000, ms % 1000 * 1000000}};

    if (!s->in->spec.wall_ms)
        return;
    s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    if (s->timer < 0 || timerfd_settime(s->timer, 0, &end, NULL) < 0)
        die_sys("set the time limit");
}

/* A guest that has begun to exit ended in time, and its status is known. */
static _Noreturn void end_late(struct serve *s)
{
    if (s->leaves)
        finish(s, s->leaving_status, false);
    else
        report_why(END_LATE);
    _exit(1);
}

/* Nothing that init opened is needed any more, and the guest's pipes must close with the guest. */
static void close_rest(const struct inside *in)
{
    for (int fd = 0; fd < 3; fd++)
        close(fd);
    (void)close(SPEC_FD_SPEC);
    if (in->spec.lay) /* else its number is free, and may be one of ours by now */
        (void)close(SPEC_FD_LAY);
    for (int i = 0; in->spec.channel && i < 2; i++)
        (void)close(SPEC_FD_CHANNEL + i);
}

static void take_gate(struct serve *s, int *fds, size_t *count)
{
    if (s->listener < 0 || *count != 2)
        return;         /* its other end will see that it is closed */
    gate_free(s->gate); /* the library has one at a time: that one is over */
    uint64_t space = namespace_number_fd(fds[1]);
    close(fds[--*count]);
    s->gate = gate_new(fds[--*count], s->listener, space);
}

static void leave(struct serve *s)
{
    AUTO_BUF struct buf b = {0};

    kill_own_processes();
    s->forks_only = true;
    buf_init(&b, MSG_MAX);
    wire_put_u32(&b, MSG_LEFT);
    report_buf(&b);
}

/* What the library says, or that it is gone. */
static void receive_library(struct serve *s)
{
    unsigned char message[4];
    int fds[FD_MSG_MAX];
    size_t count = 0;

    if (fd_recv(SPEC_FD_CONTROL, message, sizeof message, fds, &count, 0) != sizeof message)
        _exit(1);
    switch (message[0]) {
    case MSG_INTERRUPT:
        if (!s->forks_only)
            (void)kill(-s->guest, SIGINT);
        break;
    case MSG_GATE:
        take_gate(s, fds, &count);
        break;
    case MSG_LEAVE:
        leave(s);
        break;
    case MSG_LET:
        (void)let_continue(s->listener, s->leaving);
        break;
    default: /* MSG_END */
        _exit(1);
    }
    while (count)
        close(fds[--count]);
}

static void receive_gate(struct serve *s)
{
    if (gate_receive(s->gate))
        return;
    watched_add(&s->forks, s->gate);
    gate_free(s->gate);
    s->gate = NULL;
}

/* From here on the guest does what it was given. */
static void begin(struct serve *s)
{
    struct err err;

    start_clock(s);
    /* Where the guest has no filter, there may be no right to install one (no no_new_privs). */
    bool changes = !(s->in->held & LAYER_BIT(LAYER_ROOT));
    if ((s->in->held & LAYER_BIT(LAYER_SECCOMP)) && filter_install_init(changes, &err) < 0)
        die_err(&err);
}

/* Sends a waiting guest its program when it waits; calls that were refused until then are reported
 * after its start, as for any other guest. */
static void go_on(struct serve *s)
{
    int pipe = s->in->spec.wait_file[0] ? wait_file_take(s->in) : -1;

    if (s->in->spec.wait_file[0] && pipe < 0)
        return;
    go_lay(s->in, s->lay_fd);
    report_state(s->in, MSG_STARTED);
    s->waits = false;
    fd_close(&s->lay_fd);
    denials_report(&s->denials);
    if (pipe >= 0)
        wait_file_fill(s->in, pipe);
    fd_close(&s->in->box_fd);
    begin(s);
}

static void receive_library_at_last(struct serve *s)
{
    struct go go;

    go_receive(s->in, &go);
    s->lay_fd = go.fds[0];
    if (go.count > 1)
        close(go.fds[1]);
}

#define LOOK_MS 1 /* whether an interpreter that is in its own start has come to its pipe */

enum { LIBRARY, SIGNALS, LISTENER, TIMER, EXIT, PIDFD, GATE, UPPER, WAITS };

static void receive_outside(struct serve *s, const struct pollfd *wait)
{
    if (wait[GATE].revents)
        receive_gate(s);
    if (wait[UPPER].revents)
        receive_upper(s);
    if (wait[LIBRARY].revents && s->waits)
        receive_library_at_last(s);
    else if (wait[LIBRARY].revents)
        receive_library(s);
}

static void receive_inside(struct serve *s, const struct pollfd *wait)
{
    if (wait[LISTENER].revents & POLLIN)
        answer(s);
    else if (wait[LISTENER].revents) /* no process is left behind the filter */
        fd_close(&s->listener);
    if (wait[SIGNALS].revents)
        reap(s);
    if (wait[EXIT].revents)
        receive_zygote(s);
    if (wait[PIDFD].revents)
        note_fork_end(s);
}

static _Noreturn void serve(struct serve *s)
{
    if (!s->waits)
        begin(s);
    reap(s); /* a child that died before the signal was blocked */
    for (;;) {
        struct pollfd wait[WAITS] = {
            [LIBRARY] = {.fd = s->lay_fd >= 0 ? -1 : SPEC_FD_CONTROL, .events = POLLIN},
            [SIGNALS] = {.fd = s->signals, .events = POLLIN},
            [LISTENER] = {.fd = s->listener, .events = POLLIN},
            [TIMER] = {.fd = s->timer, .events = POLLIN},
            [EXIT] = {.fd = s->exit_fd, .events = POLLIN},
            [PIDFD] = {.fd = s->pidfd, .events = POLLIN},
            [GATE] = {.fd = s->gate ? gate_fd(s->gate) : -1, .events = POLLIN},
            [UPPER] = {.fd = s->upper, .events = POLLIN},
        };
        if (poll(wait, WAITS, s->lay_fd >= 0 ? LOOK_MS : -1) < 0 && errno != EINTR)
            _exit(1);
        receive_outside(s, wait);
        receive_inside(s, wait);
        if (wait[TIMER].revents) /* last: the guest may have ended before */
            end_late(s);
        if (s->lay_fd >= 0)
            go_on(s);
    }
}

void serve_main(struct inside *in, pid_t guest, int guest_fd, int exit_fd)
{
    struct serve s = {.in = in,
                      .guest = guest,
                      .guest_fd = guest_fd,
                      .exit_fd = exit_fd,
                      .waits = in->spec.waits,
                      .lay_fd = -1,
                      .pidfd = -1,
                      .upper = -1,
                      .listener = -1,
                      .timer = -1};

    watch_children(&s);
    close_rest(in);
    while (s.guest_fd >= 0)
        receive_guest(&s);
    serve(&s);
}

void serve_fork(struct inside *in, pid_t guest, int pidfd, int gate)
{
    struct serve s = {.in = in,
                      .guest = guest,
                      .guest_fd = -1,
                      .exit_fd = -1,
                      .lay_fd = -1,
                      .pidfd = pidfd,
                      .upper = gate,
                      .listener = -1,
                      .timer = -1};

    watch_children(&s);
    serve(&s);
}
