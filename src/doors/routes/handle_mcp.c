/* SPDX-License-Identifier: Apache-2.0
 *
 * /mcp: finds the client that sent a message, and checks that the headers agree with the message.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "formats/json_get.h"
#include "formats/json_write.h"
#include "mcp/headers.h"
#include "routes/routes.h"
#include "server/job.h"
#include "server/mcp_post.h"

enum {
    READ_IN_LOOP = 64 << 10, /* a longer body is parsed by a worker */
    BATCH_MAX = 100,
    NAME_SHOWN = 100,
};

/* ---- refusals ---- */

static void answer_json(struct call *call, int status, json_t *message)
{
    call_answer(call, status, NULL, json_write(message, false));
    json_decref(message);
}

static void handle_mcp_refuse(struct call *call, int status, enum rpc_code code, const char *why)
{
    struct rpc_problem problem;

    (void)rpc_problem_set(&problem, code, "%s", why);
    answer_json(call, status, rpc_error(NULL, &problem));
}

static int status_of(int refused, bool modern)
{
    switch (refused) {
    case RPC_METHOD:
        return modern ? 404 : 200;
    case RPC_INTERNAL:
        return 503;
    default:
        return refused ? 400 : 0;
    }
}

/* ---- headers ---- */

static struct str header(const struct call *call, const char *name)
{
    return str_trim(http_header(call->x->head, name));
}

static int check_header(const struct call *call, const char *name, struct str wanted,
                        struct rpc_problem *problem)
{
    struct str given = header(call, name);

    if (given.p && mcp_header_is(given, wanted))
        return 0;
    return rpc_problem_set(problem, RPC_HEADER,
                           given.p ? "the header %s is '%.*s', and the message has '%.*s'"
                                   : "the header %s is missing",
                           name, (int)utf8_cut(given, NAME_SHOWN), given.p ? given.p : "",
                           (int)utf8_cut(wanted, NAME_SHOWN), wanted.p ? wanted.p : "");
}

/* A request of the newer generation repeats parts of itself in headers, for proxies. */
static int check_headers(const struct call *call, const struct rpc_message *m,
                         struct rpc_problem *problem)
{
    const json_t *meta = json_object_get(m->params, "_meta");
    struct str name;

    if (!mcp_is_modern(m))
        return rpc_problem_set(problem, RPC_PARAMS,
                               "'_meta' must have '" MCP_META "protocolVersion'");
    if (check_header(call, "MCP-Protocol-Version",
                     json_str(json_object_get(meta, MCP_META "protocolVersion")), problem) < 0 ||
        check_header(call, "Mcp-Method", str_from(m->method), problem) < 0)
        return -1;
    return mcp_header_name(m, &name) ? check_header(call, "Mcp-Name", name, problem) : 0;
}

static bool says_modern(const struct call *call)
{
    return str_is(header(call, "MCP-Protocol-Version"), MCP_MODERN);
}

/* ---- one POST ---- */

static void handle_mcp_take(struct mcp_post *post, struct rpc_message *m, bool modern)
{
    bool may_call = m->kind == RPC_REQUEST;
    int refused;

    post->left += may_call;
    json_t *now = mcp_handle(mcp_post_client(post), m, post, &refused);
    if (!now)
        return;
    AUTO_FREE char *text = json_write(now, false);
    json_decref(now);
    mcp_post_answer(post, str_from(text));
    if (!post->batch)
        post->status = status_of(refused, modern);
    mcp_post_settle(post);
}

static void take_modern(struct call *call, struct rpc_message *m)
{
    struct rpc_problem problem;

    if (m->kind == RPC_REQUEST && check_headers(call, m, &problem) < 0) {
        answer_json(call, 400, mcp_refusal(m, &problem));
        return;
    }
    struct mcp_post *post = mcp_post_new(call, NULL);
    handle_mcp_take(post, m, true);
    mcp_post_settle(post);
}

static void initialize(struct call *call, struct rpc_message *m)
{
    struct conversation *c = conversation_new(call->server->mcp, call);

    if (!c) {
        json_decref(m->doc);
        handle_mcp_refuse(call, 500, RPC_INTERNAL,
                          "there are no random numbers for a session's id");
        return;
    }
    struct mcp_post *post = mcp_post_new(call, c);
    post->session_header = xasprintf("Mcp-Session-Id: %s\r\n", c->id);
    handle_mcp_take(post, m, false);
    bool begun = c->client.version != NULL;
    if (!begun)
        free(mem_take(&post->session_header));
    c->posts++;
    mcp_post_settle(post);
    if (!begun)
        conversation_end(c);
    conversation_release(c);
}

/* Returns the conversation that the headers name. NULL: the call is answered. */
static struct conversation *conversation_of(struct call *call)
{
    struct str id = header(call, "Mcp-Session-Id"), version = header(call, "MCP-Protocol-Version");
    struct conversation *c = id.n ? conversation_find(call->server->mcp, call, id) : NULL;

    if (version.n && !mcp_is_old_version(version))
        handle_mcp_refuse(call, 400, RPC_INVALID, "this MCP-Protocol-Version is not supported");
    else if (!id.n)
        handle_mcp_refuse(call, 400, RPC_INVALID,
                          "the header Mcp-Session-Id is missing; 'initialize' begins a session");
    else if (!c)
        handle_mcp_refuse(call, 404, RPC_INVALID,
                          "this session is over; 'initialize' begins another");
    else
        return c;
    return NULL;
}

static void take_old(struct call *call, struct rpc_message *m)
{
    if (m->kind == RPC_REQUEST && strcmp(m->method, "initialize") == 0) {
        initialize(call, m);
        return;
    }
    struct conversation *c = conversation_of(call);
    if (!c) {
        json_decref(m->doc);
        return;
    }
    struct mcp_post *post = mcp_post_new(call, c);
    handle_mcp_take(post, m, false);
    mcp_post_settle(post);
}

static void take_batch(struct call *call, const json_t *list)
{
    struct conversation *c = conversation_of(call);
    size_t n = json_array_size(list), i;
    json_t *doc;

    if (!c)
        return;
    if (!n || n > BATCH_MAX || !str_is(str_from(c->client.version), "2025-03-26")) {
        handle_mcp_refuse(call, 400, RPC_INVALID,
                          n ? "batches exist in version 2025-03-26 only, with up to 100 messages"
                            : "the batch has no messages");
        return;
    }
    struct mcp_post *post = mcp_post_new(call, c);
    post->batch = true;
    json_array_foreach(list, i, doc)
    {
        struct rpc_problem problem;
        struct rpc_message m;
        if (rpc_read(json_incref(doc), &m, &problem) == 0) {
            handle_mcp_take(post, &m, false);
            continue;
        }
        json_t *error = mcp_refusal(&m, &problem);
        AUTO_FREE char *text = json_write(error, false);
        json_decref(error);
        mcp_post_answer(post, str_from(text));
    }
    mcp_post_settle(post);
}

/* Notifications are accepted while the daemon stops, too: they may cancel work that it waits for.
 */
static void take_message(struct call *call, json_t *doc)
{
    struct rpc_problem problem;
    struct rpc_message m;

    if (rpc_read(doc, &m, &problem) < 0) {
        answer_json(call, 400, mcp_refusal(&m, &problem));
    } else if (m.kind == RPC_REQUEST && call->server->state != SERVER_SERVING) {
        json_decref(m.doc);
        handle_mcp_refuse(call, 503, RPC_INTERNAL, "the daemon is stopping");
    } else if (says_modern(call) || mcp_is_modern(&m)) {
        take_modern(call, &m);
    } else {
        take_old(call, &m);
    }
}

static void take_doc(struct call *call, json_t *doc)
{
    struct err err;

    if (!config_mcp(call->server->config, &err)) {
        json_decref(doc);
        handle_mcp_refuse(call, 500, RPC_INTERNAL, err.msg);
    } else if (json_is_array(doc)) {
        take_batch(call, doc);
        json_decref(doc);
    } else {
        take_message(call, doc);
    }
}

static void take_text(struct call *call, json_t *doc, struct rpc_problem *problem)
{
    if (doc)
        take_doc(call, doc);
    else
        answer_json(call, 400, rpc_error(NULL, problem));
}

/* ---- a long body ---- */

static void parse_work(struct job *job)
{
    struct rpc_problem *problem = job->own;

    (void)rpc_parse(buf_str(&job->body), &job->doc, problem);
    job->status = 200;
}

static void parse_over(struct job *job)
{
    struct call *call = job->call;
    struct rpc_problem problem = *(struct rpc_problem *)job->own;
    json_t *doc = mem_take(&job->doc);
    bool parsed = job->status == 200;

    if (!parsed)
        job_reply(job);
    else
        job->call = NULL;
    if (call && parsed)
        call->job = NULL;
    job_free(job);
    if (call && parsed)
        take_text(call, doc, &problem);
    else
        json_decref(doc);
}

static void parse_in_worker(struct call *call)
{
    struct job *job = job_bare(call->server, call);

    http_take_body(call->x, &job->body);
    job->own = xcalloc(1, sizeof(struct rpc_problem));
    job->work = parse_work;
    job->over = parse_over;
    job_submit(job);
}

void handle_mcp_post(struct call *call)
{
    struct rpc_problem problem;
    json_t *doc = NULL;

    if (call->x->body.n > READ_IN_LOOP) {
        parse_in_worker(call);
        return;
    }
    (void)rpc_parse(call->x->body, &doc, &problem);
    take_text(call, doc, &problem);
}

/* ---- GET and DELETE ---- */

static void stream_ended(struct call *call)
{
    struct conversation *c = call->own;

    c->stream = NULL;
}

/* If a client opens another stream, its connection with the first one was lost. */
static void open_stream(struct conversation *c, struct call *call)
{
    conversation_end_stream(c);
    c->stream = call;
    c->said_ms = clock_mono_ms();
    call->own = c;
    call->ended = stream_ended;
    mcp_begin_stream(call);
    http_piece(call->x, STR(":\n\n"));
}

static bool refuse_modern(struct call *call)
{
    if (!says_modern(call))
        return false;
    call_refuse(call, 405, "Allow: POST\r\n", "usage",
                "this version of the protocol has only POST here");
    return true;
}

/* False for HEAD, too: a stream without bytes would never end. */
static bool accepts_stream(const struct call *call)
{
    const struct http_head *head = call->x->head;

    return head->method == HTTP_GET &&
           http_list_has(http_header(head, "accept"), "text/event-stream");
}

void handle_mcp_get(struct call *call)
{
    struct str last = header(call, "Last-Event-ID");

    if (refuse_modern(call))
        return;
    if (!accepts_stream(call)) {
        handle_mcp_refuse(call, 406, RPC_INVALID,
                          "GET is a stream: send Accept: text/event-stream");
        return;
    }
    struct conversation *c = conversation_of(call);
    if (!c)
        return;
    if (call->server->state != SERVER_SERVING)
        handle_mcp_refuse(call, 503, RPC_INTERNAL, "the daemon is stopping");
    else if (!last.n)
        open_stream(c, call);
    else if (!mcp_post_resume(c, call, last))
        handle_mcp_refuse(call, 400, RPC_INVALID, "this stream has no further events");
}

void handle_mcp_delete(struct call *call)
{
    struct conversation *c = refuse_modern(call) ? NULL : conversation_of(call);

    if (!c)
        return;
    conversation_end(c);
    http_answer(call->x, &(struct http_answer){.status = 204});
}
