/* SPDX-License-Identifier: Apache-2.0
 *
 * A cell, from its turn to its result.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "base/num.h"
#include "explain/feedback.h"
#include "session/session_exchange.h"
#include "text/shell_lines.h"

/* ---- how it ended ---- */

static void put_first(struct feedback *f, char *text)
{
    if (f->n == FEEDBACK_TEXTS)
        free(f->texts[--f->n]);
    memmove(&f->texts[1], &f->texts[0], f->n * sizeof f->texts[0]);
    f->texts[0] = text;
    f->n++;
}

/* Kills the guest, with the reason that the next cell will report. */
static void end_guest(struct exchange *x, const struct result *r)
{
    struct session *s = x->session;
    const struct backend_outcome *o = &x->guest->outcome;
    enum err_kind kind = ERR_GUEST;
    AUTO_FREE char *why = NULL;
    unsigned n = r->cell.number;

    guest_end(s, ERR_GUEST, "");
    if (o->limits_hit & LIMIT_MEMORY) {
        kind = ERR_LIMIT;
        why = xasprintf("out of memory in cell %u", n);
    } else if (o->limits_hit & LIMIT_CONNECTIONS) {
        kind = ERR_LIMIT;
        why = xasprintf("too many connections were not accepted in cell %u", n);
    } else if (o->failure) {
        kind = ERR_SYSTEM;
        why = xstrdup(o->failure);
    } else if (x->killed) {
        kind = ERR_LIMIT;
        why = xasprintf("cell %u did not stop when it was interrupted, and was killed", n);
    } else if (x->err.kind) {
        why = xasprintf("in cell %u the guest broke the protocol (%.80s)", n, x->err.msg);
    } else if (WIFSIGNALED(o->status)) {
        why = xasprintf("signal %d (%s) ended it in cell %u", WTERMSIG(o->status),
                        strsignal(WTERMSIG(o->status)), n);
    } else {
        why = xasprintf("its process exited with status %d in cell %u", WEXITSTATUS(o->status), n);
    }
    guest_end(s, kind, why);
}

/* NULL when there is nothing to report. */
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

static const char *what_remains(const struct result *r)
{
    if (r->cell.attempt == CELL_DROPPED)
        return ". Nothing of it is kept: the session is as it was before.";
    if (r->cell.attempt == CELL_LOST)
        return ". Variables are lost, files are as the cell left them. Restart the session.";
    return r->cell.ended == CELL_KILLED
               ? ": variables are lost, files are kept. Restart the session."
           : r->cell.ended == CELL_DIED
               ? ". Variables are lost, files are kept. Restart the session."
               : "; variables are kept.";
}

static void describe_end(const struct exchange *x, struct result *r)
{
    AUTO_FREE char *how = how_it_ended(x, r);

    if (how)
        put_first(&r->feedback, xasprintf("%s%s", how, what_remains(r)));
}

/* ---- running it ---- */

static int send_cell(struct session *s, const struct cell_request *cell, uint32_t id,
                     struct err *err)
{
    if (cell->input.n && link_put(&s->guest->link, "stdin", id, cell->input, err) < 0)
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

static void collect(struct session *s, const struct reporter *t)
{
    struct result *r = t->result;
    struct err err;

    struct changes *changes = s->guest->changes;

    int work = changes ? guest_work(s) : -1;
    if (work < 0)
        return;
    if (changes_collect(changes, work, s->out_dirfd, &r->files, &err) < 0) {
        err_wrap(&err, "bring the files out");
        r->error = err;
        r->success = false;
    }
    reporter_files(t);
}

static void advise(struct session *s, const struct exchange *x, struct result *r)
{
    struct jail_limits limits = s->shared->request.run.limits;
    struct feedback_input input = {.result = r, .limits = &limits};

    limits.wall_ms = x->wall_ms;
    limits.cpu_ms = x->cpu_ms;
    feedback_make(&input, &r->feedback);
    describe_end(x, r);
}

/* `beside`: the other guest of a cell that is tried, or NULL. */
static void run_cell(struct session *s, const struct cell_request *cell, const struct reporter *t,
                     const struct guest *beside)
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
    if (exchange_run(&x) < 0 || x.died)
        end_guest(&x, r);
    read_answer(&x, cell, r);
    bool kept = try_decide(s, cell, beside, r);
    if (kept && s->guest->live && r->checked) /* the guard remembers only cells that it checked */
        guard_learn(s, r);
    if (kept)
        collect(s, t);
    advise(s, &x, r);
    exchange_done(&x);
}

void exec_silently(struct session *s, const struct cell_request *cell, const struct reporter *t)
{
    run_cell(s, cell, t, NULL);
}

/* Runs a cell that is to be tried in a guest that can be dropped. */
static void run_or_try(struct session *s, const struct cell_request *cell, const struct reporter *t)
{
    struct result *r = t->result;
    struct guest *beside;

    if (try_begin(s, cell, &beside, &r->error) < 0) {
        r->cell.ended = s->guest->live ? CELL_REFUSED : CELL_DIED;
        return;
    }
    run_cell(s, cell, t, beside);
    try_end(s, beside, r);
}

/* ---- the whole ---- */

static void begin_result(struct session *s, const struct cell_request *cell, struct result *r)
{
    result_begin(r, cell->code);
    r->language = s->shared->prepared.language->name;
    r->backend = s->shared->prepared.backend->name;
    guest_wall(s->guest, &r->outcome);
    prepare_warn_backend(&s->shared->prepared, &r->warnings);
    prepare_warn_limits(&s->shared->prepared, r->outcome.held, &r->warnings);
    r->limits = s->shared->request.run.limits;
    r->limits.wall_ms = cell->wall_ms ? cell->wall_ms : r->limits.wall_ms;
    r->limits.cpu_ms = cell->cpu_ms ? cell->cpu_ms : r->limits.cpu_ms;
    r->attempts = 1;
    r->cell.ended = CELL_REFUSED;
    pthread_mutex_lock(&s->lock);
    r->cell.number = ++s->info.cells;
    pthread_mutex_unlock(&s->lock);
}

static int check_cell(const struct cell_request *cell, struct err *err)
{
    if (cell->code.n > RUN_SOURCE_MAX)
        return err_set(err, ERR_USAGE, "the cell has %zu MiB, more than %u", cell->code.n >> 20,
                       RUN_SOURCE_MAX >> 20);
    return 0;
}

static void record(struct session *s, const struct cell_request *cell, struct result *r)
{
    struct run_request q = s->shared->request.run;
    AUTO_FREE char *program = xasprintf("cell %u", r->cell.number);

    q.file = program;
    q.code = cell->code;
    q.limits.wall_ms = cell->wall_ms ? cell->wall_ms : q.limits.wall_ms;
    q.limits.cpu_ms = cell->cpu_ms ? cell->cpu_ms : q.limits.cpu_ms;
    record_open(&s->recorder, &q);
    s->recorder.err.kind = ERR_NONE;
    record_append(&s->recorder, &q, r);
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

/* The shell commands of IPython become Python first, so that the guard reads them. */
static void run_as_python(struct session *s, const struct cell_request *cell,
                          const struct reporter *t)
{
    struct cell_request plain = *cell;
    AUTO_BUF struct buf code = {0};

    if (s->shared->prepared.language->traits->is_notebook && shell_lines(cell->code, &code))
        plain.code = buf_str(&code);
    check_and_run(s, &plain, t);
}

static void exec_in_turn(struct session *s, const struct cell_request *cell,
                         const struct reporter *t)
{
    struct result *r = t->result;

    begin_result(s, cell, r);
    reporter_warnings(t, 0);
    if (guest_check(s, &r->error) < 0) {
        r->cell.ended = CELL_DIED;
    } else if (check_cell(cell, &r->error) == 0) {
        run_as_python(s, cell, t);
    }
    if (!r->started)
        feedback_make(
            &(struct feedback_input){.result = r, .limits = &s->shared->request.run.limits},
            &r->feedback);
    reporter_cancel_reason(t);
    record(s, cell, r);
    reporter_event(t, (struct run_event){.kind = RUN_FINISHED});
}

void session_exec(struct session *s, const struct cell_request *cell, const struct run_watch *watch,
                  struct result *ret)
{
    struct reporter t = {watch, ret};

    memcpy(ret->cell.session, s->info.id, sizeof ret->cell.session);
    if (turn_take(s, &ret->error) < 0) { /* it may be gone by now */
        result_begin(ret, cell->code);
        ret->cell.ended = CELL_REFUSED;
        reporter_event(&t, (struct run_event){.kind = RUN_FINISHED});
        return;
    }
    exec_in_turn(s, cell, &t);
    turn_give(s);
}
