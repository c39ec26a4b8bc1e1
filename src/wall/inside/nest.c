/* SPDX-License-Identifier: Apache-2.0
 *
 * Pid 1 of a nest: an outer jail with a complete read-only root and no guest in it. It starts the
 * zygote, and makes small jails, in which forks of the zygote become guests (inside/warm.c).
 *
 * Some things are made once for all jails: the root, of which each jail has a private copy of the
 * mounts; and network namespaces, while no guest has used them (inside/slots.c). They belong to the
 * nest's user namespace, in which no guest ever is: each jail has a user namespace of its own below
 * it.
 */
#include "inside/inside.h"
#include "inside/slots.h"

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
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/wire.h"
#include "inside/zygote_ask.h"
#include "jail/proto.h"

struct nest {
    struct inside *in;
    pid_t zygote;
    int zygote_fd;
    int signals;
    bool ready, closing;
    bool childless; /* the zygote is dead: no new guests, only forks of living ones */
    unsigned live;
    struct slots slots;
};

/* ---- the zygote ---- */

/* Keeps the capabilities that the zygote needs to put a fork of itself into a jail. They are
 * ambient, to survive exec; the bounding set is empty, so that no exec can add to them. */
static void keep_zygote_caps(void)
{
    /* With CAP_KILL the kernel may kill the guests, which have other uids, when the zygote dies. */
    static const unsigned wanted[] = {CAP_SYS_ADMIN, CAP_SYS_CHROOT, CAP_SYS_PTRACE, CAP_KILL};
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];

    if (syscall(SYS_capget, &head, data) < 0)
        die_sys("read capabilities");
    for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
        data[0].inheritable |= 1u << wanted[i];
    if (syscall(SYS_capset, &head, data) < 0)
        die_sys("set the zygote's capabilities");
    for (int cap = 0; cap < 64 && prctl(PR_CAPBSET_DROP, cap) == 0; cap++)
        ;
    for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
        if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, wanted[i], 0, 0) < 0)
            die_sys("keep the zygote's capabilities");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        die_sys("set no_new_privs");
}

/* The zygote gets its forks' RLIMIT_NOFILE as its soft limit, so that descriptors that it opens
 * have numbers that are valid in the forks. */
static void limit_files(const struct inside *in)
{
    struct rlimit limit;

    for (size_t i = 0; i < in->spec.rlimit_count; i++) {
        if (in->spec.rlimits[i].resource != RLIMIT_NOFILE || getrlimit(RLIMIT_NOFILE, &limit) < 0)
            continue;
        if (in->spec.rlimits[i].value < limit.rlim_max)
            limit.rlim_cur = in->spec.rlimits[i].value;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static _Noreturn void zygote_main(struct inside *in, int nest_fd)
{
    int standard[2]; /* a pipe, as the guests' will be; both ends are the zygote's own */
    const int kept[] = {nest_fd, SPEC_FD_ZYGOTE, SPEC_FD_SPEC};
    int high[ARRAY_LEN(kept)];
    sigset_t none;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    keep_zygote_caps();
    for (size_t i = 0; i < ARRAY_LEN(kept); i++)
        if ((high[i] = fcntl(kept[i], F_DUPFD_CLOEXEC, 64)) < 0)
            die_sys("arrange the zygote's descriptors");
    for (size_t i = 0; i < ARRAY_LEN(kept); i++)
        if (dup2(high[i], ZYGOTE_FD_NEST + (int)i) < 0)
            die_sys("arrange the zygote's descriptors");
    limit_files(in);
    if (pipe(standard) < 0)
        die_sys("make a pipe");
    for (int fd = 0; fd < 3; fd++)
        (void)dup2(standard[fd > 0], fd);
    (void)syscall(SYS_close_range, ZYGOTE_FD_END, ~0U, 0);
    execve(in->spec.exec_path, in->spec.argv, in->spec.envp);
    _exit(127);
}

static void start_zygote(struct nest *n)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        die_sys("make a socket pair");
    n->zygote = fork();
    if (n->zygote < 0)
        die_sys("fork the zygote");
    if (n->zygote == 0)
        zygote_main(n->in, pair[1]);
    close(pair[1]);
    n->zygote_fd = pair[0];
    (void)close(SPEC_FD_ZYGOTE);
}

/* ---- making a jail ---- */

/* Sets our effective uid. The process that makes a user namespace owns it, and may map only its own
 * id into it, so meanwhile we have the jail's uid. The kernel forgets PDEATHSIG then, so it is set
 * again. */
static int have_uid(const struct inside *in, uid_t uid)
{
    if (!in->spec.host_jails)
        return 0;
    return setresuid((uid_t)-1, uid, (uid_t)-1) < 0 ? -1 : prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static pid_t clone_init(const struct warm_request *request, bool *ret_born)
{
    struct clone3_args args = {
        .flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS,
        .exit_signal = SIGCHLD,
    };

    *ret_born = request->enter_v2;
    if (request->enter_v2) {
        args.flags |= 0x200000000ULL; /* CLONE_INTO_CGROUP */
        args.cgroup = (uint64_t)request->enter[request->enter_count];
    }
    return (pid_t)syscall(SYS_clone3, &args, sizeof args);
}

static void report_on(int control, uint32_t kind, const int *fds, size_t count,
                      const struct err *err)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, MSG_MAX);
    wire_put_u32(&b, kind);
    if (err) {
        wire_put_u32(&b, err->kind);
        wire_put_u32(&b, (uint32_t)err->sys);
        wire_put_cstr(&b, err->msg);
    }
    (void)fd_send(control, b.p, b.n, fds, count);
}

static void report_failure(int control, const char *what)
{
    struct err err;

    err_sys(&err, "%s", what);
    report_on(control, MSG_ERROR, NULL, 0, &err);
}

/* The kernel permits 32 nested namespaces of a type, and a limited number for each user. */
static void report_limit(int control)
{
    struct err err;

    err_set(&err, ERR_LIMIT, "the kernel has no more namespaces below the session's");
    report_on(control, MSG_ERROR, NULL, 0, &err);
}

static void become_init(struct nest *n, int control, const struct warm_request *request, bool born)
{
    sigset_t none;

    if (dup3(control, SPEC_FD_CONTROL, O_CLOEXEC) < 0)
        _exit(1);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    n->in->born_inside = born;
    warm_main(n->in, request);
}

static void report_childless(int control)
{
    struct err err;

    err_set(&err, ERR_SYSTEM, "the zygote ended");
    report_on(control, MSG_ERROR, NULL, 0, &err);
}

/* Reports the zygote's end. The library reads the message when it checks that the nest is alive,
 * and starts another nest. */
static void lose_zygote(struct nest *n)
{
    if (!n->ready)
        die(ERR_SYSTEM, "the zygote ended before it was ready");
    fd_close(&n->zygote_fd);
    if (!n->childless)
        report_childless(SPEC_FD_CONTROL);
    n->childless = true;
}

/* The new jail's sockets for names. Its network then keeps the flag of a used one (slots.h). */
static int give_names(struct nest *n, int control)
{
    int fds[FD_MSG_MAX];

    if (!n->in->spec.port_count)
        return 0;
    size_t count = network_open(&n->in->spec, fds);
    if (count == 0)
        return -1;
    network_report(control, fds, count);
    return 0;
}

static void make_jail(struct nest *n, int control, const struct warm_request *request)
{
    bool born;

    if (n->childless) {
        report_childless(control);
        return;
    }
    struct slot *slot = slots_take(&n->slots);
    if (!slot || give_names(n, control) < 0) {
        report_failure(control, "get a network for a warm jail");
        return;
    }
    pid_t pid = have_uid(n->in, slot->uid) < 0 ? -1 : clone_init(request, &born);
    if (pid == 0) {
        n->in->touched = n->in->spec.port_count ? NULL : slots_touched(&n->slots, slot);
        n->in->uid_above = slot->uid;
        become_init(n, control, request, born);
    }
    if (pid < 0)
        report_failure(control, "make the namespaces of a warm jail");
    if (have_uid(n->in, n->in->spec.uid) < 0)
        _exit(1);
    if (pid < 0)
        return;
    slot->init = pid;
    n->live++;
}

static void make_fork(struct nest *n, int control, const struct fork_request *request,
                      int user_space, int pid_space)
{
    if (fork_make(n->in, control, request, user_space, pid_space) == 0)
        return;
    if (errno == ENOSPC || errno == EUSERS || errno == EAGAIN)
        report_limit(control);
    else
        report_failure(control, "make namespaces below the session's");
}

/* ---- requests of the library ---- */

static bool take_request(struct wire *w, const int *fds, size_t count, struct warm_request *ret)
{
    size_t at = 1;
    uint32_t flags = wire_u32(w);

    ret->enter_count = wire_u32(w);
    ret->enter_v2 = flags & MAKE_ENTER_V2;
    size_t wanted = 4 + 2 * !!(flags & MAKE_CHANNEL) + ret->enter_count + ret->enter_v2;
    if (!wire_ok(w) || ret->enter_count > SPEC_ENTER_MAX || count != wanted)
        return false;
    for (int i = 0; i < 3; i++)
        ret->standard[i] = fds[at++];
    for (int i = 0; i < 2; i++)
        ret->channel[i] = flags & MAKE_CHANNEL ? fds[at++] : -1;
    for (size_t i = 0; at < count; i++)
        ret->enter[i] = fds[at++];
    return true;
}

/* The descriptors are in the order of MSG_FORK. */
static void receive_fork(struct nest *n, struct wire *w, const int *fds, size_t count)
{
    layer_mask inherited = wire_u32(w);
    uint32_t enter = wire_u32(w);
    size_t at = 4;
    struct fork_request r = {.given = {.enter_count = enter, .zygote = -1}, .inherited = inherited};

    if (!wire_ok(w) || !n->in->spec.forks || enter > SPEC_ENTER_MAX || count != 10 + enter)
        return;
    r.gate = fds[1];
    r.origin_box = fds[2];
    int pid_space = fds[3];
    int user_space = fds[at++];
    for (int i = 0; i < 3; i++)
        r.given.standard[i] = fds[at++];
    for (int i = 0; i < 2; i++)
        r.given.channel[i] = fds[at++];
    for (uint32_t i = 0; i < enter; i++)
        r.given.enter[i] = fds[at++];
    make_fork(n, fds[0], &r, user_space, pid_space);
}

static void receive_library(struct nest *n)
{
    char message[64];
    int fds[FD_MSG_MAX];
    size_t count = 0;
    ssize_t got = fd_recv(SPEC_FD_CONTROL, message, sizeof message, fds, &count, 0);
    struct wire w = {.rest = {message, got > 0 ? (size_t)got : 0}};
    struct warm_request request = {.zygote = n->zygote_fd};

    uint32_t kind = wire_u32(&w);
    if (got <= 0)
        n->closing = true;
    else if (kind == MSG_MAKE && take_request(&w, fds, count, &request))
        make_jail(n, fds[0], &request);
    else if (kind == MSG_FORK)
        receive_fork(n, &w, fds, count);
    while (count)
        close(fds[--count]);
}

/* ---- ends of children ---- */

static void nest_reap(struct nest *n)
{
    struct signalfd_siginfo info;
    pid_t pid;

    (void)!read(n->signals, &info, sizeof info);
    while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
        if (pid == n->zygote) {
            lose_zygote(n);
            continue;
        }
        n->live -= slots_give_back(&n->slots, pid); /* any other child is an orphan of the zygote */
    }
}

static void receive_ready(struct nest *n)
{
    char byte;
    AUTO_BUF struct buf b = {0};

    if (read(n->zygote_fd, &byte, 1) != 1) {
        lose_zygote(n);
        return;
    }
    n->ready = true;
    buf_init(&b, MSG_MAX);
    wire_put_u32(&b, MSG_STARTED);
    wire_put_u32(&b, n->in->held);
    report_buf(&b);
}

static void watch_children(struct nest *n)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    n->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (n->signals < 0)
        die_sys("watch for children");
}

/* Time without a request, after which we prepare for the next one. */
#define IDLE_MS 2

#define NEST_NEEDS                                                                                 \
    (LAYER_BIT(LAYER_USERNS) | LAYER_BIT(LAYER_PIDNS) | LAYER_BIT(LAYER_MOUNTNS) |                 \
     LAYER_BIT(LAYER_IPCNS) | LAYER_BIT(LAYER_UTSNS) | LAYER_BIT(LAYER_ROOT))

void nest_main(struct inside *in)
{
    struct nest n = {.in = in, .zygote_fd = -1};

    if ((in->held & NEST_NEEDS) != NEST_NEEDS)
        die(ERR_UNSUPPORTED, "warm jails need all namespaces and a private root");
    slots_init(&n.slots, in);
    (void)sched_setaffinity(0, sizeof in->processors, &in->processors);
    watch_children(&n);
    start_zygote(&n);
    /* Each jail's pid 1 gets a full set with its user namespace, but cannot execute a program. */
    drop_bounding(in);
    while (!n.closing || n.live) {
        struct pollfd wait[] = {
            {.fd = n.closing ? -1 : SPEC_FD_CONTROL, .events = POLLIN},
            {.fd = n.signals, .events = POLLIN},
            {.fd = n.zygote_fd, .events = POLLIN},
        };
        int ready = poll(wait, ARRAY_LEN(wait), n.slots.wanting && !n.closing ? IDLE_MS : -1);
        if (ready < 0 && errno != EINTR)
            _exit(1);
        if (ready == 0)
            slots_renew(&n.slots);
        if (wait[1].revents)
            nest_reap(&n);
        if (wait[2].revents)
            receive_ready(&n);
        if (wait[0].revents)
            receive_library(&n);
    }
    _exit(0);
}
