/* SPDX-License-Identifier: Apache-2.0
 *
 * Pid 1 of a container. The engine has built the wall, with an image of the user that may contain
 * nothing but an interpreter. So this helper, which is static, does all the work inside: it lays
 * the files, starts the guest, moves its bytes, counts, kills, and sends the files back.
 * jail/contained_wire.h has the frames.
 *
 * The guest has the same user. It cannot kill this process, because the kernel protects the first
 * process of a pid namespace from signals that come from inside, and cannot inspect it, because it
 * is not dumpable. The backend nevertheless trusts nothing that comes from here.
 *
 * When our input ends, the backend is gone, for whatever reason: we exit, and the kernel kills
 * everything in the namespace.
 */
#include "helper/contained.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "inside/inside.h"
#include "jail/lay.h"
#include "limits/limits.h"

enum { USAGE_MS = 500, CPU_LOOK_MS = 20 };

/* Bytes on their way to the guest; at most CONTAINED_WINDOW. */
struct inlet {
    int fd;
    bool ends; /* close it after these bytes */
    char *bytes;
    size_t at, n;
};

struct contained {
    char *record; /* the plan points into it */
    struct contained_plan plan;
    struct contained_guest guest;
    struct inlet inlets[CONTAINED_WAYS];
    struct contained_arriving arriving;
    int work;
    int signals;
    int status;
    layer_mask held; /* layers in force around this process */
    bool waits;      /* the guest waits for GO */
    bool ended, over;
    int64_t look_ms, usage_ms; /* when to read the control groups next, and when to report */
    int64_t start_ns, end_ns;  /* of the program, counted from the time when it got its job */
    uint64_t reported_cpu;     /* as last reported: only a change is reported */
    uint64_t early_cpu_ns;     /* used before the job was known; does not count for the job */
};

/* ---- to the guest ---- */

static void shut(struct contained *c, enum contained_way way)
{
    struct inlet *in = &c->inlets[way];

    if (in->fd < 0)
        return;
    fd_close(&in->fd);
    in->n = 0;
    contained_send_numbers(CONTAINED_SHUT, (const uint32_t[]){way}, 1);
}

static void receive_bytes(struct contained *c, enum contained_way way, struct str bytes)
{
    struct inlet *in = &c->inlets[way];

    if (in->fd < 0)
        return;
    if (in->n + bytes.n > CONTAINED_WINDOW)
        _exit(CONTAINED_BROKEN);
    memmove(in->bytes, in->bytes + in->at, in->n);
    memcpy(in->bytes + in->n, bytes.p, bytes.n);
    in->at = 0;
    in->n += bytes.n;
    in->ends |= !bytes.n;
    if (in->ends && !in->n)
        fd_close(&in->fd);
}

static void move_in(struct contained *c, enum contained_way way)
{
    struct inlet *in = &c->inlets[way];
    ssize_t done = write(in->fd, in->bytes + in->at, in->n);

    if (done < 0 && errno != EAGAIN && errno != EINTR)
        shut(c, way);
    if (done <= 0)
        return;
    in->at += (size_t)done;
    in->n -= (size_t)done;
    contained_send_numbers(CONTAINED_CREDIT, (const uint32_t[]){way, (uint32_t)done}, 2);
    if (in->ends && !in->n)
        fd_close(&in->fd);
}

/* ---- from the guest ---- */

/* Moves one chunk. Returns false if there is no more for now. */
static bool move_out(int *fd, enum contained_frame kind)
{
    static char piece[CONTAINED_PIECE_MAX];
    ssize_t got;

    do
        got = read(*fd, piece, sizeof piece);
    while (got < 0 && errno == EINTR);
    if (got < 0 && errno == EAGAIN)
        return false;
    if (got > 0)
        contained_send(kind, piece, (size_t)got);
    else if (kind == CONTAINED_CHANNEL_OUT)
        contained_send(kind, "", 0);
    if (got <= 0)
        fd_close(fd);
    return got > 0;
}

/* Moves the rest of the pipes of a dead guest. */
static void drain(struct contained *c)
{
    struct contained_guest *g = &c->guest;

    while (g->out >= 0 && move_out(&g->out, CONTAINED_OUT))
        ;
    while (g->err >= 0 && move_out(&g->err, CONTAINED_ERR))
        ;
    while (g->from >= 0 && move_out(&g->from, CONTAINED_CHANNEL_OUT))
        ;
}

/* ---- counting ---- */

static void get_usage(const struct contained *c, struct contained_usage *ret)
{
    contained_usage(ret);
    ret->cpu_ns -= ret->cpu_ns < c->early_cpu_ns ? ret->cpu_ns : c->early_cpu_ns;
}

static void send_usage(struct contained *c, bool always)
{
    AUTO_BUF struct buf b = {0};
    struct contained_usage use;

    get_usage(c, &use);
    c->usage_ms = clock_mono_ms() + USAGE_MS;
    if (!always && use.cpu_ns / 1000000 == c->reported_cpu)
        return;
    c->reported_cpu = use.cpu_ns / 1000000;
    buf_init(&b, 64);
    wire_put_u64(&b, use.cpu_ns);
    wire_put_u64(&b, use.memory_now);
    wire_put_u64(&b, use.memory_peak);
    contained_send_buf(CONTAINED_USAGE, &b);
}

/* ---- the end ---- */

/* Kills every other process. Processes that fork all the time cannot escape: fork fails in a
 * process that has a pending SIGKILL. */
static void kill_all(struct contained *c)
{
    int status;
    pid_t pid;

    do {
        (void)kill(-1, SIGKILL);
        pid = waitpid(-1, &status, 0);
        if (pid == c->guest.pid && !c->ended) {
            c->ended = true;
            c->status = status;
        }
    } while (pid > 0 || (pid < 0 && errno == EINTR));
}

/* The program may end before the backend reads that it has started, so its time is measured here.
 */
static void send_end(const struct contained *c)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 64);
    wire_put_u32(&b, (uint32_t)c->status);
    wire_put_u64(&b, (uint64_t)(c->end_ns - c->start_ns));
    contained_send_buf(CONTAINED_ENDED, &b);
}

static void contained_finish(struct contained *c)
{
    if (c->over)
        return;
    c->end_ns = clock_mono_ns();
    kill_all(c);
    drain(c);
    contained_send_limits(c->work);
    send_usage(c, true);
    contained_filter_report();
    send_end(c);
    contained_send(CONTAINED_OVER, "", 0);
    for (int i = 0; i < CONTAINED_WAYS; i++)
        fd_close(&c->inlets[i].fd);
    c->over = true;
}

static void contained_reap(struct contained *c)
{
    struct signalfd_siginfo info;
    int status;
    pid_t pid;

    (void)!read(c->signals, &info, sizeof info);
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        if (pid == c->guest.pid) {
            c->status = status;
            c->ended = true;
        }
    if (c->ended)
        contained_finish(c);
}

static void check_limits(struct contained *c)
{
    struct contained_usage use;

    if (c->over || c->waits || clock_mono_ms() < c->look_ms)
        return;
    c->look_ms = clock_mono_ms() + CPU_LOOK_MS;
    get_usage(c, &use);
    if (c->plan.cpu_ms && use.cpu_ns / 1000000 >= c->plan.cpu_ms) {
        contained_send_limit(LIMIT_CPU);
        contained_finish(c);
    } else if (contained_is_watching() && use.oom_kills) {
        contained_finish(c);
    } else if (clock_mono_ms() >= c->usage_ms) {
        send_usage(c, false);
    }
}

/* ---- requests ---- */

static _Noreturn void contained_fail(const struct err *err)
{
    contained_send_err(CONTAINED_FAILED, err);
    _exit(1);
}

static void remove_file(const struct contained *c, const char *path)
{
    struct err err = {0};

    (void)contained_remove(c->work, path, &err);
    contained_send_err(CONTAINED_DONE, &err);
}

static void place_file(struct contained *c, const char *path)
{
    contained_put_end(&c->arriving, c->work, path);
    contained_send_err(CONTAINED_DONE, &c->arriving.err);
}

static void report_start(struct contained *c)
{
    const uint32_t held = c->held | (c->guest.filtered ? LAYER_BIT(LAYER_SECCOMP) : 0);

    if (held != c->held)
        contained_send_numbers(CONTAINED_HELD, &held, 1);
    c->start_ns = clock_mono_ns();
    contained_send(CONTAINED_STARTED, "", 0);
    contained_filter_report();
}

/* Gives a job to a program that is already started. */
static void go(struct contained *c, struct str words)
{
    const struct lay_limits limits = {c->plan.disk_bytes, c->plan.inodes};
    struct err err = {0};
    struct contained_usage early;
    int result = c->ended ? err_set(&err, ERR_SYSTEM, "the program ended while it waited") : 0;

    if (result == 0)
        contained_wait_remove(c->work, &c->plan);
    if (result == 0 && c->plan.has_lay)
        result = lay_receive(STDIN_FILENO, c->work, limits, &err);
    if (result < 0)
        contained_fail(&err);
    contained_usage(&early);
    c->early_cpu_ns = early.cpu_ns;
    c->waits = false;
    report_start(c);
    contained_wait_over(c->work, &c->plan, &c->guest, words);
}

static uint64_t files_most(const struct contained *c)
{
    return c->plan.disk_bytes ? c->plan.disk_bytes : CONTAINED_FILES_MOST;
}

static void contained_receive(struct contained *c)
{
    uint32_t kind;
    size_t n;
    size_t most = c->waits ? CONTAINED_PLAN_MAX : CONTAINED_PIECE_MAX;
    AUTO_FREE char *bytes = contained_read(most, &kind, &n);

    if (kind == CONTAINED_GO && c->waits)
        go(c, (struct str){bytes, n});
    else if (kind == CONTAINED_IN)
        receive_bytes(c, CONTAINED_TO_STDIN, (struct str){bytes, n});
    else if (kind == CONTAINED_CHANNEL_IN)
        receive_bytes(c, CONTAINED_TO_CHANNEL, (struct str){bytes, n});
    else if (kind == CONTAINED_CHANNEL_SHUT)
        fd_close(&c->guest.from);
    else if (kind == CONTAINED_INTERRUPT && !c->ended)
        (void)kill(-c->guest.pid, SIGINT);
    else if (kind == CONTAINED_KILL)
        contained_finish(c);
    else if (kind == CONTAINED_FILES)
        contained_files(c->work, files_most(c), c->over, n == 1 && bytes[0] == 0);
    else if (kind == CONTAINED_PUT)
        contained_put_begin(&c->arriving, c->work);
    else if (kind == CONTAINED_BYTES)
        contained_put_bytes(&c->arriving, (struct str){bytes, n});
    else if (kind == CONTAINED_PLACE)
        place_file(c, bytes);
    else if (kind == CONTAINED_REMOVE)
        remove_file(c, bytes);
    else if (kind == CONTAINED_LOOK)
        contained_send_activity(c->work);
}

/* ---- the loop ---- */

static struct pollfd inlet_poll(const struct inlet *in)
{
    return (struct pollfd){.fd = in->fd, .events = in->n ? POLLOUT : 0};
}

static void move_inlet(struct contained *c, enum contained_way way, short revents)
{
    if (c->inlets[way].fd < 0)
        return;
    if (revents & POLLERR)
        shut(c, way);
    else if (revents & POLLOUT)
        move_in(c, way);
}

static void serve_once(struct contained *c)
{
    struct contained_guest *g = &c->guest;
    struct pollfd polls[] = {
        {.fd = STDIN_FILENO, .events = POLLIN},
        {.fd = c->over ? -1 : c->signals, .events = POLLIN},
        {.fd = c->waits ? -1 : g->out, .events = POLLIN},
        {.fd = c->waits ? -1 : g->err, .events = POLLIN},
        {.fd = c->waits ? -1 : g->from, .events = POLLIN},
        inlet_poll(&c->inlets[CONTAINED_TO_STDIN]),
        inlet_poll(&c->inlets[CONTAINED_TO_CHANNEL]),
        contained_filter_poll(),
    };
    bool looks = c->plan.cpu_ms || contained_is_watching();
    int wait_ms = c->over || c->waits ? -1 : looks ? CPU_LOOK_MS : USAGE_MS;

    if (poll(polls, ARRAY_LEN(polls), wait_ms) < 0)
        return;
    if (polls[2].revents)
        (void)move_out(&g->out, CONTAINED_OUT);
    if (polls[3].revents)
        (void)move_out(&g->err, CONTAINED_ERR);
    if (polls[4].revents)
        (void)move_out(&g->from, CONTAINED_CHANNEL_OUT);
    move_inlet(c, CONTAINED_TO_STDIN, polls[5].revents);
    move_inlet(c, CONTAINED_TO_CHANNEL, polls[6].revents);
    if (polls[7].revents)
        contained_filter_answer(polls[7].revents);
    if (polls[0].revents && contained_is_frame())
        contained_receive(c);
    if (polls[1].revents && !c->over)
        contained_reap(c);
    check_limits(c);
}

/* ---- the start ---- */

/* Fails if a required layer is missing. The caller omits LAYER_SECCOMP: a guest that needs our
 * filter and cannot enter it does not start. */
static int contained_check_required(layer_mask missing, struct err *err)
{
    if (!missing)
        return 0;
    return err_set(err, ERR_UNSUPPORTED,
                   "layer %s is required, and is missing where the program would run",
                   jail_layers[__builtin_ctz(missing)].name);
}

static int contained_prepare(struct contained *c, struct err *err)
{
    const struct lay_limits limits = {c->plan.disk_bytes, c->plan.inodes};

    if (contained_check_required(c->plan.required & ~(c->held | LAYER_BIT(LAYER_SECCOMP)), err) < 0)
        return -1;
    if ((c->work = contained_make_workspace(err)) < 0)
        return -1;
    if (c->held & LAYER_BIT(LAYER_SECCOMP))
        c->plan.required &= ~LAYER_BIT(LAYER_SECCOMP);
    c->waits = c->plan.waits;
    if (c->waits)
        return contained_wait(c->work, &c->plan, &c->guest, err);
    if (c->plan.has_lay && lay_receive(STDIN_FILENO, c->work, limits, err) < 0)
        return -1;
    return contained_start(&c->plan, &c->guest, err);
}

static void watch_children(struct contained *c)
{
    sigset_t children;

    (void)signal(SIGPIPE, SIG_IGN);
    (void)sigemptyset(&children);
    (void)sigaddset(&children, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &children, NULL);
    c->signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void read_plan(struct contained *c)
{
    uint32_t kind;
    size_t n;

    c->record = contained_read(CONTAINED_PLAN_MAX, &kind, &n);
    if (kind != CONTAINED_PLAN || !contained_plan_get((struct str){c->record, n}, &c->plan))
        _exit(CONTAINED_BROKEN);
}

int contained_main(void)
{
    static struct contained c = {.work = -1, .arriving = {.fd = -1}};
    struct err err = {0};

    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    umask(022);
    watch_children(&c);
    read_plan(&c);
    c.held = contained_layers();
    contained_send_numbers(CONTAINED_HELD, &c.held, 1);
    if (contained_prepare(&c, &err) < 0)
        contained_fail(&err);
    for (int i = 0; i < CONTAINED_WAYS; i++)
        c.inlets[i].bytes = xmalloc(CONTAINED_WINDOW);
    c.inlets[CONTAINED_TO_STDIN].fd = c.guest.in;
    c.inlets[CONTAINED_TO_CHANNEL].fd = c.guest.to;
    if (contained_is_watching())
        contained_number_input();
    if (c.waits)
        contained_send(CONTAINED_WAITS, "", 0);
    else
        report_start(&c);
    for (;;)
        serve_once(&c);
}
