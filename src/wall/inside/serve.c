/* SPDX-License-Identifier: Apache-2.0
 *
 * Pid 1 while the guest runs: answers refused system calls, reaps, and reports how the guest's
 * first process ended. When it exits, the kernel kills all other processes in the namespace;
 * without a pid namespace, the keeper kills them (inside/end.c).
 */
#include "inside/gate.h"
#include "inside/inside.h"
#include "inside/notice.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
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
    int guest_fd; /* the socket to the guest's first process, until that has become the program */
    int exit_fd;  /* the zygote's socket, which reports the guest's end; -1 for none */
    struct guest_end end; /* the zygote's report */
    int pidfd;            /* the pidfd of a guest whose parent is outside this jail; -1 for none */
    int listener;
    struct notices notices;
    uint64_t leaving;   /* the listener's id of the guest's exit call, which waits */
    bool leaves;        /* the guest has begun to exit */
    int leaving_status; /* its wait status */
    struct gates gates; /* of the guest's forks, and of forks of forks */
    int upper; /* in a fork's init: socket from the init that handles the fork's calls; -1 for none
                */
    bool forks_only; /* the guest is dead, and we stay because its forks need us */
    bool waits;      /* the guest runs, but has no program yet */
    bool parked;     /* the guest was locked in before it had a program */
    int lay_fd; /* between MSG_GO and the start of a waiting guest: the files to lay; -1 for none */
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
 * there is no need to wait for it: the library checks that, and then orders us to die, or to let
 * the guest continue. */
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

static void receive_library(struct serve *s);

/* poll() may have reported a call whose process is gone. The call in its place can be newer than
 * the library's message that opens its gate, so that message is read first. */
static void read_gate_first(struct serve *s)
{
    struct pollfd wait = {.fd = SPEC_FD_CONTROL, .events = POLLIN};

    while (!s->waits && poll(&wait, 1, 0) > 0 && wait.revents)
        receive_library(s);
}

/* Answers one call that the filter has sent to the listener. */
static void serve_answer(struct serve *s)
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
    if (request.data.nr == SYS_setns)
        read_gate_first(s);
    if (s->gates.open && gate_answer(s->gates.open, &request))
        return;
    (void)filter_denial_name(&request.data, name, sizeof name);
    bool reported = watched_report(&s->gates.passed, request.pid, name);
    memset(&response, 0, sizeof response);
    response.id = request.id;
    response.error = -filter_denial_errno(filter_native(), &request.data);
    (void)ioctl(s->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
    if (!reported)
        count_denial(s, name);
}

/* Reports the guest's end, and exits if the guest can have no forks. Forks need us: then the
 * library orders the exit. */
static void serve_finish(struct serve *s, int status, bool alone)
{
    report_end(&s->end, &s->denials,
               (struct end_report){MSG_EXIT, status, alone && !s->in->spec.forks});
    if (!s->in->spec.forks)
        _exit(0);
    s->forks_only = true;
}

static void serve_reap(struct serve *s)
{
    struct signalfd_siginfo info;
    int status, of_guest = 0;
    bool ended = false;
    pid_t pid;

    (void)!read(s->signals, &info, sizeof info);
    while ((pid = reap(s->in, &status)) > 0) {
        if (pid != s->guest || s->forks_only)
            continue;
        of_guest = status;
        ended = true;
    }
    /* Orphans become our children: if there are none left, no other process lives in here. */
    if (ended)
        serve_finish(s, of_guest, pid < 0 && errno == ECHILD);
}

/* The kernel kills a guest whose zygote dies; its exit status is lost. */
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
    pid_t pid;

    fd_close(&s->exit_fd);
    if (got != sizeof s->end) {
        lose_zygote(s);
        return;
    }
    while ((pid = reap(s->in, NULL)) > 0)
        ;
    serve_finish(s, s->end.status, pid < 0 && errno == ECHILD);
}

/* Handles the end of a fork. It is the child of another process, so we get its status from its
 * pidfd, for which the kernel keeps it. */
static void note_fork_end(struct serve *s)
{
    int status = pidfd_status(s->pidfd);

    fd_close(&s->pidfd);
    while (reap(s->in, NULL) > 0)
        ;
    serve_finish(s, status, false);
}

/* Waits for MSG_GO, lays the files, and sends the words to the parked guest. */
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
        _exit(1); /* the guest died while it waited, or its zygote did */
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
    if (got <= 0) { /* closed by exec: the program runs */
        fd_close(&s->guest_fd);
        /* The guest was kept on one processor while the jail was made (keeper.c). */
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
    if (word.flavour & FILTER_TELLS_BIRTHS)
        s->notices.births.limit = limit_of_births(s->in);
    if (word.flavour & FILTER_NO_ROOT)
        notices_own_files(&s->notices, s->in->box_fd, s->in->held & LAYER_BIT(LAYER_LANDLOCK));
    if (!s->waits)
        report_guest(s->in, s->in->spec.park ? MSG_READY : MSG_STARTED,
                     s->exit_fd >= 0 ? s->guest : 0);
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

/* The library enforces the time limit. If it cannot (it is stopped, blocked in a write that no
 * process reads, or late on a busy host), we do, BACKSTOP_MS later. */
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

/* Ends a jail whose time is over. A guest that has begun to exit did so in time, and its status is
 * known. */
static _Noreturn void end_late(struct serve *s)
{
    if (s->leaves)
        serve_finish(s, s->leaving_status, false);
    else
        report_why(END_LATE);
    _exit(1);
}

/* Closes the descriptors that are not needed any more. The guest's pipes must close when the guest
 * closes them. */
static void close_rest(const struct inside *in)
{
    for (int fd = 0; fd < 3; fd++)
        close(fd);
    (void)close(SPEC_FD_SPEC);
    if (in->spec.lay) /* without lay, this number was free, and may be in use by now */
        (void)close(SPEC_FD_LAY);
    for (int i = 0; in->spec.channel && i < 2; i++)
        (void)close(SPEC_FD_CHANNEL + i);
}

static void serve_leave(struct serve *s)
{
    AUTO_BUF struct buf b = {0};

    kill_own_processes(s->in);
    s->forks_only = true;
    buf_init(&b, MSG_MAX);
    wire_put_u32(&b, MSG_LEFT);
    report_buf(&b);
}

/* Handles a message of the library; exits if the library is gone. */
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
        if (s->listener >= 0) /* otherwise the other end notices that the gate is closed */
            gates_take(&s->gates, s->listener, fds, &count);
        break;
    case MSG_LEAVE:
        serve_leave(s);
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

/* Starts the clock and locks init in: the guest has its program now. */
static void serve_begin(struct serve *s)
{
    struct err err;

    start_clock(s);
    /* Without a filter for the guest, init may have no right to install one (no no_new_privs). */
    bool changes = !(s->in->held & LAYER_BIT(LAYER_ROOT));
    if ((s->in->held & LAYER_BIT(LAYER_SECCOMP)) && filter_install_init(changes, &err) < 0)
        die_err(&err);
}

/* Gives a waiting guest its program once it reads the FIFO; until then it does nothing. Calls that
 * were refused before are reported after the start, as for any other guest. */
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
    serve_begin(s);
}

static void receive_library_at_last(struct serve *s)
{
    struct go go;

    go_receive(s->in, &go);
    s->lay_fd = go.fds[0];
    if (go.count > 1)
        close(go.fds[1]);
}

#define LOOK_MS 1 /* interval of checks whether a starting interpreter has opened its FIFO */

enum { LIBRARY, SIGNALS, LISTENER, TIMER, EXIT, PIDFD, GATE, UPPER, WAITS };

static void receive_outside(struct serve *s, const struct pollfd *wait)
{
    if (wait[GATE].revents) {
        gates_receive(&s->gates);
        births_forget(&s->notices.births);
    }
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
        serve_answer(s);
    else if (wait[LISTENER].revents) /* no process with the filter is left */
        fd_close(&s->listener);
    if (wait[SIGNALS].revents)
        serve_reap(s);
    if (wait[EXIT].revents)
        receive_zygote(s);
    if (wait[PIDFD].revents)
        note_fork_end(s);
}

static _Noreturn void serve(struct serve *s)
{
    if (!s->waits)
        serve_begin(s);
    serve_reap(s); /* a child that died before the signal was blocked */
    for (;;) {
        struct pollfd wait[WAITS] = {
            [LIBRARY] = {.fd = s->lay_fd >= 0 ? -1 : SPEC_FD_CONTROL, .events = POLLIN},
            [SIGNALS] = {.fd = s->signals, .events = POLLIN},
            [LISTENER] = {.fd = s->listener, .events = POLLIN},
            [TIMER] = {.fd = s->timer, .events = POLLIN},
            [EXIT] = {.fd = s->exit_fd, .events = POLLIN},
            [PIDFD] = {.fd = s->pidfd, .events = POLLIN},
            [GATE] = {.fd = s->gates.open ? gate_fd(s->gates.open) : -1, .events = POLLIN},
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
