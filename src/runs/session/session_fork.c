/* SPDX-License-Identifier: Apache-2.0
 *
 * A copy of a session's guest: first an empty jail is made, then the guest forks into it, then the
 * copy sends "forked" on pipes of its own.
 */
#include <string.h>

#include "base/mem.h"
#include "formats/printable.h"
#include "run/cell_decode.h"
#include "session/session_exchange.h"

enum { WHY_CHARS = 300 };

/* ---- asking for it ---- */

static int check_forks(const struct session *s, struct err *err)
{
    const struct guest *g = s->guest;
    const char *why = s->shared->no_fork[0] ? s->shared->no_fork : g->outcome.no_fork;

    return *why ? err_set(err, ERR_UNSUPPORTED, "%s", why) : 0;
}

/* Reports the guest's own text, which can be anything. */
static int session_fork_refuse(const json_t *answer, struct err *err)
{
    AUTO_FREE char *why = cell_text(answer, "why", (size_t)4 * WHY_CHARS);
    AUTO_BUF struct buf shown = {0};

    buf_init(&shown, (size_t)4 * WHY_CHARS + 8);
    printable_add_word(&shown, str_from(why), WHY_CHARS);
    return err_set(err, ERR_UNSUPPORTED, "%s",
                   shown.n ? shown.p : "the session cannot be forked now");
}

/* -1 with the reason if the guest did not fork. Then it is unchanged, or it is dead and *err says
 * why. */
static int ask_to_fork(struct session *s, uint32_t *ret_id, struct err *err)
{
    json_t *answer =
        guest_ask(s, &(struct question){.kind = "fork", .wall_ms = SESSION_FORK_MS}, ret_id, err);

    if (!answer)
        return -1;
    int result = cell_flag(answer, "ok") ? 0 : session_fork_refuse(answer, err);
    json_decref(answer);
    return result;
}

/* ---- its copy ---- */

static int receive_first(struct guest *g, uint32_t id, struct err *err)
{
    struct exchange x = {.session = g->session,
                         .guest = g,
                         .await = "forked",
                         .id = id,
                         .cancel_fd = -1,
                         .wall_ms = SESSION_READY_MS,
                         .grace_ms = 1};
    int result = exchange_run(&x) < 0 || x.died || x.cause != STOP_NONE ? -1 : 0;

    if (result < 0 && x.cause == STOP_CLOSE)
        say_closed(err);
    else if (result < 0 && x.err.kind)
        err_set(err, ERR_GUEST, "the fork broke the protocol (%.80s)", x.err.msg);
    else if (result < 0)
        err_set(err, x.killed ? ERR_TIMEOUT : ERR_GUEST, "the fork did not start");
    exchange_done(&x);
    return result;
}

static int fork_into(struct session *s, struct guest *g, struct err *err)
{
    uint32_t id;

    if (link_open(&g->link, err) < 0)
        return -1;
    guest_plan(g);
    if (backend_fork(s->guest->handle, &g->job, &g->sink, &g->outcome, &g->handle, err) < 0)
        return -1;
    g->live = true;
    if (ask_to_fork(s, &id, err) < 0 || backend_forked(g->handle, err) < 0)
        return -1;
    link_started(&g->link);
    backend_deadline(g->handle, 0);
    return receive_first(g, id, err);
}

struct guest *guest_fork(struct session *s, struct err *err)
{
    if (guest_check(s, err) < 0 || check_forks(s, err) < 0)
        return NULL;
    struct guest *g = guest_new(s);
    if (fork_into(s, g, err) == 0)
        return g;
    guest_free(g);
    return NULL;
}

/* ---- a session of its own ---- */

static struct session *session_of(struct session *s, struct guest *g)
{
    const struct jail_limits *limits = &s->shared->request.run.limits;
    struct session *other = session_new(s->shared, &s->tools, g);

    guest_look(g, NULL, s->guest);
    network_started(other);
    (void)buf_add_str(&other->names, buf_str(&s->names));
    other->laid = lay_list_new(limits->disk_bytes, limits->inodes);
    other->levels = s->levels - 1;
    other->asked = s->asked;
    /* Cell numbers continue: the code of earlier cells keeps its numbers. */
    other->info.cells = s->info.cells;
    other->info.held = g->outcome.held;
    guest_wall(g, &other->wall);
    memcpy(other->info.parent, s->info.id, sizeof other->info.parent);
    return other;
}

static int fork_in_turn(struct session *s, struct session **ret, struct err *err)
{
    if (guest_check(s, err) < 0 || check_forks(s, err) < 0)
        return -1;
    if (!s->levels)
        return err_set(err, ERR_LIMIT,
                       "this session has reached its maximum depth of forks (forks)");
    struct guest *g = guest_fork(s, err);
    if (!g)
        return -1;
    *ret = session_of(s, g);
    return 0;
}

int session_fork(struct session *s, struct session **ret, struct err *err)
{
    if (turn_take(s, err) < 0)
        return -1;
    int result = fork_in_turn(s, ret, err);
    turn_give(s);
    return result;
}
