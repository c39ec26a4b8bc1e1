/* SPDX-License-Identifier: Apache-2.0
 *
 * Tools that make sessions. The loop puts a new session into the table when its call is done.
 */
#include <string.h>

#include "base/mem.h"
#include "formats/encoded.h"
#include "mcp/tools.h"

static void answer_session(struct mcp_call *call)
{
    const struct session_info *info = &call->info;
    int64_t idle_s = call->service->idle_ms / 1000;

    session_info(call->opened, &call->info);
    AUTO_FREE char *text =
        xasprintf("Session %s is open; its cells are in %s. It is closed after %lld s without use.",
                  info->id, info->language, (long long)idle_s);

    tool_answer(call, json_pack("[o]", tool_text(str_from(text))),
                json_pack("{s:s, s:s, s:o, s:I}", "session_id", info->id, "language",
                          info->language, "parent", json_text_or_null(str_from(info->parent)),
                          "idle_seconds", (json_int_t)idle_s),
                false);
    mcp_call_log(call, LEVEL_INFO, "session %s is open", info->id);
}

/* ---- create_session ---- */

/* A program's language can be guessed from its text; a session has no text, so it gets the usual
 * language. */
static const char *language_for(const struct mcp_call *call, const struct tool_arguments *a)
{
    const char *own = call->service->rules->defaults->lang;

    if (a->language)
        return a->language;
    return own && strcmp(own, "auto") != 0 ? own : "python";
}

/* Holds the message, too, which owns the strings of the arguments. */
static struct session_opening *make_opening(struct mcp_call *call, struct tool_arguments *a)
{
    const struct mcp_host *host = call->client->host;
    void *held = host->hold_settings ? host->hold_settings(call) : NULL;
    struct session_opening *opening = session_opening_new(held, host->drop_settings);

    opening->doc = json_incref(call->message.doc);
    opening->parts = a->parts;
    request_parts_init(&a->parts);
    opening->request.run = a->request;
    opening->request.run.program.language = language_for(call, a);
    opening->request.run.program.stdin_fd = -1;
    opening->request.tools = &opening->tools;
    session_request_options(&opening->request, call->service->rules->defaults);
    opening->output_limit = a->request.output_limit;
    return opening;
}

void tool_create_session(struct mcp_call *call)
{
    const struct run_watch watch = {.cancel_fd = call->cancel_fd};
    struct tool_arguments a;
    struct err err;

    if (tool_arguments_read(call, &a) == 0) {
        call->opening = make_opening(call, &a);
        if (session_opening_open(call->opening, &watch, &call->opened, &err) < 0)
            mcp_call_fail(call, &err);
        else
            answer_session(call);
    }
    tool_arguments_done(&a);
}

/* ---- fork_session ---- */

void tool_fork_session(struct mcp_call *call)
{
    struct err err;

    if (session_fork(mcp_call_session(call), &call->opened, &err) < 0) {
        mcp_call_fail(call, &err);
        return;
    }
    call->opening = session_opening_hold(call->entry->opening);
    answer_session(call);
}
