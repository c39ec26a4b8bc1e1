/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox session set` and `vars`: the variables of a session.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "formats/json_get.h"
#include "formats/json_write.h"
#include "remote/cmd_session.h"
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
        return err_set(err, ERR_USAGE, "'%.100s' is not JSON (%s); a string is '%s=\"...\"'",
                       equals + 1, why.text, name);
    return json_object_set_new(values, name, value) < 0
               ? cmd_session_not_text("a variable's name", err)
               : 0;
}

int cmd_session_set(struct session_call *call, struct err *err)
{
    json_t *values = json_object(), *doc;

    for (size_t i = 1; i < call->operand_n; i++)
        if (add_variable(values, call->operands[i], err) < 0) {
            json_decref(values);
            return -1;
        }
    if (cmd_session_ask_about(call, "POST", "/set", json_pack("{s:o}", "values", values), &doc,
                              err) < 0)
        return -1;
    return cmd_session_put_word(call, doc, NULL);
}

static void print_value(const char *name, const json_t *v)
{
    AUTO_FREE char *text = json_write(v, false);
    AUTO_FREE char *safe = safe_line(text);

    printf("%s=%s\n", name, isatty(1) ? safe : text);
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

void cmd_session_print_variables(const json_t *rows)
{
    int names = width_of(rows, "name"), types = width_of(rows, "type");
    const json_t *row;
    size_t i;

    if (json_array_size(rows))
        printf("%-*s  %-*s  VALUE\n", names, "NAME", types, "TYPE");
    json_array_foreach(rows, i, row)
    {
        AUTO_FREE char *name = safe_line(json_get_text(row, "name"));
        AUTO_FREE char *type = safe_line(json_get_text(row, "type"));
        AUTO_FREE char *value = safe_line(json_get_text(row, "value"));
        printf("%-*s  %-*s  %s\n", names, name, types, type, value);
    }
}

static int list_all(struct session_call *call, struct err *err)
{
    json_t *doc;

    if (cmd_session_ask_about(call, "POST", "/get", json_pack("{s:b}", "list", 1), &doc, err) < 0)
        return -1;
    json_t *rows = json_object_get(doc, "variables");
    if (call->set->cli.json)
        return cmd_session_put_json(doc);
    cmd_session_print_variables(rows);
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
            return cmd_session_not_text("a variable's name", err);
        }
    if (cmd_session_ask_about(call, "POST", "/get", json_pack("{s:o}", "names", names), &doc, err) <
        0)
        return -1;
    bool whole = !json_array_size(json_object_get(doc, "missing")) &&
                 !json_object_size(json_object_get(doc, "failed"));
    if (call->set->cli.json) {
        cmd_session_put_json(doc);
        return whole ? 0 : FAILED;
    }
    json_object_foreach(json_object_get(doc, "values"), key, v) print_value(key, v);
    json_array_foreach(json_object_get(doc, "missing"), i, v)
        fprintf(stderr, "glovebox session: there is no variable %s\n", json_string_value(v));
    json_object_foreach(json_object_get(doc, "failed"), key, v)
    {
        AUTO_FREE char *why = safe_line(json_string_value(v));
        fprintf(stderr, "glovebox session: %s has no form in JSON: %s\n", key, why);
    }
    json_decref(doc);
    return whole ? 0 : FAILED;
}

int cmd_session_vars(struct session_call *call, struct err *err)
{
    return call->operand_n > 1 ? print_named(call, err) : list_all(call, err);
}
