/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox session set` and `vars`: the variables of a session.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_get.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/cmd_session.h"
#include "terminal/safe_text.h"

enum { FAILED = 1, COLUMN_MOST = 30 };

/* name=JSON */
static int add_variable(json_t *values, const char *spec, struct err *err)
{
    const char *equals = strchr(spec, '=');
    json_error_t why;

    if (!equals || equals == spec)
        return err_set(err, ERR_USAGE, "'%.100s': write NAME=JSON, as in n=3 or 'name=\"Ann\"'",
                       spec);
    json_t *value = json_loads(equals + 1, JSON_DECODE_ANY | JSON_ALLOW_NUL, &why);
    AUTO_FREE char *name = xstrndup(spec, (size_t)(equals - spec));
    if (!value)
        return err_set(err, ERR_USAGE, "'%.100s' is not JSON (%s); a text is '%s=\"...\"'",
                       equals + 1, why.text, name);
    return json_object_set_new(values, name, value) < 0 ? session_not_text("a variable's name", err)
                                                        : 0;
}

int session_run_set(struct session_call *call, struct err *err)
{
    json_t *values = json_object(), *doc;

    for (size_t i = 1; i < call->operand_n; i++)
        if (add_variable(values, call->operands[i], err) < 0) {
            json_decref(values);
            return -1;
        }
    if (session_ask_about(call, "POST", "/set", json_pack("{s:o}", "values", values), &doc, err) <
        0)
        return -1;
    return session_put_word(call, doc, NULL);
}

static void print_value(const char *name, const json_t *v)
{
    AUTO_FREE char *text = json_write(v, false);
    AUTO_BUF struct buf safe = {0};

    buf_init(&safe, 6 * strlen(text) + 16);
    safe_text_add(&safe, str_from(text), false);
    printf("%s=%s\n", name, isatty(1) ? safe.p : text);
}

static const char *text_in(const json_t *row, const char *key, struct buf *safe)
{
    const json_t *text = json_object_get(row, key);

    buf_init(safe, 8192);
    safe_text_add(safe, json_str(text), false);
    return safe->n ? safe->p : "";
}

static int width_of(const json_t *rows, const char *key)
{
    const json_t *row;
    size_t i, most = 4;

    json_array_foreach(rows, i, row)
    {
        size_t n = utf8_count(json_str(json_object_get(row, key)));
        most = n > most && n <= COLUMN_MOST ? n : most;
    }
    return (int)most;
}

void session_print_variables(const json_t *rows)
{
    int names = width_of(rows, "name"), types = width_of(rows, "type");
    const json_t *row;
    size_t i;

    if (json_array_size(rows))
        printf("%-*s  %-*s  VALUE\n", names, "NAME", types, "TYPE");
    json_array_foreach(rows, i, row)
    {
        AUTO_BUF struct buf name = {0}, type = {0}, value = {0};
        printf("%-*s  %-*s  %s\n", names, text_in(row, "name", &name), types,
               text_in(row, "type", &type), text_in(row, "value", &value));
    }
}

static int list_all(struct session_call *call, struct err *err)
{
    json_t *doc;

    if (session_ask_about(call, "POST", "/get", json_pack("{s:b}", "list", 1), &doc, err) < 0)
        return -1;
    json_t *rows = json_object_get(doc, "variables");
    if (call->set->cli.json)
        return session_put_json(doc);
    session_print_variables(rows);
    if (!json_array_size(rows) && !call->set->cli.quiet)
        puts("no variables");
    json_decref(doc);
    return 0;
}

static int print_named(struct session_call *call, struct err *err)
{
    json_t *names = json_array(), *doc, *v;
    const char *key;
    size_t i;

    for (i = 1; i < call->operand_n; i++)
        if (json_array_append_new(names, json_string(call->operands[i])) < 0) {
            json_decref(names);
            return session_not_text("a variable's name", err);
        }
    if (session_ask_about(call, "POST", "/get", json_pack("{s:o}", "names", names), &doc, err) < 0)
        return -1;
    bool whole = !json_array_size(json_object_get(doc, "missing")) &&
                 !json_object_size(json_object_get(doc, "failed"));
    if (call->set->cli.json) {
        session_put_json(doc);
        return whole ? 0 : FAILED;
    }
    json_object_foreach(json_object_get(doc, "values"), key, v) print_value(key, v);
    json_array_foreach(json_object_get(doc, "missing"), i, v)
        fprintf(stderr, "glovebox session: there is no variable %s\n", json_string_value(v));
    json_object_foreach(json_object_get(doc, "failed"), key, v)
    {
        AUTO_BUF struct buf why = {0};
        buf_init(&why, 8192);
        safe_text_add(&why, str_from(json_string_value(v)), false);
        fprintf(stderr, "glovebox session: %s cannot be had as JSON: %s\n", key, why.p);
    }
    json_decref(doc);
    return whole ? 0 : FAILED;
}

int session_run_vars(struct session_call *call, struct err *err)
{
    return call->operand_n > 1 ? print_named(call, err) : list_all(call, err);
}
