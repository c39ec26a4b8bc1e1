/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/local_parts.h"

#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"

#define LEAVE_MS         5000
#define SOCKETS_AFTER_MS 50 /* most runs are over by then */

void local_hit(struct local_guest *l, enum jail_limit_hit limit)
{
    if (l->out->limits_hit & limit)
        return;
    l->out->limits_hit |= limit;
    if (l->sink->limit)
        l->sink->limit(l->sink->ctx, limit);
}

/* Kills all processes of the guest. Killing pid 1 ends its namespace at once. Killing the control
 * group also lifts the quota of processor time, so that processes exit faster, and reaches all of
 * them if there is no namespace. Forks below this guest need both, so its init is asked first to
 * end without them. A guest can stop the inits of its forks: an init that does not answer within
 * LEAVE_MS is killed as well. */
static void kill_all(struct local_guest *l)
{
    l->ended = true;
    if (!l->leave_until_ms && fork_tree_has_below(l)) {
        jail_leave(l->jail);
        l->leave_until_ms = clock_mono_ms() + LEAVE_MS;
        return;
    }
    if (l->leave_until_ms && clock_mono_ms() < l->leave_until_ms)
        return;
    l->leave_until_ms = 0;
    jail_kill(l->jail);
    cgroup_kill(l->group);
}

static void hit_and_kill(struct local_guest *l, enum jail_limit_hit limit)
{
    uint64_t used = local_cpu_ns(l); /* afterwards no process is left to inspect */

    if (used > l->cpu_ns)
        l->cpu_ns = used;
    local_hit(l, limit);
    kill_all(l);
}

void local_hit_memory(struct local_guest *l)
{
    if (l->host_oom || l->out->limits_hit & (LIMIT_MEMORY | LIMIT_GUESTS))
        return; /* the first kill has the cause; it may have caused others */
    switch (cgroup_oom_cause(l->group)) {
    case CGROUP_OOM_OWN:
        local_hit(l, LIMIT_MEMORY);
        break;
    case CGROUP_OOM_ALL:
        local_hit(l, LIMIT_GUESTS);
        break;
    case CGROUP_OOM_HOST:
        l->host_oom = true;
        break;
    }
}

/* ---- events ---- */

void local_note_lost(struct local_guest *l)
{
    const struct jail_state *state = jail_state(l->jail);

    memcpy(l->out->lost, state->lost, sizeof state->lost);
    l->out->lost_count = state->lost_count;
}

static void local_on_started(struct local_guest *l)
{
    outcome_phase(l->out, "start");
    l->out->started = true;
    l->out->held = jail_state(l->jail)->held | cgroup_held(l->group);
    l->has_root = l->out->held & LAYER_BIT(LAYER_ROOT);
    local_note_lost(l);
    if (local_net_open(l, &l->error) < 0) {
        l->out->started = false;
        kill_all(l);
        return;
    }
    l->start_ns = clock_mono_ns();
    l->sockets_ms = clock_mono_ms() + SOCKETS_AFTER_MS;
    l->deadline_ms = l->job->limits.wall_ms ? clock_mono_ms() + l->job->limits.wall_ms : INT64_MAX;
    local_join(l);
    if (l->sink->started)
        l->sink->started(l->sink->ctx, l->out->held);
}

/* True if only init and the guest are left: the rest of the exit is work for the kernel, and can
 * happen after the result is sent. Any other process may still act. The peak of memory must be
 * known: it comes from the control group, or otherwise from the process that waits for the guest.
 */
static bool is_as_good_as_dead(struct local_guest *l)
{
    uint64_t tasks = cgroup_tasks(l->group);

    if (!tasks || tasks > 2)
        return false;
    cgroup_usage(l->group, &l->usage);
    return l->usage.memory_peak != 0;
}

static void note_exit(struct local_guest *l)
{
    outcome_phase(l->out, "program");
    l->out->wall_ns = clock_mono_ns() - l->start_ns;
    l->deadline_ms = INT64_MAX;
    l->over = jail_state(l->jail)->alone;
}

static void on_leaving(struct local_guest *l)
{
    l->leaving = true;
    if (!is_as_good_as_dead(l)) {
        jail_let_exit(l->jail);
        return;
    }
    jail_settle(l->jail);
    note_exit(l);
}

/* Init reports the time limit. Its clock started with the guest; ours started later, when we read
 * of the start, so it is corrected. */
static void on_late(struct local_guest *l)
{
    int64_t wall_ns = l->job->limits.wall_ms * 1000000;

    local_hit(l, LIMIT_WALL);
    l->ended = true;
    l->deadline_ms = INT64_MAX;
    if (l->start_ns > clock_mono_ns() - wall_ns)
        l->start_ns = clock_mono_ns() - wall_ns;
}

static void on_jail(struct local_guest *l)
{
    struct jail_event event;

    jail_receive(l->jail, &event);
    switch (event.kind) {
    case JAIL_STARTED:
        local_on_started(l);
        break;
    case JAIL_DENIED:
        if (l->sink->denied)
            l->sink->denied(l->sink->ctx, event.name, event.count);
        break;
    case JAIL_LEAVING:
        on_leaving(l);
        break;
    case JAIL_EXITED:
        note_exit(l);
        if (l->tree)
            kill_all(l); /* its init stays until it is asked to end */
        break;
    case JAIL_LEFT:
        l->over = true;
        break;
    case JAIL_FAILED:
        l->error = event.error; /* even after JAIL_STARTED: the interpreter could not be executed */
        l->out->started = false;
        break;
    case JAIL_LATE:
        on_late(l);
        break;
    case JAIL_ORPHANED:
        l->orphaned = true;
        kill_all(l);
        break;
    case JAIL_GONE:
        l->over = true;
        break;
    case JAIL_READY:
    case JAIL_NOTHING:
        break;
    }
}

#define OOM_LOOK_MS    100
#define OOM_LOOK_EVERY 2

/* cgroup v1 reports that memory has run out before it chooses a process to kill; v2 also reports it
 * if it could then free some. So we read the counters a few times. */
static void look_for_oom(struct local_guest *l, bool reported)
{
    struct cgroup_usage use;

    if (reported)
        l->oom_until_ms = clock_mono_ms() + OOM_LOOK_MS;
    if (!l->oom_until_ms)
        return;
    cgroup_usage(l->group, &use);
    if (use.oom_kills) {
        local_hit_memory(l);
        kill_all(l);
    } else if (clock_mono_ms() > l->oom_until_ms) {
        cgroup_oom_over(l->group);
    } else {
        return;
    }
    l->oom_until_ms = 0;
}

static void enforce(struct local_guest *l, enum jail_limit_hit over)
{
    if (over)
        hit_and_kill(l, over);
}

/* True if its jail has sent a message that is not read yet. */
static bool has_word(const struct local_guest *l)
{
    return !l->over && fd_readable(jail_fd(l->jail));
}

/* Enforces the deadline. Unread messages of the jail come first, however late we read them: the
 * guest may have ended in time. */
static void check_deadline(struct local_guest *l)
{
    if (clock_mono_ms() < l->deadline_ms || has_word(l))
        return;
    l->deadline_ms = INT64_MAX;
    if (l->out->started && !l->leaving)
        hit_and_kill(l, LIMIT_WALL);
    else
        kill_all(l);
}

static void check_leaving(struct local_guest *l)
{
    if (l->leave_until_ms && !l->over && clock_mono_ms() >= l->leave_until_ms)
        kill_all(l);
}

static int poll_timeout(const struct local_guest *l)
{
    int64_t left = l->deadline_ms == INT64_MAX ? 60000 : l->deadline_ms - clock_mono_ms();

    if (local_watch_due(l) != INT64_MAX && left > l->watch_ms - clock_mono_ms())
        left = l->watch_ms - clock_mono_ms();
    if (local_sockets_due(l) != INT64_MAX && left > l->sockets_ms - clock_mono_ms())
        left = l->sockets_ms - clock_mono_ms();
    if (l->leave_until_ms && left > l->leave_until_ms - clock_mono_ms())
        left = l->leave_until_ms - clock_mono_ms();
    if (l->oom_until_ms && left > OOM_LOOK_EVERY)
        left = OOM_LOOK_EVERY;
    return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

static void step(struct local_guest *l, int most_ms)
{
    enum { CONTROL = PUMP_POLLS, CANCEL, OOM, CHANNEL, COUNT };
    struct pollfd polls[COUNT];

    pump_polls(&l->pump, polls);
    polls[CONTROL] = (struct pollfd){.fd = jail_fd(l->jail), .events = POLLIN};
    polls[CANCEL] =
        (struct pollfd){.fd = l->out->cancelled ? -1 : l->sink->cancel_fd, .events = POLLIN};
    polls[OOM] = (struct pollfd){.fd = l->oom_fd, .events = POLLIN | POLLPRI};
    polls[CHANNEL] =
        (struct pollfd){.fd = l->sink->channel ? l->sink->channel_fd : -1, .events = POLLIN};
    int wait_ms = poll_timeout(l);
    if (poll(polls, COUNT, most_ms >= 0 && most_ms < wait_ms ? most_ms : wait_ms) < 0)
        return;
    /* The start is reported before output, the end after it. Other messages may precede the start.
     */
    bool is_start = polls[CONTROL].revents && !l->out->started;
    if (is_start)
        do {
            on_jail(l);
        } while (!l->out->started && has_word(l));
    pump_step(&l->pump, polls);
    if (polls[CANCEL].revents) {
        l->out->cancelled = true;
        kill_all(l);
    }
    if (polls[CHANNEL].revents)
        l->sink->channel(l->sink->ctx);
    look_for_oom(l, polls[OOM].revents);
    if (polls[CONTROL].revents && !is_start)
        on_jail(l);
    enforce(l, local_watch_over(l));
    enforce(l, local_sockets_over(l));
    check_deadline(l);
    check_leaving(l);
}

struct local_guest *local_new(const struct backend_job *job, const struct backend_sink *sink,
                              struct backend_outcome *out)
{
    struct local_guest *l = xcalloc(1, sizeof *l);

    out->wanted = job->layers & ~(job->net_host ? LAYER_BIT(LAYER_NETNS) : 0);
    *l = (struct local_guest){.job = job,
                              .sink = sink,
                              .out = out,
                              .lay_write = -1,
                              .oom_fd = -1,
                              .work_fd = -1,
                              .box_fd = -1,
                              .inherited = {.origin = -1},
                              .channel = {-1, -1, -1}};
    l->pump = (struct pump){.in = -1, .out = {-1, -1}, .theirs = {-1, -1, -1}, .sink = sink};
    spec_init(&l->spec);
    return l;
}

/* ---- the table's entries ---- */

struct local_guest *local_of(struct backend_guest *guest)
{
    return (struct local_guest *)guest;
}

int local_open(const struct backend_job *job, const struct backend_sink *sink,
               struct backend_outcome *ret, struct backend_guest **ret_guest, struct err *err)
{
    struct local_guest *l = local_new(job, sink, ret);
    int result = local_start(l, err);

    while (result == 0 && !l->over && !ret->started)
        step(l, -1);
    if (result == 0 && ret->started) {
        *ret_guest = &l->base;
        return 0;
    }
    if (result == 0 && local_finish(l, err) == 0)
        err_set(err, ERR_TIMEOUT, "stopped before the program started");
    local_leave(l);
    local_close(&l->base);
    return -1;
}

void local_step(struct backend_guest *guest, int timeout_ms)
{
    struct local_guest *l = local_of(guest);

    if (!l->over)
        step(l, timeout_ms);
}

bool local_pending(const struct backend_guest *guest)
{
    return has_word((const struct local_guest *)guest);
}

/* A guest that used no processor time since the last look took no memory either. */
void local_look(struct backend_guest *guest)
{
    struct local_guest *l = local_of(guest);
    struct cgroup_usage use;

    if (l->over)
        return;
    enforce(l, local_watch_over(l));
    cgroup_usage(l->group, &use);
    if (use.cpu_ns && use.cpu_ns == l->looked_cpu_ns)
        return;
    l->looked_cpu_ns = use.cpu_ns;
    enforce(l, local_sockets_over(l));
}

int local_end(struct backend_guest *guest, struct err *err)
{
    struct local_guest *l = local_of(guest);

    if (!l->over) {
        kill_all(l);
        l->deadline_ms = INT64_MAX;
        while (!l->over)
            step(l, -1);
    }
    int result = local_finish(l, err);
    local_leave(l);
    return result;
}
