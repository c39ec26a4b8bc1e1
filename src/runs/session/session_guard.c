/* SPDX-License-Identifier: Apache-2.0
 *
 * The guard reads each cell before it is sent. It knows the names from earlier cells: the
 * statements that bound these are put before the cell, as if all were one program.
 */
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "guard/earlier.h"
#include "run/check.h"
#include "session/session_impl.h"

int guard_open(struct session *s, struct err *err)
{
    const struct run_request *q = &s->shared->request.run;
    const char *tools = s->tools.source;

    if (check_read_prelude(q, &s->shared->prelude, err) < 0)
        return -1;
    if (!q->policy.no_check && !(s->shared->policy = check_open_policy(q, err)))
        return -1;
    if (tools && s->shared->policy && policy_reads_tools(s->shared->policy) &&
        (buf_adds(&s->shared->prelude, "\n\n") < 0 || buf_adds(&s->shared->prelude, tools) < 0))
        return err_set(err, ERR_USAGE, "the tools' source and the prelude are too long");
    return 0;
}

/* Data that all checks of a cell use. */
struct looking {
    struct session *session;
    struct run_request request; /* of the cell */
    const struct policy *policy;
    struct beside beside;
    int cancel_fd;
    struct result *result;
};

static void session_guard_check(const struct looking *l, struct str earlier, struct str given)
{
    struct session *s = l->session;
    struct examination e;

    examine_init(&e, &l->request, l->policy);
    e.language = s->shared->prepared.language;
    e.prelude = buf_str(&s->shared->prelude);
    e.earlier = earlier;
    e.given = given;
    e.cell = true;
    e.cancel_fd = l->cancel_fd;
    e.run_id = l->result->id;
    e.tools = &s->tool_names;
    e.beside = &l->beside;
    examine_for(&e, l->result);
    examine_done(&e);
}

static void check_again(const struct looking *l)
{
    struct result *ret = l->result;
    struct capture fresh;

    verdict_done(&ret->verdict);
    result_exception_free(ret->exception);
    ret->exception = NULL;
    capture_init(&fresh, ret->err.limit);
    capture_done(&ret->err);
    ret->err = fresh;
    session_guard_check(l, STR(""), STR("*")); /* earlier cells may have bound any name */
}

static void look_at_cell(struct looking *l, const struct cell_request *cell, unsigned number)
{
    const struct session *s = l->session;
    AUTO_BUF struct buf before = {0};
    AUTO_FREE char *file = xasprintf("<cell %u>", number);

    l->request.program.file = file;
    l->request.program.code = cell->code;
    buf_init(&before, s->names.n);
    earlier_text(&s->names, &before);
    session_guard_check(l, buf_str(&before), STR(""));
    /* The earlier statements may be the cause of the error: `from __future__ import` must be
     * first. */
    if (before.n && result_refused(l->result) && l->result->verdict.stage <= GUARD_SYNTAX)
        check_again(l);
}

/* ---- cancelling a review ---- */

struct stop {
    int own;  /* counts interrupts of the session, and its closing */
    int both; /* readable when `own` or the caller's descriptor is readable */
};

static void session_guard_watch(int both, int fd)
{
    if (both >= 0 && fd >= 0)
        (void)epoll_ctl(both, EPOLL_CTL_ADD, fd, &(struct epoll_event){.events = EPOLLIN});
}

static void stop_open(struct session *s, int cancel_fd, struct stop *ret)
{
    ret->own = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ret->both = epoll_create1(EPOLL_CLOEXEC);
    session_guard_watch(ret->both, ret->own);
    session_guard_watch(ret->both, cancel_fd);
    pthread_mutex_lock(&s->lock);
    s->review_fd = ret->own;
    if (s->closing && ret->own >= 0)
        (void)eventfd_write(ret->own, 1);
    pthread_mutex_unlock(&s->lock);
}

/* Ends the watch. True if the session asked to cancel the review, even if the answer came first. */
static bool stop_close(struct session *s, struct stop *stop)
{
    eventfd_t count = 0;

    pthread_mutex_lock(&s->lock);
    s->review_fd = -1;
    pthread_mutex_unlock(&s->lock);
    bool stopped = stop->own >= 0 && eventfd_read(stop->own, &count) == 0;
    fd_close(&stop->own);
    fd_close(&stop->both);
    return stopped;
}

/* A cell that is interrupted during its review does not run. */
static void look_with_review(struct looking *l, const struct cell_request *cell, unsigned number)
{
    struct result *r = l->result;
    struct stop stop;

    stop_open(l->session, l->cancel_fd, &stop);
    if (stop.both >= 0)
        l->cancel_fd = stop.both;
    look_at_cell(l, cell, number);
    if (stop_close(l->session, &stop) && !result_refused(r)) {
        r->cancelled = true;
        r->cell.ended = CELL_INTERRUPTED;
        r->exit_code = 128 + SIGINT;
    }
}

/* The cell is refused if files cannot be read, as if the profile refused them. */
static bool find_beside(struct looking *l)
{
    struct err err;

    if (guard_find_beside(l->session, l->cancel_fd, &l->beside, &err) == 0)
        return true;
    l->result->error = err;
    return false;
}

bool guard_cell(struct session *s, const struct cell_request *cell, int cancel_fd,
                struct result *ret)
{
    unsigned number = ret->cell.number;
    struct looking looking = {.session = s,
                              .request = s->shared->request.run,
                              .policy = cell->no_check ? NULL : s->shared->policy,
                              .cancel_fd = cancel_fd,
                              .result = ret};

    if (!looking.policy && !looking.request.policy.review)
        return true;
    if (!find_beside(&looking)) {
        beside_done(&looking.beside);
        return false;
    }
    if (looking.request.policy.review)
        look_with_review(&looking, cell, number);
    else
        look_at_cell(&looking, cell, number);
    if (ret->exception && ret->exception->line)
        ret->exception->cell = number;
    bool allowed = !result_refused(ret) && !ret->cancelled;
    if (allowed)
        beside_learn(&s->known, &looking.beside);
    beside_done(&looking.beside);
    return allowed;
}

/* ---- statements for later cells ---- */

void guard_given(struct session *s, const char *name)
{
    AUTO_FREE char *record = xasprintf("%s = __earlier__", name);

    if (s->shared->policy)
        earlier_learn(&s->names, (struct str){record, strlen(record) + 1});
}

void guard_learn(struct session *s, const struct result *r)
{
    bool whole = r->success && !r->exception;

    if (s->shared->policy)
        earlier_learn(&s->names, buf_str(whole ? &r->verdict.ended : &r->verdict.failed));
}
