/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts the answer to a cell into its result.
 */
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#include "backends/idle.h"
#include "base/clock.h"
#include "base/mem.h"
#include "run/cell_decode.h"
#include "session/session_exchange.h"

enum { VALUE_MAX = 4 * SESSION_VALUE_MAX };

static void session_read_note(struct result *r, const char *text, size_t n)
{
    (void)buf_addf(&r->notes, "%s: %zu\n", text, n);
}

/* Takes the value. The guest has a limit for it, so a larger value is dropped. */
static json_t *take_value(struct result *r, const json_t *answer, const char *key)
{
    json_t *value = json_object_get(answer, key);

    if (!value || json_is_null(value))
        return NULL;
    if (cell_bundle_bytes(value) <= VALUE_MAX)
        return json_incref(value);
    session_read_note(r, "a value is left out, its bytes", cell_bundle_bytes(value));
    return NULL;
}

/* Adds the bundles of the answer after the displayed ones. */
static void take_results(struct exchange *x, struct result *r)
{
    json_t *list = json_object_get(x->answer, "results"), *item;
    size_t i;

    if (!r->results)
        r->results = json_array();
    json_array_foreach(list, i, item)
    {
        size_t bytes = cell_bundle_bytes(item);
        json_t *bundle = NULL;
        /* The number of values was limited for the answer as a whole. */
        if (bytes <= DISPLAYS_BYTES_MAX - x->kept.bytes &&
            json_array_size(r->results) < DISPLAYS_MAX)
            bundle = cell_bundle(item);
        else
            x->kept.dropped++;
        if (!bundle)
            continue;
        x->kept.bytes += bytes;
        json_array_append_new(r->results, bundle);
    }
    if (x->kept.dropped)
        session_read_note(r, "results were left out, being too many or too large", x->kept.dropped);
}

static void read_done(struct exchange *x, const struct cell_request *cell, struct result *r)
{
    const json_t *answer = x->answer;
    const struct session *s = x->session;
    int64_t status = 0;
    bool ok = cell_flag(answer, "ok");

    r->exception = cell_exception(json_object_get(answer, "exception"), r, cell->code,
                                  s->shared->request.run.policy.profile);
    take_results(x, r);
    r->value = take_value(r, answer, "value");
    r->is_final_answer = cell_flag(answer, "is_final_answer");
    if (r->is_final_answer)
        r->final_answer = take_value(r, answer, "final_answer");
    bool exits = cell_integer(answer, "exit", INT32_MIN, INT32_MAX, &status);
    const json_t *exited =
        json_object_get(answer, "exited"); /* set by a shell, in which commands have statuses */
    r->cell.exited = exited ? json_is_true(exited) : exits;
    r->exit_code = exits ? (int)(status & 255) : ok ? 0 : 1;
    if (!ok && !r->exit_code && !exits)
        r->exit_code = 1;
    r->cell.ended = r->exit_code == 0 ? CELL_DONE : CELL_FAILED;
    if (cell_flag(answer, "interrupted")) {
        r->cell.ended = CELL_INTERRUPTED;
        r->exit_code = exits && r->exit_code ? r->exit_code : 128 + 2;
    }
}

/* Sets why the cell was stopped: by its limits, or by a request from outside. */
static void read_cause(const struct exchange *x, struct result *r)
{
    static const struct {
        enum stop_cause cause;
        enum jail_limit_hit hit;
    } limits[] = {{STOP_WALL, LIMIT_WALL}, {STOP_CPU, LIMIT_CPU}};

    for (size_t i = 0; i < ARRAY_LEN(limits); i++)
        if (x->cause == limits[i].cause) {
            reporter_limit(x->reporter, limits[i].hit);
            r->timed_out = true;
            r->exit_code = 124;
        }
    if (x->cause == STOP_CANCEL || x->cause == STOP_CLOSE)
        r->cancelled = true;
    if (x->killed)
        r->cell.ended = CELL_KILLED;
    else if (x->cause != STOP_NONE && x->cause != STOP_ASKED && !x->died)
        r->cell.ended = CELL_INTERRUPTED;
}

static void read_end(const struct exchange *x, struct result *r)
{
    const struct backend_outcome *o = &x->guest->outcome;
    int status = o->status;

    r->limits_hit |= o->limits_hit & ~(unsigned)(LIMIT_WALL | LIMIT_CPU);
    r->oom_killed = o->limits_hit & LIMIT_MEMORY && !r->timed_out;
    if (x->died)
        r->cell.ended = CELL_DIED;
    if (r->timed_out || x->killed)
        return;
    if (r->oom_killed) {
        r->exit_code = 137;
    } else if (WIFSIGNALED(status)) {
        r->signal = WTERMSIG(status);
        r->exit_code = 128 + r->signal;
    } else {
        r->exit_code = WEXITSTATUS(status);
    }
}

static bool is_disk_full(const struct guest *g)
{
    struct backend_observed seen = {0};
    struct statvfs st;
    struct err ignored;
    int work = backend_folder(g->handle);

    if (work >= 0)
        return fstatvfs(work, &st) == 0 && st.f_blocks && (!st.f_bfree || !st.f_ffree);
    return g->live && backend_observe(g->handle, &seen, &ignored) == 0 && seen.disk_full;
}

static void look_at_disk(const struct exchange *x)
{
    if (x->guest->outcome.held & LAYER_BIT(LAYER_ROOT) && is_disk_full(x->guest))
        reporter_limit(x->reporter, LIMIT_DISK);
}

void read_answer(struct exchange *x, const struct cell_request *cell, struct result *r)
{
    const struct guest *g = x->guest;
    uint64_t used = g->used.cpu_ns, before = x->cpu_from_ns;

    if (x->answer)
        read_done(x, cell, r);
    read_cause(x, r);
    if (!g->live)
        read_end(x, r);
    r->duration_ms = (clock_mono_ns() - x->start_ns + 500000) / 1000000;
    r->cpu_ms = used > before ? (int64_t)((used - before) / 1000000) : 0;
    r->memory_peak = g->used.memory_peak;
    if (!g->live && g->outcome.failure)
        err_set(&r->error, ERR_SYSTEM, "%s", g->outcome.failure);
    else if (x->err.kind)
        err_set(&r->error, ERR_GUEST, "the guest broke the protocol: %.400s", x->err.msg);
    r->success = !r->error.kind && r->cell.ended == CELL_DONE && !r->cancelled && !r->timed_out;
    if (!r->success)
        look_at_disk(x);
}
