/* SPDX-License-Identifier: Apache-2.0
 *
 * The entries of a backend's table with their defaults, and the loop of a run over them.
 */
#include <stddef.h>

#include "backends/backend.h"
#include "base/clock.h"
#include "base/mem.h"

enum { PROGRESS_MS = 1000 };

const char *const backend_ability_names[BACKEND_ABILITIES] = {
    [CAN_RUN] = "run",           [CAN_SESSIONS] = "sessions",
    [CAN_FORKS] = "forks",       [CAN_FILES] = "files",
    [CAN_TOOLS] = "tools",       [CAN_STREAM] = "stream",
    [CAN_WARM] = "warm",         [CAN_CLOSE_NET] = "close-net",
    [CAN_HOST_NET] = "host-net", [CAN_NAMED_NET] = "named-net",
    [CAN_PACKAGES] = "packages", [CAN_PAUSE] = "pause",
    [CAN_COMMIT] = "commit",
#define JAIL_LIMIT(id, type, member, name) [CAN_LIMIT_##id] = "limit-" name,
#include "limits/limits.def"
};

const char *backend_why_not(const struct backend *backend, enum backend_ability ability)
{
    return backend->can(ability).why_not;
}

struct backend_need backend_need(const struct backend *backend, enum backend_ability ability)
{
    if (backend->need)
        return backend->need(ability);
    return (struct backend_need){.why_not = backend_why_not(backend, ability)};
}

int backend_open(const struct backend *backend, const struct backend_job *job,
                 const struct backend_sink *sink, struct backend_outcome *ret,
                 struct backend_guest **ret_guest, struct err *err)
{
    *ret_guest = NULL;
    ret->backend = backend;
    if (backend->open(job, sink, ret, ret_guest, err) < 0)
        return -1;
    (*ret_guest)->backend = backend;
    return 0;
}

void backend_step(struct backend_guest *guest, int timeout_ms)
{
    guest->backend->step(guest, timeout_ms);
}

enum backend_state backend_state(const struct backend_guest *guest)
{
    return guest->backend->state(guest);
}

void backend_deadline(struct backend_guest *guest, int64_t wall_ms)
{
    guest->backend->deadline(guest, wall_ms);
}

int backend_end(struct backend_guest *guest, struct err *err)
{
    return guest->backend->end(guest, err);
}

void backend_close(struct backend_guest *guest)
{
    if (guest)
        guest->backend->close(guest);
}

void backend_interrupt(struct backend_guest *guest)
{
    if (guest->backend->interrupt)
        guest->backend->interrupt(guest);
}

bool backend_pending(const struct backend_guest *guest)
{
    return guest->backend->pending && guest->backend->pending(guest);
}

void backend_drain(struct backend_guest *guest)
{
    if (guest->backend->drain)
        guest->backend->drain(guest);
}

void backend_look(struct backend_guest *guest)
{
    if (guest->backend->look)
        guest->backend->look(guest);
}

void backend_usage(struct backend_guest *guest, struct backend_usage *ret)
{
    *ret = (struct backend_usage){0};
    if (guest->backend->usage)
        guest->backend->usage(guest, ret);
}

bool backend_channel(struct backend_guest *guest, int ret[3])
{
    return guest->backend->channel && guest->backend->channel(guest, ret);
}

int backend_fork(struct backend_guest *origin, const struct backend_job *job,
                 const struct backend_sink *sink, struct backend_outcome *ret,
                 struct backend_guest **ret_guest, struct err *err)
{
    const struct backend *backend = origin->backend;

    *ret_guest = NULL;
    if (!backend->fork)
        return err_set(err, ERR_UNSUPPORTED, "%s (backend %s)", backend_why_not(backend, CAN_FORKS),
                       backend->name);
    ret->backend = backend;
    if (backend->fork(origin, job, sink, ret, ret_guest, err) < 0)
        return -1;
    (*ret_guest)->backend = backend;
    return 0;
}

int backend_forked(struct backend_guest *guest, struct err *err)
{
    return guest->backend->forked(guest, err);
}

int backend_seal(struct backend_guest *guest, struct err *err)
{
    return guest->backend->seal ? guest->backend->seal(guest, err) : 0;
}

int backend_unseal(struct backend_guest *guest, struct err *err)
{
    return guest->backend->unseal ? guest->backend->unseal(guest, err) : 0;
}

struct net_line *backend_network(struct backend_guest *guest)
{
    return guest->backend->network ? guest->backend->network(guest) : NULL;
}

static void step_to_end(struct backend_guest *guest, const struct backend_sink *sink)
{
    int64_t next = clock_mono_ms() + PROGRESS_MS;

    while (backend_state(guest) != BACKEND_OVER) {
        bool reports = sink->progress && backend_state(guest) == BACKEND_RUNS;
        int64_t left = next - clock_mono_ms();
        backend_step(guest, !reports ? -1 : left > 0 ? (int)left : 0);
        if (!reports || clock_mono_ms() < next || backend_state(guest) != BACKEND_RUNS)
            continue;
        next = clock_mono_ms() + PROGRESS_MS;
        sink->progress(sink->ctx, guest);
    }
}

int backend_run(const struct backend *backend, const struct backend_job *job,
                const struct backend_sink *sink, struct backend_outcome *ret,
                struct backend_guest **ret_guest, struct err *err)
{
    if (backend_open(backend, job, sink, ret, ret_guest, err) < 0)
        return ret->cancelled ? 0 : -1;
    step_to_end(*ret_guest, sink);
    if (backend_end(*ret_guest, err) == 0)
        return 0;
    backend_close(mem_take(ret_guest));
    return -1;
}
