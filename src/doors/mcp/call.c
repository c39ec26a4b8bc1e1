/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdlib.h>

#include "base/mem.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "mcp/advice.h"
#include "mcp/parts.h"
#include "mcp/tools.h"

/* ---- life ---- */

static const json_t *meta_of(const json_t *params, const char *key)
{
    return json_object_get(json_object_get(params, "_meta"), key);
}

/* Every notification of progress repeats the token, and notifications are kept in memory: a token
 * that is too long is ignored. */
static const json_t *token_of(const json_t *params)
{
    const json_t *token = meta_of(params, "progressToken");
    bool is_short = json_is_string(token) && json_string_length(token) <= RPC_ID_MAX;

    return is_short || json_is_integer(token) ? token : NULL;
}

struct mcp_call *mcp_call_new(struct mcp_client *client, struct rpc_message *message, bool modern,
                              void *ctx)
{
    struct mcp_call *call = xcalloc(1, sizeof *call);

    call->client = client;
    call->service = client->service;
    call->ctx = ctx;
    call->message = *message;
    *message = (struct rpc_message){0};
    call->modern = modern;
    call->version = client->version;
    call->progress_token = token_of(call->message.params);
    call->level = modern
                      ? mcp_level_find(json_str(meta_of(call->message.params, MCP_META "logLevel")))
                      : client->level;
    call->cancel_fd = -1;
    call->next = client->calls;
    client->calls = call;
    client->call_n++;
    return call;
}

static void unlink_call(struct mcp_call *call)
{
    struct mcp_call **at = &call->client->calls;

    while (*at != call)
        at = &(*at)->next;
    *at = call->next;
    call->client->call_n--;
}

/* The client may have disconnected already. */
static void call_free(struct mcp_call *call)
{
    session_opening_drop(call->opening);
    for (size_t i = 0; i < call->list_n; i++)
        session_entry_looked(call->list[i]);
    free(call->list);
    json_decref(call->result);
    json_decref(call->none);
    json_decref(call->message.doc);
    free(call);
}

struct mcp_call *mcp_call_find(const struct mcp_client *client, const json_t *id)
{
    struct mcp_call *call = client->calls;

    while (call && !json_equal(call->message.id, id))
        call = call->next;
    return call;
}

void mcp_call_begin(struct mcp_call *call, struct session_entry *entry)
{
    call->client->host->begin(call, entry);
}

void mcp_call_cancel(struct mcp_call *call)
{
    call->cancelled = call->stopped = true;
    call->client->host->stop(call);
}

void mcp_client_stop_all(struct mcp_client *client)
{
    struct mcp_call *next;

    for (struct mcp_call *call = client->calls; call; call = next) {
        next = call->next;
        call->stopped = true;
        call->client->host->stop(call);
    }
}

/* ---- sessions ---- */

/* ---- the answer ---- */

static void add_session(struct mcp_call *call)
{
    const struct session_new made = {.session = call->opened,
                                     .opening = call->opening,
                                     .info = &call->info,
                                     .owner = call->owner,
                                     .idle_ms = call->service->idle_ms,
                                     .is_fork = call->entry != NULL};
    struct session_entry *entry = sessions_add(call->client->sessions, &made);

    call->opening = NULL;
    if (call->stopped)
        session_entry_shut(entry);
}

json_t *mcp_call_answer(struct mcp_call *call)
{
    if (call->refused)
        return rpc_error(call->message.id, &call->problem);
    json_t *result = mcp_result(call->result, call->modern, !call->tool);
    call->result = NULL;
    return rpc_result(call->message.id, result);
}

void mcp_call_finish(struct mcp_call *call)
{
    unlink_call(call);
    if (call->opened)
        add_session(call);
    if (call->counted)
        sessions_unreserve(call->client->sessions, call->owner);
    call->client->host->over(call);
    call_free(call);
}

struct session *mcp_call_session(const struct mcp_call *call)
{
    return call->entry ? call->entry->session : NULL;
}

void mcp_call_fail(struct mcp_call *call, const struct err *err)
{
    json_decref(call->result);
    call->result = json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text", "text",
                             advice_error(str_from(err->msg)), "isError", 1);
}

void mcp_call_refuse(struct mcp_call *call, const struct rpc_problem *problem)
{
    call->refused = true;
    call->problem = *problem;
}

/* ---- notifications ---- */

void mcp_call_log(const struct mcp_call *call, enum mcp_level level, const char *fmt, ...)
{
    va_list ap;

    if (level < call->level || call->cancelled)
        return;
    va_start(ap, fmt);
    AUTO_FREE char *text = xvasprintf(fmt, ap);
    va_end(ap);
    call->client->host->note(
        call,
        rpc_notification("notifications/message",
                         json_pack("{s:s, s:s, s:o}", "level", mcp_level_names[level], "logger",
                                   "glovebox", "data", json_text(str_from(text)))),
        false);
}

void mcp_call_progress(const struct mcp_call *call, double progress, double total,
                       const char *message)
{
    if (!call->progress_token || call->cancelled)
        return;
    json_t *params =
        json_pack("{s:o, s:f, s:o}", "progressToken", json_deep_copy(call->progress_token),
                  "progress", progress, "message", json_text(str_from(message)));
    if (total > 0)
        json_object_set_new(params, "total", json_real(total));
    call->client->host->note(call, rpc_notification("notifications/progress", params), true);
}
