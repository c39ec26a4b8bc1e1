/* SPDX-License-Identifier: Apache-2.0
 *
 * Pauses the guest of an idle session. turn_take resumes it.
 *
 * If the user did not set a time, a guest is paused only while nothing in it runs, so that it
 * cannot notice the pause. A guest with the host's network may have to answer requests, and is not
 * paused.
 */
#include "session/session_pause.h"

#include "backends/idle.h"
#include "base/clock.h"
#include "session/idle_watch.h"
#include "session/session_impl.h"

enum { USUAL_MS = 10000 };

/* True if no process of the guest has run since the last check, which was at least ms ago. */
static bool is_quiet(struct session *s, int64_t ms)
{
    struct pauses *p = &s->pauses;
    struct backend_observed seen;
    struct err ignored;

    bool known = p->known;
    p->known = backend_observe(s->guest->handle, &seen, &ignored) == 0;
    if (!known || !p->known || p->activity != seen.activity)
        p->seen_ms = clock_mono_ms();
    p->activity = seen.activity;
    return p->known && clock_mono_ms() - p->seen_ms >= ms;
}

static int64_t session_pause_look(struct session *s, int64_t after_ms)
{
    bool any = s->shared->request.pause_ms > 0;
    struct err ignored;
    int64_t again_ms;

    if (!turn_try(s, any ? after_ms : after_ms / 2, &again_ms))
        return again_ms;
    if (s->guest->live && (any || is_quiet(s, after_ms / 2)))
        (void)backend_pause(s->guest->handle, &ignored);
    turn_pass(s);
    return again_ms;
}

int pause_check(const struct session *s, struct err *err)
{
    const struct backend *backend = s->shared->prepared.backend;
    const char *why_not = backend_need(backend, CAN_PAUSE).why_not;

    if (s->shared->request.pause_ms <= 0 || !why_not)
        return 0;
    return err_set(err, ERR_UNSUPPORTED, "backend %s %s: leave --pause-after out", backend->name,
                   why_not);
}

void pause_begin(struct session *s)
{
    const struct session_request *q = &s->shared->request;
    int64_t after_ms = q->pause_ms > 0 ? q->pause_ms : USUAL_MS;
    struct err ignored;

    const struct backend_idle *idle = s->shared->prepared.backend->idle;

    if (idle && idle->pause && q->pause_ms >= 0 && (q->pause_ms || !q->run.place.net_host))
        (void)idle_begin(s, after_ms, session_pause_look, &s->pauses.watch, &ignored);
}

void pause_end(struct session *s)
{
    idle_done(s->pauses.watch);
}
