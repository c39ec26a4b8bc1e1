/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/tools.h"
#include "mcp/stdio.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "formats/encoded.h"
#include "formats/json_get.h"

const struct mcp_tool *tool_find(struct str name)
{
    for (const struct mcp_tool *tool = mcp_tools; tool->name; tool++)
        if (str_is(name, tool->name))
            return tool;
    return NULL;
}

static int unknown_tool(const char *name, struct err *err)
{
    AUTO_BUF struct buf all = {0};

    buf_init(&all, 1000);
    for (const struct mcp_tool *tool = mcp_tools; tool->name; tool++)
        (void)buf_addf(&all, "%s%s", all.n ? ", " : "", tool->name);
    return err_set(err, ERR_USAGE, "--tools: there is no tool '%.40s'; there are %s", name, all.p);
}

int mcp_check_tools(char *const *names, struct err *err)
{
    const struct mcp_tool *tool, *in_session = NULL;
    bool opens = false;

    for (char *const *name = names; name && *name; name++) {
        if (!(tool = tool_find(str_from(*name))))
            return unknown_tool(*name, err);
        opens |= tool->opens && tool->session == TOOL_ALONE;
        if (tool->session == TOOL_IN_SESSION)
            in_session = tool;
    }
    return !in_session || opens
               ? 0
               : err_set(err, ERR_USAGE,
                         "--tools: %s needs a session, and create_session, which opens one, is not "
                         "offered: add it",
                         in_session->name);
}

bool tool_is_offered(const struct mcp_service *service, const struct mcp_tool *tool)
{
    bool found = !service->tools || !service->tools[0];

    for (size_t i = 0; service->tools && service->tools[i]; i++)
        found |= strcmp(service->tools[i], tool->name) == 0;
    return found;
}

void tool_words(const struct mcp_service *service, const char *text, struct buf *ret)
{
    struct str rest = str_from(text);

    for (long at; (at = str_find(rest, STR("<"))) >= 0;) {
        struct str part = str_slice(rest, (size_t)at + 1, rest.n);
        bool absent = str_starts(part, "!");
        size_t colon = (size_t)str_find(part, STR(":")), end = (size_t)str_find(part, STR(">"));
        const struct mcp_tool *tool = tool_find(str_slice(part, absent, colon));
        (void)buf_add_str(ret, str_slice(rest, 0, (size_t)at));
        if (tool_is_offered(service, tool) != absent)
            (void)buf_add_str(ret, str_slice(part, colon + 1, end));
        rest = str_slice(part, end + 1, part.n);
    }
    (void)buf_add_str(ret, rest);
}

/* ---- the list ---- */

/* A model pays for each byte of the list in every conversation, so the schemas have what a model or
 * a client needs: the arguments with descriptions, the results with types alone. */

static json_t *output_schema(const struct tool_output *rows)
{
    json_t *properties = json_object();

    for (; rows->name; rows++)
        json_object_set_new(properties, rows->name,
                            !rows->type   ? json_object()
                            : rows->maybe ? json_pack("{s:[s, s]}", "type", rows->type, "null")
                                          : json_pack("{s:s}", "type", rows->type));
    return json_pack("{s:s, s:o}", "type", "object", "properties", properties);
}

/* Replaces forms that an argument may have by their types: its description says the rest. */
static void shorten_argument(const struct mcp_service *service, json_t *argument)
{
    AUTO_BUF struct buf about = {0};
    json_t *forms = json_object_get(argument, "anyOf"), *form, *types = json_array();
    size_t i;

    buf_init(&about, 1000);
    tool_words(service, json_get_word(argument, "description"), &about);
    json_object_set_new(argument, "description", json_text(buf_str(&about)));
    json_array_foreach(forms, i, form) json_array_append(types, json_object_get(form, "type"));
    if (forms) { /* some clients refuse an array without items */
        json_object_set(argument, "type", types);
        json_object_set_new(argument, "items", json_pack("{s:s}", "type", "object"));
    }
    json_decref(types);
    json_object_del(argument, "anyOf");
    json_object_del(argument, "format");
    json_object_del(argument, "minimum");
}

static json_t *input_schema(const struct mcp_service *service, const struct mcp_tool *tool)
{
    json_t *schema = ask_schema(&tool->form), *argument;
    json_t *properties = json_object_get(schema, "properties");
    const char *name;

    if (tool->session == TOOL_MAY_HAVE_SESSION &&
        !tool_is_offered(service, tool_find(STR("create_session"))))
        json_object_del(properties, "session_id");
    json_object_foreach(properties, name, argument) shorten_argument(service, argument);
    return schema;
}

/* The first tool that runs something describes the sandbox for all of them. */
static json_t *tools_describe(const struct mcp_service *service, const struct mcp_tool *tool,
                              bool first)
{
    AUTO_BUF struct buf about = {0};

    buf_init(&about, service->about.n + 2000);
    tool_words(service, tool->about, &about);
    if (first)
        (void)buf_addf(&about, "\n\nThe sandbox: %.*s", (int)service->about.n, service->about.p);
    return json_text(str_trim(buf_str(&about)));
}

static json_t *tool_json(const struct mcp_service *service, const struct mcp_tool *tool, bool first)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:{s:b, s:b, s:b, s:b}}", "name", tool->name,
                     "title", tool->title, "description", tools_describe(service, tool, first),
                     "inputSchema", input_schema(service, tool), "outputSchema",
                     output_schema(tool->output), "annotations", "readOnlyHint",
                     (tool->hints & TOOL_READS) != 0, "destructiveHint",
                     (tool->hints & TOOL_DESTROYS) != 0, "idempotentHint",
                     (tool->hints & TOOL_REPEATS) != 0, "openWorldHint",
                     tool->runs && (service->base.place.net_host || service->base.place.net_rules));
}

json_t *tools_list(const struct mcp_service *service)
{
    json_t *list = json_array();
    bool described = false;

    for (const struct mcp_tool *tool = mcp_tools; tool->name; tool++) {
        if (!tool_is_offered(service, tool))
            continue;
        json_array_append_new(list, tool_json(service, tool, tool->runs && !described));
        described |= tool->runs;
    }
    return json_pack("{s:o}", "tools", list);
}

/* ---- the beginning of a call ---- */

static int find_session(struct mcp_call *call, struct session_entry **ret, struct err *err)
{
    const json_t *given = json_object_get(call->arguments, "session_id");
    struct str id = json_str(given);

    *ret = NULL;
    if (call->tool->session == TOOL_ALONE || json_is_null(given) ||
        (json_is_string(given) && !id.n))
        given = NULL;
    if (!given)
        return call->tool->session == TOOL_IN_SESSION
                   ? err_set(err, ERR_USAGE,
                             "'session_id' is missing; create_session opens a "
                             "session")
                   : 0;
    if (json_is_string(given) && strlen(id.p) == id.n)
        *ret = sessions_find(call->client->sessions, call->client->sees, id.p);
    return *ret
               ? 0
               : err_set(err, ERR_USAGE,
                         "there is no session '%.*s': it was closed, was not used for too long, or "
                         "never existed; create_session opens one",
                         (int)utf8_cut(id, 60), id.p);
}

/* A fork is owned by the owner of the session that it copies. */
static int reserve(struct mcp_call *call, const struct session_entry *entry, struct err *err)
{
    struct err why;

    if (!call->tool->opens)
        return 0;
    snprintf(call->owner, sizeof call->owner, "%s", entry ? entry->owner : call->client->owner);
    call->counted = sessions_reserve(call->client->sessions, call->owner, &why) == RESERVED;
    bool closes = tool_is_offered(call->service, tool_find(STR("close_session")));
    return call->counted
               ? 0
               : err_set(err, ERR_LIMIT, "%s%s", why.msg, closes ? " with close_session" : "");
}

static void close_session(struct mcp_call *call, struct session_entry *entry)
{
    json_t *structured = json_pack("{s:s, s:b}", "session_id", entry->id, "closed", 1);

    session_entry_shut(entry);
    tool_answer(call, json_pack("[o]", tool_text(STR("The session is closed."))), structured,
                false);
    mcp_call_finish(call);
}

void tools_call(struct mcp_call *call)
{
    struct session_entry *entry;
    struct err err;

    if (find_session(call, &entry, &err) < 0 || reserve(call, entry, &err) < 0) {
        mcp_call_fail(call, &err);
        mcp_call_finish(call);
    } else if (call->tool->closes) {
        close_session(call, entry);
    } else {
        call->work = call->tool->work;
        mcp_call_begin(call, entry);
    }
}

/* ---- arguments ---- */

static void tools_add_name(void *ctx, const struct language *language)
{
    struct buf *all = ctx;

    (void)buf_addf(all, "%s%s", all->n ? ", " : "", language->name);
}

static int unknown_language(const struct language_table *table, const char *name, struct err *err)
{
    AUTO_BUF struct buf all = {0};

    buf_init(&all, 200);
    language_each(table, tools_add_name, &all);
    return err_set(err, ERR_USAGE, "the language '%.40s' is not known; there are %s", name, all.p);
}

int tool_check_offered(const struct mcp_call *call, const char *language, struct err *err)
{
    const struct language_table *table = &call->service->rules->defaults->languages;
    const struct language *row = language_find(table, str_from(language));
    char *const *offered = call->service->languages;
    AUTO_BUF struct buf all = {0};

    if (!row)
        return unknown_language(table, language, err);
    buf_init(&all, 200);
    for (size_t i = 0; offered && offered[i]; i++) {
        if (language_find(table, str_from(offered[i])) == row)
            return 0;
        (void)buf_addf(&all, "%s%s", i ? ", " : "", offered[i]);
    }
    return offered
               ? err_set(err, ERR_POLICY, "'%.40s' is not offered here; use %s", language, all.p)
               : 0;
}

static int check_language(const struct mcp_call *call, struct tool_arguments *a, struct err *err)
{
    char *const *offered = call->service->languages;

    if (a->language && *a->language && strcmp(a->language, "auto") != 0) {
        a->ask.lang = (char *)(uintptr_t)a->language;
        return tool_check_offered(call, a->language, err);
    }
    a->language = NULL;
    if (offered && !call->entry)
        a->ask.lang = offered[0];
    return 0;
}

static void lower_time(struct tool_arguments *a)
{
    int64_t *wall_ms = &a->request.limits.wall_ms;

    if (a->timeout > 0 && (!*wall_ms || a->timeout < *wall_ms))
        *wall_ms = a->timeout;
}

int tool_arguments_read(struct mcp_call *call, struct tool_arguments *ret)
{
    const struct request_rules *rules = call->service->rules;
    struct err err;

    *ret = (struct tool_arguments){.offset = -1, .limit = -1};
    request_parts_init(&ret->parts);
    ask_begin(&ret->ask, rules, &ret->parts.lent);
    if (ask_read(&call->tool->form, call->arguments, rules, ret, &err) < 0 ||
        check_language(call, ret, &err) < 0 ||
        call->client->host->request(call, &ret->ask, &ret->parts, &ret->request, &err) < 0) {
        mcp_call_fail(call, &err);
        return -1;
    }
    lower_time(ret);
    ret->request.workspace.places = true;
    return 0;
}

void tool_arguments_done(struct tool_arguments *arguments)
{
    request_parts_done(&arguments->parts);
}

bool tool_has_all_time(const struct mcp_call *call, int64_t wall_ms)
{
    int64_t most = call->service->base.limits.wall_ms;

    return most && wall_ms >= most;
}

/* ---- the answer ---- */

json_t *tool_text(struct str text)
{
    return json_pack("{s:s, s:o}", "type", "text", "text", json_text(text));
}

/* Resource links exist since version 2025-06-18. */
static bool knows_links(const struct mcp_call *call)
{
    return call->modern || !call->version || strcmp(call->version, "2025-06-18") >= 0;
}

json_t *tool_link(const struct mcp_call *call, const char *uri, struct str name, const char *mime,
                  int64_t size)
{
    if (!knows_links(call))
        return NULL;
    return json_pack("{s:s, s:s, s:o, s:s, s:I}", "type", "resource_link", "uri", uri, "name",
                     json_text(name), "mimeType", mime, "size", (json_int_t)size);
}

void tool_answer(struct mcp_call *call, json_t *content, json_t *structured, bool failed)
{
    json_decref(call->result);
    call->result = json_pack("{s:o, s:o, s:b}", "content", content, "structuredContent", structured,
                             "isError", failed);
}
