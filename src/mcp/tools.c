/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/tools.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/encoded.h"
#include "base/json_get.h"
#include "base/mem.h"
#include "base/utf8.h"

const struct mcp_tool *tool_find(struct str name)
{
    for (const struct mcp_tool *tool = mcp_tools; tool->name; tool++)
        if (str_is(name, tool->name))
            return tool;
    return NULL;
}

/* ---- the list ---- */

static json_t *output_schema(const struct tool_output *rows);

static json_t *output_type(const struct tool_output *row)
{
    if (!row->type)
        return json_pack("{s:s}", "description", row->help);
    json_t *schema =
        row->maybe
            ? json_pack("{s:[s, s], s:s}", "type", row->type, "null", "description", row->help)
            : json_pack("{s:s, s:s}", "type", row->type, "description", row->help);
    if (strcmp(row->type, "array") == 0)
        json_object_set_new(schema, "items",
                            row->items ? output_schema(row->items)
                                       : json_pack("{s:s}", "type", "string"));
    return schema;
}

static json_t *output_schema(const struct tool_output *rows)
{
    json_t *properties = json_object(), *required = json_array();

    for (; rows->name; rows++) {
        json_object_set_new(properties, rows->name, output_type(rows));
        json_array_append_new(required, json_string(rows->name));
    }
    return json_pack("{s:s, s:o, s:o}", "type", "object", "properties", properties, "required",
                     required);
}

static json_t *describe(const struct mcp_service *service, const struct mcp_tool *tool)
{
    AUTO_FREE char *about = tool->runs ? xasprintf("%s\n\nThe sandbox:\n%.*s", tool->about,
                                                   (int)service->about.n, service->about.p)
                                       : xstrdup(tool->about);

    return json_text(str_trim(str_from(about)));
}

static json_t *tool_json(const struct mcp_service *service, const struct mcp_tool *tool)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:{s:b, s:b, s:b, s:b}}", "name", tool->name,
                     "title", tool->title, "description", describe(service, tool), "inputSchema",
                     fields_schema(tool->fields), "outputSchema", output_schema(tool->output),
                     "annotations", "readOnlyHint", (tool->hints & TOOL_READS) != 0,
                     "destructiveHint", (tool->hints & TOOL_DESTROYS) != 0, "idempotentHint",
                     (tool->hints & TOOL_REPEATS) != 0, "openWorldHint",
                     tool->runs && service->base.net_host);
}

json_t *tools_list(const struct mcp_service *service)
{
    json_t *list = json_array();

    for (const struct mcp_tool *tool = mcp_tools; tool->name; tool++)
        json_array_append_new(list, tool_json(service, tool));
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
        *ret = mcp_client_session(call->client, id.p);
    return *ret
               ? 0
               : err_set(err, ERR_USAGE,
                         "there is no session '%.*s': it was closed, was not used for too long, or "
                         "never existed; create_session opens one",
                         (int)utf8_cut(id, 60), id.p);
}

/* Those that calls are about to open count as well. */
static bool has_room(const struct mcp_client *client)
{
    size_t n = client->sessions_max ? sessions_in_scope(client->sessions, client->scope) : 0;

    for (const struct mcp_call *call = client->calls; call; call = call->next)
        n += call->counted;
    return !client->sessions_max || n < client->sessions_max;
}

/* A fork belongs to the owner of the session that it copies. */
static int reserve(struct mcp_call *call, const struct session_entry *entry, struct err *err)
{
    struct err why;

    if (!call->tool->opens)
        return 0;
    if (!has_room(call->client))
        return err_set(err, ERR_LIMIT,
                       "%zu sessions are open, the maximum; close one with close_session",
                       call->client->sessions_max);
    snprintf(call->owner, sizeof call->owner, "%s", entry ? entry->owner : call->client->owner);
    call->counted = sessions_reserve(call->client->sessions, call->owner, &why) == RESERVED;
    return call->counted ? 0 : err_set(err, ERR_LIMIT, "%s with close_session", why.msg);
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

static void add_name(void *ctx, const struct language *language)
{
    struct buf *all = ctx;

    (void)buf_addf(all, "%s%s", all->n ? ", " : "", language->name);
}

static int unknown_language(const struct language_table *table, const char *name, struct err *err)
{
    AUTO_BUF struct buf all = {0};

    buf_init(&all, 200);
    language_each(table, add_name, &all);
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

    if (a->run.language && *a->run.language && strcmp(a->run.language, "auto") != 0)
        return tool_check_offered(call, a->run.language, err);
    a->run.language = offered && !call->entry ? offered[0] : NULL;
    return 0;
}

static void lower_time(struct tool_arguments *a)
{
    int64_t *wall_ms = &a->request.limits.wall_ms, wanted = (int64_t)ceil(a->timeout * 1000);

    if (a->timeout > 0 && a->timeout < 1e9 && (!*wall_ms || wanted < *wall_ms))
        *wall_ms = wanted;
}

int tool_arguments_read(struct mcp_call *call, struct tool_arguments *ret)
{
    const struct request_rules *rules = call->service->rules;
    struct err err;

    *ret = (struct tool_arguments){.offset = -1, .limit = -1, .timeout = -1};
    request_parts_init(&ret->parts);
    run_fields_init(&ret->run, rules, &ret->parts);
    if (fields_read(call->tool->fields, call->arguments, rules, ret, &err) < 0 ||
        check_language(call, ret, &err) < 0 ||
        call->client->host->request(call, &ret->run, &ret->parts, &ret->request, &err) < 0) {
        mcp_call_fail(call, &err);
        return -1;
    }
    lower_time(ret);
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

/* Such items exist since 2025-06-18. */
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
