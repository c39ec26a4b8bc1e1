/* SPDX-License-Identifier: Apache-2.0
 *
 * The methods of the protocol, in both generations.
 */
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "mcp/forgive.h"
#include "mcp/tools.h"

enum { CALLS_MAX = 1000 };

static const char *const old_versions[] = {MCP_NEWEST_OLD, "2025-06-18", "2025-03-26",
                                           "2024-11-05",   "2024-10-07", NULL};

const char *const mcp_level_names[] = {"debug",    "info",  "notice",    "warning", "error",
                                       "critical", "alert", "emergency", NULL};

enum mcp_level mcp_level_find(struct str name)
{
    for (int i = 0; mcp_level_names[i]; i++)
        if (str_is(name, mcp_level_names[i]))
            return (enum mcp_level)i;
    return LEVEL_NONE;
}

static json_t *server_info(void)
{
    return json_pack("{s:s, s:s, s:s}", "name", "glovebox", "title", "Glovebox", "version",
                     GLOVEBOX_VERSION);
}

json_t *mcp_result(json_t *result, bool modern, bool cached)
{
    if (!modern)
        return result;
    json_object_set_new(result, "resultType", json_string("complete"));
    json_object_set_new(result, "_meta", json_pack("{s:o}", MCP_META "serverInfo", server_info()));
    if (cached) {
        json_object_set_new(result, "ttlMs", json_integer(0));
        json_object_set_new(result, "cacheScope", json_string("private"));
    }
    return result;
}

/* ---- the beginning of a conversation ---- */

static json_t *capabilities(bool tools_change)
{
    return json_pack("{s:{s:b}, s:{s:b, s:b}, s:{}}", "tools", "listChanged", tools_change,
                     "resources", "listChanged", 0, "subscribe", 0, "logging");
}

static json_t *instructions(const struct mcp_service *service)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, service->about.n + 1000);
    tool_words(service,
               "Glovebox runs programs and shell commands in sandboxes. Each call <create_session:"
               "without a session >has a fresh sandbox.<create_session: For several steps, open a "
               "session with create_session, and pass its session_id to each call.>"
               "<close_session: Close it at the end.>\n\nThe sandbox:\n",
               &text);
    (void)buf_addf(&text, "%.*s", (int)service->about.n, service->about.p);
    return json_text(str_trim(buf_str(&text)));
}

static int initialize(struct mcp_client *client, const struct rpc_message *m, json_t **ret,
                      struct rpc_problem *problem)
{
    struct str asked = json_str(json_object_get(m->params, "protocolVersion"));

    if (!asked.n)
        return rpc_problem_set(problem, RPC_PARAMS, "'protocolVersion' must be a string");
    client->version = MCP_NEWEST_OLD;
    for (size_t i = 0; old_versions[i]; i++)
        if (str_is(asked, old_versions[i]))
            client->version = old_versions[i];
    *ret = json_pack("{s:s, s:o, s:o, s:o}", "protocolVersion", client->version, "capabilities",
                     capabilities(client->service->follows_roots), "serverInfo", server_info(),
                     "instructions", instructions(client->service));
    return 0;
}

static json_t *modern_versions(void)
{
    return json_pack("[s]", MCP_MODERN);
}

static int discover(struct mcp_client *client, const struct rpc_message *m, json_t **ret,
                    struct rpc_problem *problem)
{
    (void)m;
    (void)problem;
    *ret = json_pack("{s:o, s:o, s:o}", "supportedVersions", modern_versions(), "capabilities",
                     capabilities(false), "instructions", instructions(client->service));
    return 0;
}

static int ping(struct mcp_client *client, const struct rpc_message *m, json_t **ret,
                struct rpc_problem *problem)
{
    (void)client;
    (void)m;
    (void)problem;
    *ret = json_object();
    return 0;
}

static int set_level(struct mcp_client *client, const struct rpc_message *m, json_t **ret,
                     struct rpc_problem *problem)
{
    enum mcp_level level = mcp_level_find(json_str(json_object_get(m->params, "level")));

    if (level == LEVEL_NONE)
        return rpc_problem_set(problem, RPC_PARAMS,
                               "'level' must be one of debug, info, notice, warning, error, "
                               "critical, alert, emergency");
    client->level = level;
    *ret = json_object();
    return 0;
}

/* ---- lists ---- */

static int list_tools(struct mcp_client *client, const struct rpc_message *m, json_t **ret,
                      struct rpc_problem *problem)
{
    (void)m;
    (void)problem;
    client->listed = true;
    *ret = tools_list(client->service);
    return 0;
}

static void list_tools_work(struct mcp_call *call)
{
    call->result = tools_list(call->service);
}

static void list_tools_later(struct mcp_call *call)
{
    call->lists_tools = true;
    call->work = list_tools_work;
    mcp_call_begin(call, NULL);
}

static int list_templates(struct mcp_client *client, const struct rpc_message *m, json_t **ret,
                          struct rpc_problem *problem)
{
    (void)client;
    (void)m;
    (void)problem;
    *ret = resource_templates();
    return 0;
}

/* ---- calls ---- */

static int refuse_tool(const struct mcp_call *call, struct str name, struct rpc_problem *problem)
{
    AUTO_BUF struct buf all = {0};

    buf_init(&all, 1000);
    for (const struct mcp_tool *tool = mcp_tools; tool->name; tool++)
        if (tool_is_offered(call->service, tool))
            (void)buf_addf(&all, "%s%s", all.n ? ", " : "", tool->name);
    return rpc_problem_set(problem, RPC_PARAMS, "there is no tool '%.*s'; there are %s",
                           (int)utf8_cut(name, 60), name.p ? name.p : "", all.p);
}

static int check_tool(struct mcp_call *call, struct rpc_problem *problem)
{
    struct str name = json_str(json_object_get(call->message.params, "name"));
    json_t *arguments = json_object_get(call->message.params, "arguments");

    call->tool = tool_find(name);
    if (!call->tool)
        call->tool = tool_find(forgive_tool(name));
    if (!call->tool || !tool_is_offered(call->service, call->tool))
        return refuse_tool(call, name, problem);
    if (arguments && !json_is_null(arguments) && !json_is_object(arguments))
        return rpc_problem_set(problem, RPC_PARAMS, "'arguments' must be an object");
    if (!json_is_object(arguments))
        arguments = call->none = json_object();
    call->arguments = arguments;
    forgive_arguments(call->tool, arguments);
    return 0;
}

static void call_tool(struct mcp_call *call)
{
    struct rpc_problem problem;

    if (check_tool(call, &problem) < 0) {
        mcp_call_refuse(call, &problem);
        mcp_call_finish(call);
    } else {
        tools_call(call);
    }
}

/* ---- the methods ---- */

enum era { ERA_OLD = 1 << 0, ERA_MODERN = 1 << 1, ERA_BOTH = ERA_OLD | ERA_MODERN };

static const struct method {
    const char *name;
    enum era era;
    /* `answer` answers immediately, `begin` takes a call over. If both are set, `begin` is for a
     * client whose service may be about to change. */
    int (*answer)(struct mcp_client *client, const struct rpc_message *m, json_t **ret,
                  struct rpc_problem *problem);
    void (*begin)(struct mcp_call *call);
} methods[] = {
    {"initialize", ERA_OLD, initialize, NULL},
    {"ping", ERA_OLD, ping, NULL},
    {"logging/setLevel", ERA_OLD, set_level, NULL},
    {"server/discover", ERA_MODERN, discover, NULL},
    {"tools/list", ERA_BOTH, list_tools, list_tools_later},
    {"resources/templates/list", ERA_BOTH, list_templates, NULL},
    {"resources/list", ERA_BOTH, NULL, resources_list},
    {"resources/read", ERA_BOTH, NULL, resources_read},
    {"tools/call", ERA_BOTH, NULL, call_tool},
};

static const struct method *find_method(const char *name, bool modern, struct rpc_problem *problem)
{
    for (size_t i = 0; i < ARRAY_LEN(methods); i++)
        if (strcmp(methods[i].name, name) == 0 && methods[i].era & (modern ? ERA_MODERN : ERA_OLD))
            return &methods[i];
    (void)rpc_problem_set(problem, RPC_METHOD, "there is no method '%.*s'%s",
                          (int)utf8_cut(str_from(name), 60), name,
                          modern ? " in this version of the protocol" : "");
    return NULL;
}

bool mcp_is_modern(const struct rpc_message *m)
{
    return json_object_get(json_object_get(m->params, "_meta"), MCP_META "protocolVersion");
}

bool mcp_is_old_version(struct str version)
{
    for (size_t i = 0; old_versions[i]; i++)
        if (str_is(version, old_versions[i]))
            return true;
    return false;
}

static int check_modern(const struct rpc_message *m, struct rpc_problem *problem)
{
    const json_t *meta = json_object_get(m->params, "_meta");
    struct str name = json_str(json_object_get(meta, MCP_META "protocolVersion"));

    if (!str_is(name, MCP_MODERN)) {
        (void)rpc_problem_set(problem, RPC_VERSION, "version '%.*s' is not supported",
                              (int)utf8_cut(name, 60), name.p ? name.p : "");
        problem->data =
            json_pack("{s:o, s:o}", "supported", modern_versions(), "requested", json_text(name));
        return -1;
    }
    if (!json_is_object(json_object_get(meta, MCP_META "clientCapabilities")))
        return rpc_problem_set(problem, RPC_PARAMS,
                               "'_meta' must have the object '" MCP_META "clientCapabilities'");
    return 0;
}

/* ---- messages ---- */

json_t *mcp_refusal(struct rpc_message *message, struct rpc_problem *problem)
{
    json_t *error = rpc_error(message->id, problem);

    json_decref(message->doc);
    *message = (struct rpc_message){0};
    return error;
}

static json_t *answer_now(struct mcp_client *client, const struct rpc_message *m,
                          const struct method *method, bool modern)
{
    struct rpc_problem problem;
    json_t *result;

    return method->answer(client, m, &result, &problem) < 0
               ? rpc_error(m->id, &problem)
               : rpc_result(m->id, mcp_result(result, modern, true));
}

static int may_begin(const struct mcp_client *client, const struct rpc_message *m,
                     struct rpc_problem *problem)
{
    if (mcp_call_find(client, m->id))
        return rpc_problem_set(problem, RPC_INVALID,
                               "an earlier request with this id is not answered yet");
    return client->call_n < CALLS_MAX
               ? 0
               : rpc_problem_set(problem, RPC_INTERNAL, "%d requests are being answered already",
                                 CALLS_MAX);
}

static bool is_about_to_change(const struct mcp_client *client)
{
    return client->host->changes && client->host->changes(client);
}

static json_t *handle_request(struct mcp_client *client, struct rpc_message *m, void *ctx,
                              int *ret_refused)
{
    struct rpc_problem problem;
    bool modern = mcp_is_modern(m);
    const struct method *method =
        modern && check_modern(m, &problem) < 0 ? NULL : find_method(m->method, modern, &problem);

    bool now = method && method->answer && !(method->begin && is_about_to_change(client));

    if (!method || (!now && may_begin(client, m, &problem) < 0)) {
        *ret_refused = problem.code;
        return rpc_error(m->id, &problem);
    }
    if (now)
        return answer_now(client, m, method, modern);
    method->begin(mcp_call_new(client, m, modern, ctx));
    return NULL;
}

/* Other known notifications need no action, and unknown ones must be ignored. */
static void handle_notification(struct mcp_client *client, const struct rpc_message *m)
{
    const json_t *id = json_object_get(m->params, "requestId");
    struct mcp_call *call = id ? mcp_call_find(client, id) : NULL;

    if (call && strcmp(m->method, "notifications/cancelled") == 0)
        mcp_call_cancel(call);
}

json_t *mcp_handle(struct mcp_client *client, struct rpc_message *message, void *ctx,
                   int *ret_refused)
{
    json_t *answer = NULL;

    *ret_refused = 0;
    if (client->host->received)
        client->host->received(client, message);
    if (message->kind == RPC_REQUEST)
        answer = handle_request(client, message, ctx, ret_refused);
    else if (message->kind == RPC_NOTIFICATION)
        handle_notification(client, message);
    json_decref(message->doc);
    *message = (struct rpc_message){0};
    return answer;
}
