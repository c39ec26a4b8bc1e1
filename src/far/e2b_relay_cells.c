/* SPDX-License-Identifier: Apache-2.0
 *
 * Cells of the code interpreter. A cell is interrupted by the end of its connection, which the
 * interpreter answers with an interrupt of the context's process. An empty cell behind it says when
 * the context is free again. It may be lost, with no answer: Jupyter drops what waits behind a cell
 * that fails. So it is sent a moment later, and again.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "far/e2b_relay_parts.h"

enum {
    MOMENT_MS = 150,
    EMPTY_MS = 700,
    EVENTS_MOST = 200, /* at once; then it is the loop's turn: a cell may never stop printing */
};

static char *copy_of(struct str s)
{
    return xstrndup(s.p ? s.p : "", s.n);
}

static void forget_error(struct relay_cell *cell)
{
    char **const texts[] = {&cell->name, &cell->value, &cell->trace};

    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        free(mem_take(texts[i]));
    cell->failed = false;
}

void relay_cell_done(struct relay_cell *cell)
{
    e2b_cell_close(cell->at);
    forget_error(cell);
    json_decref(cell->results);
    free(cell->code);
    *cell = (struct relay_cell){0};
}

int relay_begin_cell(struct e2b_relay *r, uint32_t id, struct str code, struct err *err)
{
    relay_cell_done(&r->cell);
    if (relay_awake(r, err) < 0)
        return -1;
    r->cell = (struct relay_cell){.id = id, .code = copy_of(code)};
    return e2b_cell_begin(r->e2b, r->context, code, &r->cell.at, err);
}

int relay_open_context(struct e2b_relay *r, struct err *err)
{
    AUTO_BUF struct buf code = {0};

    buf_init(&code, 8 << 20);
    if (relay_put_variables(r, &code, err) < 0 ||
        e2b_context_create(r->e2b, r->kernel, RELAY_WORK, r->stop, &r->context, err) < 0 ||
        relay_run_quietly(r, buf_str(&code), err) < 0)
        return -1;
    return r->cell.failed ? err_set(err, ERR_SYSTEM,
                                    "the code interpreter does not work: %.80s: "
                                    "%.200s",
                                    r->cell.name, r->cell.value)
                          : 0;
}

/* ---- what it says ---- */

static void note_error(struct relay_cell *cell, const struct execution_event *event)
{
    if (cell->failed)
        return;
    cell->failed = true;
    cell->name = copy_of(event->name);
    cell->value = copy_of(event->value);
    cell->trace = copy_of(event->trace);
}

static void take_event(struct e2b_relay *r, const struct execution_event *event)
{
    struct relay_cell *cell = &r->cell;

    if (event->kind == EXECUTION_COUNT)
        cell->count = event->count;
    if (cell->interrupted)
        return;
    if (event->kind == EXECUTION_OUTPUT)
        relay_send_all(r, event->stream == 2 ? CONTAINED_ERR : CONTAINED_OUT, event->text);
    if (event->kind == EXECUTION_RESULT)
        relay_show(r, event);
    if (event->kind == EXECUTION_ERROR)
        note_error(cell, event);
}

/* ---- the end of a program ---- */

/* What sys.exit() was given. */
static int exit_status(const struct relay_cell *cell, struct buf *words)
{
    int64_t status;

    if (!*cell->value || strcmp(cell->value, "None") == 0)
        return 0;
    if (num_int64(str_from(cell->value), &status))
        return (int)(status & 255);
    (void)buf_addf(words, "%s\n", cell->value);
    return 1;
}

static int failure_status(const struct e2b_relay *r, struct buf *words)
{
    const struct relay_cell *cell = &r->cell;
    AUTO_FREE char *file = relay_program_path(r);

    if (r->is_python && strcmp(cell->name, "SystemExit") == 0)
        return exit_status(cell, words);
    if (r->is_python)
        relay_put_trace(words, str_from(cell->trace), cell->count, file);
    else
        (void)buf_adds(words, cell->trace);
    if (!words->n)
        (void)buf_addf(words, "%s: %s\n", cell->name, cell->value);
    else if (words->p[words->n - 1] != '\n')
        (void)buf_addc(words, '\n');
    return 1;
}

static void end_program(struct e2b_relay *r)
{
    AUTO_BUF struct buf words = {0};
    int status = 0;

    buf_init(&words, EXECUTION_LINE_MAX);
    if (r->cell.failed)
        status = failure_status(r, &words);
    relay_send_all(r, CONTAINED_ERR, buf_str(&words));
    relay_cell_done(&r->cell);
    relay_send_end(r, status << 8);
}

static void end_cell(struct e2b_relay *r)
{
    e2b_cell_close(mem_take(&r->cell.at));
    if (!r->is_session)
        end_program(r);
    else
        relay_send_done(r);
}

/* The sandbox stood still, and the cell did not arrive. */
static int ask_again(struct e2b_relay *r, struct err *err)
{
    struct relay_cell *cell = &r->cell;

    e2b_cell_close(mem_take(&cell->at));
    cell->asked_again = true;
    r->place->refresh_ms = 0;
    if (relay_awake(r, err) < 0)
        return -1;
    return e2b_cell_begin(r->e2b, r->context, str_from(cell->code), &cell->at, err);
}

/* 1 at the cell's end. */
static int take_events(struct e2b_relay *r, struct err *err)
{
    struct execution_event event;
    int taken = 0, count = 0;

    while (count++ < EVENTS_MOST && (taken = e2b_cell_take(r->cell.at, &event, err)) > 0) {
        bool ends = event.kind == EXECUTION_END;
        if (!ends)
            take_event(r, &event);
        execution_event_done(&event);
        if (ends)
            return 1;
    }
    if (taken < 0 && e2b_cell_was_refused(r->cell.at) && !r->cell.asked_again && r->place->pauses)
        return ask_again(r, err);
    r->cell.more = taken > 0;
    return taken < 0 ? -1 : 0;
}

static int send_empty_cell(struct e2b_relay *r, struct err *err)
{
    struct relay_cell *cell = &r->cell;

    e2b_cell_close(mem_take(&cell->at));
    cell->again_ms = clock_mono_ms() + EMPTY_MS;
    return e2b_cell_begin(r->e2b, r->context, STR(""), &cell->at, err);
}

int relay_step_cell(struct e2b_relay *r, struct err *err)
{
    int taken = r->cell.at ? take_events(r, err) : 0;

    if (taken > 0)
        end_cell(r);
    else if (taken == 0 && r->cell.interrupted && clock_mono_ms() >= r->cell.again_ms)
        return send_empty_cell(r, err);
    return taken < 0 ? -1 : 0;
}

void relay_interrupt_cell(struct e2b_relay *r)
{
    struct relay_cell *cell = &r->cell;

    if (!cell->at || cell->interrupted)
        return;
    e2b_cell_close(mem_take(&cell->at));
    forget_error(cell);
    cell->interrupted = true;
    cell->again_ms = clock_mono_ms() + MOMENT_MS;
}

bool relay_has_cell(const struct e2b_relay *r)
{
    return r->cell.at || r->cell.interrupted;
}

int relay_cell_wait(const struct e2b_relay *r)
{
    int64_t left = r->cell.again_ms - clock_mono_ms();

    if (r->cell.more)
        return 0;
    return !r->cell.interrupted ? -1 : left > 0 ? (int)left : 0;
}

/* ---- texts of ours ---- */

enum { NOTHING, TOOK, ENDS };

static int take_quietly(struct e2b_relay *r, struct err *err)
{
    struct execution_event event;
    int taken = e2b_cell_take(r->cell.at, &event, err);

    if (taken <= 0)
        return taken;
    if (event.kind == EXECUTION_ERROR)
        note_error(&r->cell, &event);
    bool ends = event.kind == EXECUTION_END;
    execution_event_done(&event);
    return ends ? ENDS : TOOK;
}

/* The loop may end or interrupt the cell meanwhile. */
static int wait_quietly(struct e2b_relay *r, int timeout_ms, struct err *err)
{
    struct pollfd polls[] = {{.fd = e2b_cell_fd(r->cell.at), .events = POLLIN},
                             {.fd = r->stop, .events = POLLIN},
                             {.fd = r->sock, .events = POLLIN}};

    if (poll(polls, 3, timeout_ms) < 0)
        return 0;
    if (polls[2].revents && relay_receive(r, err) < 0)
        return -1;
    return polls[1].revents || r->gone || !r->cell.at ? err_set(err, ERR_TIMEOUT, "cancelled") : 0;
}

int relay_run_quietly(struct e2b_relay *r, struct str code, struct err *err)
{
    int taken;

    if (relay_begin_cell(r, 0, code, err) < 0)
        return -1;
    do
        taken = take_quietly(r, err);
    while (taken >= 0 && taken != ENDS && wait_quietly(r, taken == TOOK ? 0 : -1, err) == 0);
    e2b_cell_close(mem_take(&r->cell.at));
    return taken == ENDS ? 0 : -1;
}
