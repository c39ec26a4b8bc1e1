/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables in and out.
 */
#include <string.h>

#include "base/mem.h"
#include "formats/encoded.h"
#include "formats/json_write.h"
#include "run/cell_decode.h"
#include "session/session_exchange.h"

#define FIRST_ID 0x80000000u /* larger than the numbers of cells */
enum { NAMES_MAX = 10000, MESSAGE_MAX = 300, ROW_TEXT_MAX = 400, LOOK_MS = 2000 };

/* Reports why there is no valid answer. If it was necessary, the guest is dead by now. */
static void say_why_not(const struct exchange *x, const char *kind, struct err *err)
{
    struct session *s = x->session;
    AUTO_FREE char *why = NULL;

    if (x->answer && !x->died) {
        if (x->cause == STOP_CLOSE)
            say_closed(err);
        else
            err_set(err, x->cause == STOP_WALL ? ERR_TIMEOUT : ERR_GUEST, "'%s' was interrupted",
                    kind);
        return;
    }
    if (x->killed)
        why = xasprintf("'%s' took too long, and it was killed", kind);
    else if (x->err.kind)
        why = xasprintf("at '%s' the guest broke the protocol (%.80s)", kind, x->err.msg);
    else
        why = xasprintf("its process ended at '%s'", kind);
    guest_end(s, x->killed ? ERR_LIMIT : ERR_GUEST, why);
    if (x->cause == STOP_CLOSE)
        say_closed(err);
    else
        (void)guest_check(s, err);
}

json_t *guest_ask(struct session *s, const struct question *q, uint32_t *ret_id, struct err *err)
{
    const struct session_request *all = &s->shared->request;
    struct exchange x = {.session = s,
                         .await = "done",
                         .id = FIRST_ID + (s->asked++ & 0x7fffffffu),
                         .cancel_fd = -1,
                         .wall_ms = q->wall_ms,
                         .grace_ms = all->grace_ms ? all->grace_ms : SESSION_GRACE_MS};
    AUTO_FREE char *text = q->body ? json_write(q->body, false) : NULL;
    json_t *answer = NULL;

    if (guest_check(s, err) < 0 || guard_files(s, err) < 0 ||
        link_put(&s->guest->link, q->kind, x.id, str_from(text ? text : ""), err) < 0)
        return NULL;
    if (exchange_run(&x) == 0 && !x.died && x.cause == STOP_NONE)
        answer = json_incref(x.answer);
    else
        say_why_not(&x, q->kind, err);
    exchange_done(&x);
    *ret_id = x.id;
    return answer;
}

/* Sends a frame of `kind`, with the time limit of a cell. */
static json_t *session_values_ask(struct session *s, const char *kind, const json_t *body,
                                  struct err *err)
{
    struct question q = {kind, body, s->shared->request.run.limits.wall_ms};
    uint32_t id;

    return guest_ask(s, &q, &id, err);
}

void guest_explain(const json_t *answer, struct err *err)
{
    const json_t *exception = json_object_get(answer, "exception");
    AUTO_FREE char *type = cell_text(exception, "type", MESSAGE_MAX);
    AUTO_FREE char *message = cell_text(exception, "message", MESSAGE_MAX);

    err_set(err, ERR_GUEST, "%s: %s", type ? type : "Error", message ? message : "");
}

/* Decoders treat invalid base64 differently: Python's ignores the invalid characters. */
static int check_bytes(const json_t *value, unsigned depth, struct err *err)
{
    const json_t *text = json_object_get(value, "base64"), *item;
    const char *key;
    size_t i;

    if (depth == CELL_DEPTH_MAX)
        return 0;
    if (json_is_string(json_object_get(value, "$type")) && json_is_string(text) &&
        encoded_read((struct str){json_string_value(text), json_string_length(text)}, STR("base64"),
                     NULL, err) < 0)
        return err_set(err, ERR_USAGE, "a typed value has invalid base64");
    json_object_foreach((json_t *)value, key,
                        item) if (check_bytes(item, depth + 1, err) < 0) return -1;
    json_array_foreach(value, i, item) if (check_bytes(item, depth + 1, err) < 0) return -1;
    return 0;
}

/* The sessions of other languages check names themselves. */
static int check_values(const struct session *s, json_t *values, struct err *err)
{
    const struct language_traits *traits = s->shared->prepared.language->traits;
    const json_t *value;
    const char *name;

    if (!json_is_object(values))
        return err_set(err, ERR_USAGE, "variables must be an object of names and values");
    json_object_foreach(values, name, value)
    {
        if (traits->is_variable && !traits->is_variable(str_from(name)))
            return err_set(err, ERR_USAGE, "'%.80s' is not a valid variable name", name);
        if (check_bytes(value, 0, err) < 0)
            return -1;
    }
    return 0;
}

int session_set(struct session *s, json_t *values, struct err *err)
{
    if (check_values(s, values, err) < 0 || turn_take(s, err) < 0)
        return -1;
    json_t *answer = session_values_ask(s, "set", values, err);
    turn_give(s);
    bool ok = cell_flag(answer, "ok");
    if (answer && !ok)
        guest_explain(answer, err);
    json_decref(answer);
    const char *name;
    json_t *value;
    json_object_foreach(values, name, value) guard_given(s, name);
    return ok ? 0 : -1;
}

static int check_names(const json_t *names, struct err *err)
{
    const json_t *name;
    size_t i;

    if (!json_is_array(names) || json_array_size(names) > NAMES_MAX)
        return err_set(err, ERR_USAGE, "names must be a list of strings, at most %d", NAMES_MAX);
    json_array_foreach(names, i, name) if (!json_is_string(name)) return err_set(
        err, ERR_USAGE, "names must be a list of strings");
    return 0;
}

static void copy_member(json_t *to, const json_t *from, const char *key, bool list)
{
    json_t *value = json_object_get(from, key);
    bool fits = list ? json_is_array(value) : json_is_object(value);

    json_object_set_new(to, key, fits ? json_incref(value) : list ? json_array() : json_object());
}

int session_get(struct session *s, json_t *names, json_t **ret, struct err *err)
{
    if (check_names(names, err) < 0 || turn_take(s, err) < 0)
        return -1;
    json_t *body = json_pack("{s:O}", "names", names);
    json_t *answer = session_values_ask(s, "get", body, err);
    turn_give(s);
    json_decref(body);
    if (!answer)
        return -1;
    *ret = json_object();
    copy_member(*ret, answer, "values", false);
    copy_member(*ret, answer, "missing", true);
    copy_member(*ret, answer, "failed", false);
    json_decref(answer);
    return 0;
}

/* Invalid names are left out. */
static json_t *take_names(const json_t *answer)
{
    json_t *names = json_array(), *name;
    size_t i;

    json_array_foreach(json_object_get(answer, "names"), i, name)
    {
        if (i == NAMES_MAX)
            break;
        if (json_is_string(name))
            json_array_append(names, name);
    }
    return names;
}

/* Sends a "get" that may run the program's code; takes `body` over. */
static json_t *session_values_look(struct session *s, json_t *body, struct err *err)
{
    json_t *answer = NULL;
    uint32_t id;

    if (turn_take(s, err) == 0) {
        answer = guest_ask(s, &(struct question){"get", body, LOOK_MS}, &id, err);
        turn_give(s);
    }
    json_decref(body);
    if (answer && !cell_flag(answer, "ok")) {
        guest_explain(answer, err);
        json_decref(answer);
        answer = NULL;
    }
    return answer;
}

int session_names(struct session *s, struct str prefix, json_t **ret, struct err *err)
{
    json_t *text = json_stringn(prefix.p, prefix.n);

    if (!text)
        return err_set(err, ERR_USAGE, "a name must be UTF-8 text");
    json_t *answer = session_values_look(s, json_pack("{s:[],s:o}", "names", "prefix", text), err);
    if (!answer)
        return -1;
    *ret = take_names(answer);
    json_decref(answer);
    return 0;
}

/* Returns NULL if the guest's row is invalid. */
static json_t *take_variable(const json_t *row)
{
    AUTO_FREE char *name = cell_text(row, "name", ROW_TEXT_MAX);
    AUTO_FREE char *type = cell_text(row, "type", ROW_TEXT_MAX);
    AUTO_FREE char *value = cell_text(row, "value", ROW_TEXT_MAX);

    return name && type && value
               ? json_pack("{s:s,s:s,s:s}", "name", name, "type", type, "value", value)
               : NULL;
}

int session_variables(struct session *s, json_t **ret, struct err *err)
{
    json_t *answer = session_values_look(s, json_pack("{s:[],s:b}", "names", "list", 1), err), *row;
    size_t i;

    if (!answer && err->kind == ERR_TIMEOUT)
        return err_set(err, ERR_TIMEOUT,
                       "the variables could not be listed within %d seconds: code of the program "
                       "ran, such as __repr__",
                       LOOK_MS / 1000);
    if (!answer)
        return -1;
    *ret = json_array();
    json_array_foreach(json_object_get(answer, "variables"), i, row)
    {
        json_t *taken = i < NAMES_MAX ? take_variable(row) : NULL;
        if (taken)
            json_array_append_new(*ret, taken);
    }
    json_decref(answer);
    return 0;
}
