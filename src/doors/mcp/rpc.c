/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/rpc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "formats/json_write.h"

enum { METHOD_MAX = 200 }; /* bytes */
/* 2^53: a double can hold every whole number below it */
static const double WHOLE_MAX = 9007199254740992.0;

int rpc_problem_set(struct rpc_problem *problem, enum rpc_code code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(problem->message, sizeof problem->message, fmt, ap);
    va_end(ap);
    problem->code = code;
    problem->data = NULL;
    return -1;
}

/* ---- reading ---- */

static json_t *rpc_load(struct str text, size_t flags, json_error_t *where)
{
    return json_loadb(text.p ? text.p : "", text.n,
                      JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | flags, where);
}

int rpc_parse(struct str text, json_t **ret, struct rpc_problem *problem)
{
    json_error_t where;

    if (!utf8_valid(text))
        return rpc_problem_set(problem, RPC_PARSE, "the message is not UTF-8");
    *ret = rpc_load(text, 0, &where);
    if (*ret)
        return 0;
    if (json_error_code(&where) == json_error_numeric_overflow)
        return rpc_problem_set(problem, RPC_PARSE,
                               "column %d: the number is too large; write it inside a string "
                               "('cases' may be a string with JSON)",
                               where.column);
    return rpc_problem_set(problem, RPC_PARSE, "the message is not JSON: column %d: %s",
                           where.column, where.text);
}

/* Returns the id of a message that was refused because a number in it is too large, or NULL.
 * Without the id in the error, the client would wait for an answer forever. */
static json_t *unread_id(struct str text)
{
    json_error_t where;
    json_t *doc = rpc_load(text, JSON_DECODE_INT_AS_REAL, &where);
    const json_t *id = json_object_get(doc, "id");
    double number = json_real_value(id);
    json_t *ret = NULL;

    if (json_is_real(id) && number > -WHOLE_MAX && number < WHOLE_MAX &&
        number == (double)(json_int_t)number)
        ret = json_integer((json_int_t)number);
    else if (json_is_string(id) && json_string_length(id) <= RPC_ID_MAX)
        ret = json_deep_copy(id);
    json_decref(doc);
    return ret;
}

json_t *rpc_parse_line(struct str line, json_t **ret_error)
{
    struct rpc_problem problem;
    json_t *doc = NULL;

    *ret_error = NULL;
    if (line.p && !str_trim(line).n)
        return NULL;
    if (!line.p)
        (void)rpc_problem_set(&problem, RPC_PARSE, "the message is longer than %d MiB",
                              RPC_LINE_MAX >> 20);
    if (line.p && rpc_parse(line, &doc, &problem) == 0)
        return doc;
    json_t *id = line.p ? unread_id(line) : NULL;
    *ret_error = rpc_error(id, &problem);
    json_decref(id);
    return NULL;
}

static int check_form(const json_t *doc, struct rpc_problem *problem)
{
    if (json_is_array(doc))
        return rpc_problem_set(problem, RPC_INVALID,
                               "this version of the protocol has no batches: send each message by "
                               "itself");
    return json_is_object(doc)
               ? 0
               : rpc_problem_set(problem, RPC_INVALID, "a message must be a JSON object");
}

static int read_id(struct rpc_message *m, struct rpc_problem *problem)
{
    const json_t *id = json_object_get(m->doc, "id");
    bool good = json_is_integer(id) || (json_is_string(id) && json_string_length(id) <= RPC_ID_MAX);

    if (id && !good)
        return rpc_problem_set(problem, RPC_INVALID,
                               "'id' must be an integer, or a string of at most %d bytes",
                               RPC_ID_MAX);
    m->id = id;
    return 0;
}

static int read_method(struct rpc_message *m, struct rpc_problem *problem)
{
    const json_t *method = json_object_get(m->doc, "method");
    bool answers = json_object_get(m->doc, "result") || json_object_get(m->doc, "error");

    if (!method && m->id && answers) {
        m->kind = RPC_RESPONSE;
        return 0;
    }
    if (!json_is_string(method) || json_string_length(method) > METHOD_MAX ||
        strlen(json_string_value(method)) != json_string_length(method))
        return rpc_problem_set(problem, RPC_INVALID, "'method' must be the name of a method");
    m->method = json_string_value(method);
    m->kind = m->id ? RPC_REQUEST : RPC_NOTIFICATION;
    return 0;
}

static int read_params(struct rpc_message *m, struct rpc_problem *problem)
{
    json_t *params = json_object_get(m->doc, "params");

    if (params && !json_is_null(params) && !json_is_object(params))
        return rpc_problem_set(problem, RPC_PARAMS, "'params' must be an object");
    m->params = json_is_object(params) ? params : NULL;
    return 0;
}

int rpc_read(json_t *doc, struct rpc_message *ret, struct rpc_problem *problem)
{
    *ret = (struct rpc_message){.doc = doc};
    if (check_form(doc, problem) < 0 || read_id(ret, problem) < 0)
        return -1;
    if (!str_is(json_str(json_object_get(ret->doc, "jsonrpc")), "2.0"))
        return rpc_problem_set(problem, RPC_INVALID, "'jsonrpc' must be \"2.0\"");
    return read_method(ret, problem) < 0 ? -1 : read_params(ret, problem);
}

/* ---- writing ---- */

static json_t *copy_id(const json_t *id)
{
    return id ? json_deep_copy(id) : json_null();
}

json_t *rpc_result(const json_t *id, json_t *result)
{
    return json_pack("{s:s, s:o, s:o}", "jsonrpc", "2.0", "id", copy_id(id), "result", result);
}

json_t *rpc_error(const json_t *id, struct rpc_problem *problem)
{
    return json_pack("{s:s, s:o, s:{s:i, s:o, s:o*}}", "jsonrpc", "2.0", "id", copy_id(id), "error",
                     "code", problem->code, "message", json_text(str_from(problem->message)),
                     "data", problem->data);
}

json_t *rpc_notification(const char *method, json_t *params)
{
    return json_pack("{s:s, s:s, s:o*}", "jsonrpc", "2.0", "method", method, "params", params);
}

json_t *rpc_request(const char *id, const char *method)
{
    return json_pack("{s:s, s:s, s:s}", "jsonrpc", "2.0", "id", id, "method", method);
}

int rpc_too_long(size_t max, struct rpc_problem *problem)
{
    char most[32];

    return rpc_problem_set(problem, RPC_INTERNAL,
                           "the answer has more than %s, the limit of a message; ask for less at "
                           "a time",
                           num_format_size(max, most, sizeof most));
}

static char *refusal(const json_t *message, size_t max)
{
    struct rpc_problem problem;

    (void)rpc_too_long(max, &problem);
    json_t *error = rpc_error(json_object_get(message, "id"), &problem);
    char *text = json_write(error, false);
    json_decref(error);
    return text;
}

char *rpc_text(json_t *message, size_t max)
{
    char *text = json_write(message, false);

    if (strlen(text) > max) {
        free(text);
        text = refusal(message, max);
    }
    json_decref(message);
    return text;
}

/* ---- lines ---- */

void rpc_lines_init(struct rpc_lines *lines, size_t max, void (*line)(void *ctx, struct str line),
                    void *ctx)
{
    *lines = (struct rpc_lines){.line = line, .ctx = ctx, .max = max};
    buf_init(&lines->held, max);
}

void rpc_lines_done(struct rpc_lines *lines)
{
    buf_done(&lines->held);
}

static void rpc_lines_drop(struct rpc_lines *lines)
{
    lines->dropping = true;
    buf_done(&lines->held);
}

static void hold(struct rpc_lines *lines, struct str piece)
{
    if (lines->dropping || buf_add_str(&lines->held, piece) == 0)
        return;
    rpc_lines_drop(lines);
}

static void rpc_end_line(struct rpc_lines *lines)
{
    struct str line = buf_str(&lines->held);

    if (lines->dropping)
        line = (struct str){NULL, 0};
    else if (str_ends(line, "\r"))
        line.n--;
    lines->line(lines->ctx, line);
    lines->dropping = false;
    buf_done(&lines->held);
}

void rpc_lines_feed(struct rpc_lines *lines, struct str bytes)
{
    while (bytes.n) {
        const char *end = memchr(bytes.p, '\n', bytes.n);
        size_t n = end ? (size_t)(end - bytes.p) : bytes.n;
        hold(lines, str_slice(bytes, 0, n));
        if (!end)
            return;
        rpc_end_line(lines);
        bytes = str_slice(bytes, n + 1, bytes.n);
    }
}

void rpc_lines_end(struct rpc_lines *lines)
{
    if (lines->held.n || lines->dropping)
        rpc_end_line(lines);
}
