/* SPDX-License-Identifier: Apache-2.0 */
#include "session/tools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "formats/encoded.h"
#include "formats/json_write.h"
#include "python/python.h"
#include "session/tool_parameters.h"

enum { SOURCE_MAX = 1 << 20, TOOLS_MAX = 1000, DESCRIPTION_MAX = 100000 };

void tool_set_init(struct tool_set *set)
{
    *set = (struct tool_set){.timeout_ms = 30000, .max_bytes = 4u << 20, .max_calls = 1000};
}

static void tool_done(struct tool *tool)
{
    free(tool->name);
    free(tool->description);
    free(tool->returns);
    json_decref(tool->parameters);
}

void tool_set_done(struct tool_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        tool_done(&set->items[i]);
    free(set->items);
    free(set->source);
    tool_set_init(set);
}

const struct tool *tool_set_find(const struct tool_set *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->items[i].name, name) == 0)
            return &set->items[i];
    return NULL;
}

/* ---- adding ---- */

static int tools_check_name(const struct tool_set *set, const char *name, struct err *err)
{
    if (!python_is_variable(str_from(name)))
        return err_set(err, ERR_USAGE, "'%.80s' is not a valid tool name", name ? name : "");
    if (strcmp(name, "final_answer") == 0 && set->final_answer)
        return err_set(err, ERR_USAGE, "final_answer exists already");
    if (tool_set_find(set, name))
        return err_set(err, ERR_USAGE, "two tools have the name %.80s", name);
    if (set->count == TOOLS_MAX)
        return err_set(err, ERR_USAGE, "there are more than %d tools", TOOLS_MAX);
    return 0;
}

static int check_texts(const struct tool_new *tool, struct err *err)
{
    if (tool->returns && strlen(tool->returns) > TOOL_TYPE_MAX)
        return err_set(err, ERR_USAGE, "tool %.80s: 'returns' has more than %d bytes", tool->name,
                       TOOL_TYPE_MAX);
    return 0;
}

static struct tool *add_row(struct tool_set *set)
{
    set->items = xrealloc_array(set->items, set->count + 1, sizeof *set->items);
    return &set->items[set->count++];
}

static char *tools_copy(const char *text)
{
    return text ? xstrdup(text) : NULL;
}

int tool_set_add(struct tool_set *set, const struct tool_new *tool, struct err *err)
{
    const char *description = tool->description;
    json_t *parameters;

    if (tools_check_name(set, tool->name, err) < 0 || check_texts(tool, err) < 0 ||
        tool_parameters_read(tool->name, tool->parameters, &parameters, err) < 0)
        return -1;
    *add_row(set) = (struct tool){
        .name = xstrdup(tool->name),
        .description =
            description ? xstrndup(description, strnlen(description, DESCRIPTION_MAX)) : NULL,
        .returns = tools_copy(tool->returns),
        .parameters = parameters,
        .fn = tool->fn,
        .ctx = tool->ctx,
        .timeout_ms = tool->timeout_ms,
    };
    return 0;
}

void tool_set_copy(struct tool_set *to, const struct tool_set *from)
{
    *to = *from;
    to->items = NULL;
    to->count = 0;
    to->source = tools_copy(from->source);
    for (size_t i = 0; i < from->count; i++) {
        struct tool *tool = add_row(to);
        *tool = from->items[i];
        tool->name = xstrdup(tool->name);
        tool->description = tools_copy(tool->description);
        tool->returns = tools_copy(tool->returns);
        json_incref(tool->parameters);
    }
}

bool tool_set_remove(struct tool_set *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->items[i].name, name) == 0) {
            tool_done(&set->items[i]);
            set->count--;
            memmove(&set->items[i], &set->items[i + 1], (set->count - i) * sizeof *set->items);
            return true;
        }
    return false;
}

/* Not an identifier, so that no tool of the user can have this name. */
#define INPUT_NAME "input()"

void tool_set_add_input(struct tool_set *set, tool_fn fn, void *ctx)
{
    *add_row(set) = (struct tool){.name = xstrdup(INPUT_NAME),
                                  .fn = fn,
                                  .ctx = ctx,
                                  .timeout_ms = INT64_MAX,
                                  .is_input = true};
}

const struct tool *tool_set_input(const struct tool_set *set)
{
    return tool_set_find(set, INPUT_NAME);
}

bool tool_set_has_named(const struct tool_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        if (!set->items[i].is_input)
            return true;
    return false;
}

/* ---- --tools ---- */

static int check_source(struct str source, const char *path, struct err *err)
{
    struct python_tree tree;
    int result = 0;

    if (python_parse(source, &(struct python_options){0}, &tree) < 0 || python_check(&tree) < 0)
        result = err_set(err, ERR_USAGE, "%s, line %u: %s: %s", path, tree.error.line,
                         python_error_name(tree.error.kind),
                         tree.error.message ? tree.error.message : "");
    python_tree_done(&tree);
    return result;
}

static int too_long(const char *name, struct err *err)
{
    return err_set(err, ERR_USAGE, "%s: tools have more than %u MiB", name, SOURCE_MAX >> 20);
}

int tool_set_source(struct tool_set *set, struct str source, const char *name, struct err *err)
{
    AUTO_BUF struct buf b = {0};

    if (source.n && memchr(source.p, '\0', source.n))
        return err_set(err, ERR_USAGE, "%s: contains a NUL byte", name);
    if (check_source(source, name, err) < 0)
        return -1;
    buf_init(&b, SOURCE_MAX);
    if (set->source && (buf_adds(&b, set->source) < 0 || buf_adds(&b, "\n\n") < 0))
        return too_long(name, err);
    if (buf_add_str(&b, source) < 0)
        return too_long(name, err);
    free(set->source);
    set->source = buf_take(&b);
    return 0;
}

int tool_set_read(struct tool_set *set, const char *path, struct err *err)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, SOURCE_MAX);
    if (fd_read_file(path, &b, err) < 0) {
        if (err->sys == EFBIG)
            too_long(path, err);
        err->kind = ERR_USAGE;
        return err_wrap(err, "--tools");
    }
    return tool_set_source(set, buf_str(&b), path, err) < 0 ? err_wrap(err, "--tools") : 0;
}

/* ---- a call ---- */

static int call_tool(const struct tool_set *set, const struct tool *tool, struct tool_call *call,
                     json_t **ret, struct err *err)
{
    int64_t from = clock_mono_ms();

    call->timeout_ms = tool->timeout_ms ? tool->timeout_ms : set->timeout_ms;
    if (tool->fn(tool->ctx, call, ret, err) < 0)
        return -1;
    if (call->timeout_ms && clock_mono_ms() - from > call->timeout_ms) {
        json_decref(*ret);
        return err_set(err, ERR_TIMEOUT, "%s took longer than %lld ms", tool->name,
                       (long long)call->timeout_ms);
    }
    return 0;
}

/* Cuts the type off "ValueError: no"; *message is the rest then. */
static bool take_type(const char **message, char *ret, size_t n)
{
    size_t length = strspn(*message, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    struct str type = {*message, length};

    if (length >= n || strncmp(*message + length, ": ", 2) != 0 ||
        !(str_ends(type, "Error") || str_ends(type, "Exception")))
        return false;
    snprintf(ret, n, "%.*s", (int)length, *message);
    *message += length + 2;
    return true;
}

static const char *error_type(enum err_kind kind)
{
    return kind == ERR_TIMEOUT ? "TimeoutError" : kind == ERR_GUEST ? "TypeError" : "RuntimeError";
}

static char *write_error(const char *type, const char *message)
{
    json_t *answer =
        json_pack("{s:{s:s, s:o}}", "error", "type", type, "message", json_text(str_from(message)));
    char *text = json_write(answer, false);

    json_decref(answer);
    return text;
}

static char *write_answer(const struct tool_set *set, const char *name, json_t *value)
{
    json_t *answer = json_pack("{s:o}", "ok", value);
    AUTO_FREE char *text = answer ? json_write(answer, false) : NULL;
    char message[200];

    json_decref(answer);
    if (text && strlen(text) <= set->max_bytes)
        return mem_take(&text);
    snprintf(message, sizeof message, "%.80s answered with %zu bytes, more than %zu", name,
             text ? strlen(text) : 0, set->max_bytes);
    return write_error("RuntimeError", message);
}

char *tool_set_call(const struct tool_set *set, struct tool_call *call)
{
    const struct tool *tool = tool_set_find(set, call->name);
    struct err err = {0};
    json_t *value = NULL;

    if (!tool) {
        err_set(&err, ERR_USAGE, "there is no tool '%.80s'", call->name);
        return write_error("NameError", err.msg);
    }
    if (call_tool(set, tool, call, &value, &err) < 0) {
        const char *message = err.msg;
        char type[80];
        if (!take_type(&message, type, sizeof type))
            snprintf(type, sizeof type, "%s", error_type(err.kind));
        return write_error(type, message);
    }
    return write_answer(set, tool->name, value ? value : json_null());
}
