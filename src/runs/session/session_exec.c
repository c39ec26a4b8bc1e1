/* SPDX-License-Identifier: Apache-2.0
 *
 * A cell, from the wait for its turn to its result.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "explain/feedback.h"
#include "languages/ipython_cell.h"
#include "session/session_exchange.h"

/* ---- how it ended ---- */

static void put_first(struct feedback *f, char *text)
{
    if (f->n == FEEDBACK_TEXTS)
        free(f->texts[--f->n]);
    memmove(&f->texts[1], &f->texts[0], f->n * sizeof f->texts[0]);
    f->texts[0] = text;
    f->n++;
}

/* Kills the guest. The next cell reports the reason. */
static void end_guest(struct exchange *x, const struct result *r)
{
    struct session *s = x->session;
    const struct backend_outcome *o = &x->guest->outcome;
    AUTO_FREE char *when = xasprintf("in cell %u", r->cell.number);
    AUTO_FREE char *why = NULL;
    enum err_kind kind = ERR_GUEST;

    guest_end(s, ERR_GUEST, "");
    bool is_known = o->limits_hit & (LIMIT_MEMORY | LIMIT_CONNECTIONS) || o->failure;
    if (!is_known && x->killed) {
        kind = ERR_LIMIT;
        why = xasprintf("cell %u did not stop when it was interrupted, and was killed",
                        r->cell.number);
    } else if (!is_known && x->err.kind) {
        why = xasprintf("%s the guest broke the protocol (%.80s)", when, x->err.msg);
    } else {
        why = guest_why(x->guest, when, &kind);
    }
    guest_end(s, kind, why);
}

/* Returns the reason for the end; NULL if there is nothing to report. */
static char *how_it_ended(const struct exchange *x, const struct result *r)
{
    char wall[32], grace[32];
    int64_t spent = r->limits_hit & LIMIT_CPU ? x->cpu_ms : x->wall_ms;
    bool dropped = r->cell.attempt == CELL_DROPPED;

    num_format_duration(r->timed_out ? spent : r->duration_ms, wall, sizeof wall);
    num_format_duration(x->grace_ms, grace, sizeof grace);
    switch (r->cell.ended) {
    case CELL_INTERRUPTED:
        return xasprintf("The cell was interrupted after %s", wall);
    case CELL_KILLED:
        return xasprintf("The cell was interrupted after %s, did not stop within %s, and was "
                         "killed%s",
                         wall, grace, dropped ? "" : " with its session");
    case CELL_DIED:
        return xasprintf("%s: %s", dropped ? "The cell ended its guest" : "The session ended",
                         x->session->info.why);
    case CELL_DONE:
    case CELL_FAILED:
        if (dropped)
            return xstrdup(r->success ? "The cell was tried" : "The cell failed");
        return NULL;
    case CELL_REFUSED:
        break;
    }
    return NULL;
}

static const char *what_remains(struct guest *g, const struct result *r)
{
    bool has_files = backend_has_files(g->handle);

    if (r->cell.attempt == CELL_DROPPED)
        return ". Nothing of it is kept: the session is as it was before.";
    if (r->cell.attempt == CELL_LOST)
        return ". Variables are lost, files are as the cell left them. Restart the session.";
    if (r->cell.ended == CELL_KILLED)
        return ": variables are lost, files are kept. Restart the session.";
    if (r->cell.ended != CELL_DIED)
        return "; variables are kept.";
    return has_files ? ". Variables are lost, files are kept. Restart the session."
                     : ". Variables and files are lost. Restart the session.";
}

static void describe_end(const struct exchange *x, struct result *r)
{
    AUTO_FREE char *how = how_it_ended(x, r);
    struct feedback *f = &r->feedback;

    if (!how)
        return;
    const char *rest = what_remains(x->session->guest, r);
    bool has_hint = r->exception && r->exception->hint;
    if (r->limits_hit && f->n &&
        !has_hint) { /* a model gets one piece of advice: what happened, and what to change */
        AUTO_FREE char *first = f->texts[0];
        f->texts[0] = xasprintf("%s%s %s", how, rest, first);
    } else {
        put_first(f, xasprintf("%s%s", how, rest));
    }
}

static void session_exec_advise(const struct exchange *x, struct result *r)
{
    feedback_network(r);
    if (r->timed_out && r->exception) /* the interrupt is ours: the advice is about the time */
        free(mem_take(&r->exception->hint));
    feedback_make(&(struct feedback_input){.result = r}, &r->feedback);
    describe_end(x, r);
}

/* ---- running it ---- */

static int send_cell(struct session *s, const struct cell_request *cell, uint32_t id,
                     struct err *err)
{
    struct str folder;

    if (cell->input.n && link_put(&s->guest->link, "stdin", id, cell->input, err) < 0)
        return -1;
    if (cell->cwd && (workspace_folder(str_from(cell->cwd), &folder, err) < 0 ||
                      link_put(&s->guest->link, "folder", id, folder, err) < 0))
        return -1;
    return link_put(&s->guest->link, "exec", id, cell->code, err);
}

/* Output that threads and children of earlier cells have written since belongs to this cell. */
static void take_earlier_output(struct session *s, const struct reporter *t)
{
    for (int i = 0; i < 2; i++) {
        AUTO_BUF struct buf text = {0};
        struct capture *c = &s->guest->between[i];
        size_t limit = c->limit;
        if (!c->total)
            continue;
        buf_init(&text, limit + 256);
        capture_text(c, &text);
        reporter_output(t, i + 1, text.p, text.n);
        capture_done(c);
        capture_init(c, limit);
    }
}

static void session_exec_collect(struct session *s, const struct reporter *t)
{
    struct changes *changes = s->guest->changes;
    int work = changes ? guest_work(s) : -1;
    struct err err = {0};

    if (work < 0)
        return;
    (void)changes_collect(changes, work, s->out_dirfd, &t->result->files, &err);
    reporter_files(t, &err);
}

/* `beside` is the other guest of a cell that is tried, or NULL. */
static void session_exec_run_cell(struct session *s, const struct cell_request *cell,
                                  const struct reporter *t, const struct guest *beside)
{
    const struct session_request *q = &s->shared->request;
    struct result *r = t->result;
    struct exchange x = {
        .session = s,
        .await = "done",
        .id = r->cell.number,
        .reporter = t,
        .cancel_fd = t->watch->cancel_fd,
        .wall_ms = cell->wall_ms ? cell->wall_ms : q->run.limits.wall_ms,
        .cpu_ms = cell->cpu_ms ? cell->cpu_ms : q->run.limits.cpu_ms,
        .grace_ms = q->grace_ms ? q->grace_ms : SESSION_GRACE_MS,
    };

    if (send_cell(s, cell, x.id, &r->error) < 0)
        return;
    r->started = true;
    r->cell.ended = CELL_DIED;
    reporter_event(t, (struct run_event){.kind = RUN_STARTED});
    take_earlier_output(s, t);
    bool ended = exchange_run(&x) < 0 || x.died;
    result_take_network(r, s->guest->handle);
    if (ended)
        end_guest(&x, r);
    read_answer(&x, cell, r);
    bool kept = try_decide(s, cell, beside, r);
    if (kept && s->guest->live && r->checked) /* the guard remembers only cells that it checked */
        guard_learn(s, r);
    if (kept)
        session_exec_collect(s, t);
    session_exec_advise(&x, r);
    exchange_done(&x);
}

void exec_silently(struct session *s, const struct cell_request *cell, const struct reporter *t)
{
    t->result->language = s->shared->prepared.language->name;
    session_exec_run_cell(s, cell, t, NULL);
}

/* Runs the cell; if it is to be tried, in a guest that can be dropped. */
static void run_or_try(struct session *s, const struct cell_request *cell, const struct reporter *t)
{
    struct result *r = t->result;
    struct guest *beside;

    if (try_begin(s, cell, &beside, &r->error) < 0) {
        r->cell.ended = s->guest->live ? CELL_REFUSED : CELL_DIED;
        return;
    }
    session_exec_run_cell(s, cell, t, beside);
    try_end(s, beside, r);
}

/* ---- the whole ---- */

static void begin_result(struct session *s, const struct cell_request *cell, struct result *r)
{
    result_begin(r, &s->shared->request.run.limits, cell->code);
    r->language = s->shared->prepared.language->name;
    r->backend = s->shared->prepared.backend->name;
    r->net_host = s->shared->request.run.place.net_host;
    r->net_named = s->shared->request.run.place.net_rules != NULL;
    guest_wall(s->guest, &r->outcome);
    prepare_warn_backend(&s->shared->prepared, &r->warnings);
    prepare_warn_limits(&s->shared->prepared, r->outcome.held, &r->warnings);
    r->limits.wall_ms = cell->wall_ms ? cell->wall_ms : r->limits.wall_ms;
    r->limits.cpu_ms = cell->cpu_ms ? cell->cpu_ms : r->limits.cpu_ms;
    r->attempts = 1;
    r->cell.ended = CELL_REFUSED;
    pthread_mutex_lock(&s->lock);
    r->cell.number = ++s->info.cells;
    pthread_mutex_unlock(&s->lock);
}

/* Reports limits that the guest reached between cells, when there was no watcher. */
static void report_limits(const struct reporter *t, unsigned hits)
{
    for (unsigned bit = 1; bit <= LIMIT_LAST; bit <<= 1)
        if (hits & bit)
            reporter_limit(t, (enum jail_limit_hit)bit);
}

/* If the guest ended between two cells, the next cell is not run: its result is that end. */
static void report_end(struct session *s, const struct cell_request *cell, const struct reporter *t)
{
    struct exchange x = {.session = s,
                         .guest = s->guest,
                         .reporter = t,
                         .start_ns = clock_mono_ns(),
                         .cpu_from_ns = s->guest->used.cpu_ns,
                         .died = true};

    s->guest->unreported = false;
    t->result->started = true;
    t->result->error.kind = ERR_NONE;
    reporter_event(t, (struct run_event){.kind = RUN_STARTED});
    take_earlier_output(s, t);
    report_limits(t, s->guest->outcome.limits_hit & ~(unsigned)(LIMIT_WALL | LIMIT_CPU));
    read_answer(&x, cell, t->result);
    session_exec_collect(s, t);
    session_exec_advise(&x, t->result);
}

static int check_cell(const struct cell_request *cell, struct err *err)
{
    struct str folder;

    if (cell->code.n > RUN_SOURCE_MAX)
        return err_set(err, ERR_USAGE, "the cell has %zu MiB, more than %u", cell->code.n >> 20,
                       RUN_SOURCE_MAX >> 20);
    return cell->cwd ? workspace_folder(str_from(cell->cwd), &folder, err) : 0;
}

/* Checks the cell, and runs it if it is allowed. */
static void check_and_run(struct session *s, const struct cell_request *cell,
                          const struct reporter *t)
{
    struct result *r = t->result;
    bool allowed = guard_cell(s, cell, t->watch->cancel_fd, r);

    if (r->checked)
        reporter_event(t, (struct run_event){.kind = RUN_VERDICT});
    if (allowed)
        run_or_try(s, cell, t);
    else if (result_refused(r) && !r->verdict.texts.has_exit_code)
        r->exit_code = err_exit_status(ERR_POLICY);
}

static void report_time(const struct reporter *t)
{
    const struct result *r = t->result;
    AUTO_FREE char *line = xasprintf("CPU times: total: %lld ms\nWall time: %lld ms\n",
                                     (long long)r->cpu_ms, (long long)r->duration_ms);

    if (r->cell.ended == CELL_DONE || r->cell.ended == CELL_FAILED)
        reporter_output(t, 1, line, strlen(line));
}

/* The commands of IPython are translated to Python first, so that the guard can read them. */
static void run_as_python(struct session *s, const struct cell_request *cell,
                          const struct reporter *t)
{
    struct cell_request plain = *cell;
    struct ipython_cell python = {0};

    bool is_notebook = s->shared->prepared.language->traits->is_notebook;
    bool rewritten = is_notebook && ipython_cell_read(cell->code, &python);
    if (rewritten)
        plain.code = buf_str(&python.code);
    check_and_run(s, &plain, t);
    if (rewritten && python.timed)
        report_time(t);
    ipython_cell_done(&python);
}

static void exec_in_turn(struct session *s, const struct cell_request *cell,
                         const struct reporter *t)
{
    struct result *r = t->result;
    char program[20];

    begin_result(s, cell, r);
    reporter_warnings(t, 0);
    if (guest_check(s, &r->error) < 0) {
        r->cell.ended = CELL_DIED;
        if (s->guest->unreported)
            report_end(s, cell, t);
    } else if (check_cell(cell, &r->error) == 0) {
        run_as_python(s, cell, t);
    }
    if (!r->started)
        feedback_make(&(struct feedback_input){.result = r}, &r->feedback);
    reporter_cancel_reason(t);
    snprintf(program, sizeof program, "cell %u", r->cell.number);
    record_append(&s->recorder, &s->shared->request.run, program, cell->code, r);
    reporter_event(t, (struct run_event){.kind = RUN_FINISHED});
}

void session_exec(struct session *s, const struct cell_request *cell, const struct run_watch *watch,
                  struct result *ret)
{
    struct reporter t = {watch, ret};

    memcpy(ret->cell.session, s->info.id, sizeof ret->cell.session);
    if (turn_take(s, &ret->error) < 0) { /* the session may be closed by now */
        result_begin(ret, &s->shared->request.run.limits, cell->code);
        ret->cell.ended = CELL_REFUSED;
        reporter_event(&t, (struct run_event){.kind = RUN_FINISHED});
        return;
    }
    exec_in_turn(s, cell, &t);
    turn_give(s);
}
