/* SPDX-License-Identifier: Apache-2.0 */
#include "e2b/interpreter.h"

#include <stdlib.h>
#include <string.h>

#include "base/encoded.h"
#include "base/json_get.h"
#include "base/mem.h"
#include "e2b/parts.h"

enum {
    SILENCE_MS = 90000, /* it gives a sign of life every 5 s */
    FAILED_MAX = 4096,
    REMOVE_MS = 2000,
};

static const char *const languages[] = {"python", "javascript", "typescript", "r", "java", "bash"};

const char *e2b_interpreter_language(const char *language)
{
    for (size_t i = 0; i < ARRAY_LEN(languages); i++)
        if (strcmp(language, languages[i]) == 0)
            return languages[i];
    return NULL;
}

/* ---- contexts ---- */

int e2b_context_create(struct e2b *e2b, const char *language, const char *folder, int cancel_fd,
                       char **ret_id, struct err *err)
{
    json_t *body = json_pack("{s:s, s:s}", "language", language, "cwd", folder);
    const struct e2b_ask ask = {.side = E2B_INTERPRETER,
                                .method = "POST",
                                .path = "/contexts",
                                .json = body,
                                .cancel_fd = cancel_fd};
    struct e2b_answer answer;

    int result = e2b_ask(e2b, &ask, &answer, err);
    json_decref(body);
    if (result < 0)
        return -1;
    struct str id = json_str(json_object_get(answer.json, "id"));
    if (!e2b_is_good(answer.status) && strstr(answer.said, "kernel"))
        result = err_set(err, ERR_UNSUPPORTED,
                         "the template's code interpreter has no %s: use another template, or "
                         "--backend e2b (status %u: %s)",
                         language, answer.status, answer.said);
    else
        result = e2b_must(&answer, "start the code interpreter", err);
    if (result == 0 && !e2b_is_name(id))
        result = err_set(err, ERR_UNSUPPORTED, "the sandbox's code interpreter names no context");
    if (result == 0)
        *ret_id = xstrndup(id.p, id.n);
    e2b_answer_done(&answer);
    return result;
}

int e2b_context_remove(struct e2b *e2b, const char *id, int cancel_fd, struct err *err)
{
    AUTO_FREE char *path = xasprintf("/contexts/%s", id);
    const struct e2b_ask ask = {.side = E2B_INTERPRETER,
                                .method = "DELETE",
                                .path = path,
                                .timeout_ms = REMOVE_MS,
                                .cancel_fd = cancel_fd};
    struct e2b_answer answer;

    if (e2b_ask(e2b, &ask, &answer, err) < 0)
        return -1;
    int result = e2b_must(&answer, "end the code interpreter", err);
    e2b_answer_done(&answer);
    return result;
}

/* ---- cells ---- */

struct e2b_cell {
    struct e2b *e2b;
    struct fetch *fetch;
    unsigned status;  /* of the answer; 0 before it */
    struct buf lines; /* what came and was not taken; or the words of a refusal */
    size_t taken;     /* bytes of them */
    size_t seen;      /* bytes from there on that have no line end */
};

int e2b_cell_begin(struct e2b *e2b, const char *context, struct str code, struct e2b_cell **ret,
                   struct err *err)
{
    json_t *text = json_stringn(code.p ? code.p : "", code.n);

    if (!text)
        return err_set(err, ERR_USAGE,
                       "the program is not UTF-8, which the code interpreter needs");
    struct e2b_cell *cell = xcalloc(1, sizeof *cell);
    json_t *body = json_pack("{s:o, s:s}", "code", text, "context_id", context);
    const struct e2b_ask ask = {.side = E2B_INTERPRETER,
                                .method = "POST",
                                .path = "/execute",
                                .json = body,
                                .idle_ms = SILENCE_MS};

    *cell = (struct e2b_cell){.e2b = e2b};
    buf_init(&cell->lines, EXECUTION_LINE_MAX + FETCH_PIECE_MAX);
    int result = fetch_open(&cell->fetch, err);
    if (result == 0)
        result = e2b_send(e2b, cell->fetch, &ask, 0, err);
    json_decref(body);
    if (result < 0)
        e2b_cell_close(cell);
    else
        *ret = cell;
    return result;
}

int e2b_cell_fd(const struct e2b_cell *cell)
{
    return fetch_poll_fd(cell->fetch);
}

bool e2b_cell_was_refused(const struct e2b_cell *cell)
{
    return cell->status == 502;
}

void e2b_cell_close(struct e2b_cell *cell)
{
    if (!cell)
        return;
    fetch_close(cell->fetch);
    buf_done(&cell->lines);
    free(cell);
}

static int say_refused(const struct e2b_cell *cell, struct err *err)
{
    return e2b_say_refused(cell->e2b, E2B_INTERPRETER, cell->status, buf_str(&cell->lines),
                           "run the program", err);
}

/* The next whole line, without its end. */
static bool next_line(struct e2b_cell *cell, struct str *ret)
{
    size_t from = cell->taken + cell->seen;
    const char *end = memchr(cell->lines.p + from, '\n', cell->lines.n - from);

    if (!end) {
        cell->seen = cell->lines.n - cell->taken;
        return false;
    }
    size_t at = (size_t)(end - cell->lines.p);
    *ret = str_slice(buf_str(&cell->lines), cell->taken, at);
    cell->taken = at + 1;
    cell->seen = 0;
    return true;
}

static int keep(struct e2b_cell *cell, struct str bytes, struct err *err)
{
    buf_drop(&cell->lines, cell->taken);
    cell->taken = 0;
    if (cell->status != 200)
        bytes = str_slice(bytes, 0, FAILED_MAX - cell->lines.n);
    if (buf_add_str(&cell->lines, bytes) < 0)
        return err_set(err, ERR_GUEST, "the code interpreter sent a line of more than %u MiB",
                       EXECUTION_LINE_MAX >> 20);
    return 0;
}

static int take_part(struct e2b_cell *cell, const struct fetch_event *event, struct err *err)
{
    if (event->kind == FETCH_FAILED)
        return e2b_say_failure(cell->e2b, E2B_INTERPRETER, event, err);
    if (event->kind == FETCH_HEAD)
        cell->status = event->status;
    if (event->kind == FETCH_BODY && keep(cell, event->bytes, err) < 0)
        return -1;
    bool ends = event->kind == FETCH_END;
    if (ends && cell->status == 200)
        return err_set(err, ERR_SYSTEM, "the code interpreter's answer broke off");
    return ends || (cell->status != 200 && cell->lines.n == FAILED_MAX) ? say_refused(cell, err)
                                                                        : 0;
}

int e2b_cell_take(struct e2b_cell *cell, struct execution_event *ret, struct err *err)
{
    struct fetch_event event;
    struct str line;
    int taken;

    for (;;) {
        if (cell->status == 200 && next_line(cell, &line)) {
            if (!str_trim(line).n) {
                *ret = (struct execution_event){.kind = EXECUTION_OTHER};
                return 1;
            }
            return execution_event_read(line, ret, err) < 0
                       ? err_wrap(err, "the code interpreter sent")
                       : 1;
        }
        if ((taken = fetch_take(cell->fetch, &event, err)) <= 0)
            return taken;
        if (take_part(cell, &event, err) < 0)
            return -1;
    }
}
