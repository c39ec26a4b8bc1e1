/* SPDX-License-Identifier: Apache-2.0 */
#include "jail/pool_make.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"

#define NEST_MS    30000 /* a zygote may have much to load */
#define JAIL_MS    5000
#define PIPE_BYTES 65536

static const struct pool_jail nothing = {.pipes = {-1, -1, -1}, .channel = {-1, -1, -1}};

static int receive_until(struct jail *jail, enum jail_event_kind wanted, int64_t limit_ms,
                         struct err *err)
{
    struct jail_event event = {.kind = JAIL_NOTHING};
    int64_t until = clock_mono_ms() + limit_ms, left;

    while ((left = until - clock_mono_ms()) > 0) {
        struct pollfd wait = {.fd = jail_fd(jail), .events = POLLIN};
        if (poll(&wait, 1, (int)left) <= 0)
            continue;
        jail_receive(jail, &event);
        if (event.kind == wanted)
            return 0;
        if (event.kind == JAIL_FAILED) {
            *err = event.error;
            return -1;
        }
        if (event.kind == JAIL_GONE)
            return err_set(err, ERR_SYSTEM, "a warm jail ended before it was ready");
    }
    return err_set(err, ERR_SYSTEM, "a warm jail was not ready after %d s", (int)(limit_ms / 1000));
}

int pool_make_nest(const struct jail_spec *plan, struct jail **ret, struct err *err)
{
    struct jail_fds fds = {.in = -1, .out = -1, .err = -1, .lay = -1, .channel = {-1, -1}};
    AUTO_CLOSE int zygote = jail_open_zygote(err);

    if (zygote < 0)
        return -1;
    fds.zygote = zygote;
    struct jail_spec spec = *plan; /* borrows the strings; other threads read the plan meanwhile */
    spec.nest = true;
    if (jail_start(&spec, &fds, ret, err) < 0)
        return -1;
    if (receive_until(*ret, JAIL_STARTED, NEST_MS, err) == 0)
        return 0;
    jail_free(*ret);
    *ret = NULL;
    return -1;
}

static int make_pipes(int ours[3], int theirs[3], struct err *err)
{
    for (int i = 0; i < 3; i++) {
        int ends[2];
        if (fd_pipe_for_guest(ends, err) < 0)
            return -1;
        ours[i] = ends[i == 0];
        theirs[i] = ends[i != 0];
        if (fd_nonblock(ours[i], true) < 0)
            return err_sys(err, "prepare a pipe");
    }
    return 0;
}

static void put_group(struct cgroup *group, struct jail_spec *spec, struct jail_fds *fds)
{
    spec->enter_count = (uint32_t)cgroup_enter_fds(group, fds->enter);
    fds->enter[spec->enter_count] = cgroup_dir_fd(group);
    spec->enter_v2 = fds->enter[spec->enter_count] >= 0;
}

static int pool_make_start(struct jail *nest, const struct pool_order *order, const int theirs[3],
                           struct pool_jail *ret, struct err *err)
{
    struct jail_fds fds = {.in = theirs[0], .out = theirs[1], .err = theirs[2], .lay = -1};
    struct jail_spec spec = {.channel = order->channel != NULL};

    if (order->channel)
        memcpy(fds.channel, order->channel, sizeof fds.channel);
    put_group(ret->group, &spec, &fds);
    if (order->origin)
        cgroup_use_once(ret->group);
    if (order->origin)
        return jail_fork(nest, &spec, &fds, order->origin, &ret->jail, err);
    return jail_make(nest, &spec, &fds, &ret->jail, err);
}

int pool_make_jail(struct jail *nest, const struct pool_order *order, struct pool_jail *ret,
                   struct err *err)
{
    int theirs[3] = {-1, -1, -1};

    *ret = nothing;
    int result = cgroup_open(order->limits, order->layers & CGROUP_LAYERS, &ret->group, err);
    if (result == 0)
        result = make_pipes(ret->pipes, theirs, err);
    if (result == 0)
        result = pool_make_start(nest, order, theirs, ret, err);
    for (int i = 0; i < 3; i++)
        fd_close(&theirs[i]);
    if (result == 0) {
        (void)cgroup_oom_fd(ret->group); /* opens the descriptor now, while no run waits for it */
        result = receive_until(ret->jail, JAIL_READY, JAIL_MS, err);
    }
    if (result < 0)
        pool_jail_done(ret);
    return result;
}

/* ---- by itself ---- */

/* The layers that a waiting jail needs on this host; without them its run starts cold, and reports
 * why. */
#define ALONE_NEEDS (LAYER_BIT(LAYER_PIDNS) | LAYER_BIT(LAYER_MOUNTNS) | LAYER_BIT(LAYER_ROOT))

/* The text must fit into the pipe's buffer: nothing reads yet, so a longer write would block
 * forever. */
static int pool_make_put_text(int channel, struct str text, struct err *err)
{
    if (text.n > PIPE_BYTES && fcntl(channel, F_SETPIPE_SZ, (int)text.n) < 0)
        return err_sys(err, "make a channel for %zu bytes", text.n);
    if (text.n && write(channel, text.p, text.n) != (ssize_t)text.n)
        return err_set(err, ERR_SYSTEM, "a channel did not take %zu bytes", text.n);
    return 0;
}

static int make_channel(int ours[3], int theirs[2], struct str text, struct err *err)
{
    int down[2], up[2];

    if (fd_pipe_for_guest(down, err) < 0)
        return -1;
    ours[2] = down[0];
    ours[0] = down[1];
    if (fd_pipe_for_guest(up, err) < 0)
        return -1;
    ours[1] = up[0];
    theirs[1] = up[1];
    theirs[0] = fcntl(ours[2], F_DUPFD_CLOEXEC, 0);
    if (theirs[0] < 0)
        return err_sys(err, "copy a channel's end");
    if (fd_nonblock(ours[0], true) < 0 || fd_nonblock(ours[1], true) < 0)
        return err_sys(err, "prepare a channel");
    return pool_make_put_text(ours[0], text, err);
}

static int start_alone(const struct jail_spec *plan, const struct pool_order *order,
                       const int theirs[3], const int channel[2], struct pool_jail *ret,
                       struct err *err)
{
    struct jail_fds fds = {.in = theirs[0], .out = theirs[1], .err = theirs[2], .lay = -1};
    struct jail_spec spec = *plan; /* borrows the strings */

    memcpy(fds.channel, channel, sizeof fds.channel);
    put_group(ret->group, &spec, &fds);
    spec.pids_held = cgroup_held(ret->group) & LAYER_BIT(LAYER_PIDS);
    if (jail_start(&spec, &fds, &ret->jail, err) < 0 ||
        receive_until(ret->jail, JAIL_READY, JAIL_MS, err) < 0)
        return -1;
    if (order->layers & ALONE_NEEDS & ~jail_state(ret->jail)->held)
        return err_set(err, ERR_UNSUPPORTED, "waiting jails need namespaces and a private root");
    return 0;
}

int pool_make_alone(const struct jail_spec *plan, const struct pool_order *order,
                    const struct pool_alone *more, struct pool_jail *ret, struct err *err)
{
    int theirs[3] = {-1, -1, -1}, channel[2] = {-1, -1};

    *ret = nothing;
    int result = cgroup_open(order->limits, order->layers & CGROUP_LAYERS, &ret->group, err);
    if (result == 0)
        result = make_pipes(ret->pipes, theirs, err);
    if (result == 0 && plan->channel)
        result = make_channel(ret->channel, channel, more->text, err);
    if (!more->input) {
        fd_close(&theirs[0]);
        fd_close(&ret->pipes[0]);
    }
    if (result == 0)
        result = start_alone(plan, order, theirs, channel, ret, err);
    for (int i = 0; i < 3; i++)
        fd_close(&theirs[i]);
    for (int i = 0; i < 2; i++)
        fd_close(&channel[i]);
    if (result < 0)
        pool_jail_done(ret);
    return result;
}

void pool_jail_done(struct pool_jail *jail)
{
    jail_free(jail->jail);
    cgroup_close(jail->group);
    for (int i = 0; i < 3; i++)
        fd_close(&jail->pipes[i]);
    for (int i = 0; i < 3; i++)
        fd_close(&jail->channel[i]);
    *jail = nothing;
}
