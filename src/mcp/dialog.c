/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/dialog.h"

#include <stdlib.h>

#include "base/json_get.h"
#include "base/mem.h"

enum { BATCH_MAX = 100 };

/* The answers to one batch, which go to the client together. */
struct batch {
    json_t *answers;
    size_t left; /* calls that are not over, and one more until all messages are read */
};

/* ---- sending ---- */

void mcp_dialog_send(const struct mcp_dialog *d, json_t *message)
{
    d->send(d->ctx, rpc_text(message, d->message_max));
}

/* A message of the batch needs no further answer. */
static void settle(const struct mcp_dialog *d, struct batch *batch)
{
    if (--batch->left)
        return;
    if (json_array_size(batch->answers))
        mcp_dialog_send(d, json_incref(batch->answers));
    json_decref(batch->answers);
    free(batch);
}

static void answer(const struct mcp_dialog *d, struct batch *batch, json_t *message)
{
    if (batch)
        json_array_append_new(batch->answers, message);
    else
        mcp_dialog_send(d, message);
}

/* ---- receiving ---- */

static void add_line(const struct mcp_dialog *d, struct rpc_problem *problem)
{
    if (d->line && !problem->data)
        problem->data = json_pack("{s:I}", "line", (json_int_t)d->line);
}

static void receive(struct mcp_dialog *d, json_t *doc, struct batch *batch)
{
    struct rpc_problem problem;
    struct rpc_message m;
    int refused;
    bool good = rpc_read(doc, &m, &problem) == 0, may_call = good && m.kind == RPC_REQUEST;

    if (batch)
        batch->left += may_call;
    if (!good && !m.id && !batch)
        add_line(d, &problem);
    json_t *now = good ? mcp_handle(&d->client, &m, batch, &refused) : mcp_refusal(&m, &problem);
    if (now)
        answer(d, batch, now);
    if (now && batch && may_call)
        batch->left--; /* never the last: receive_batch has one */
}

/* Only 2025-03-26 has batches. A message that becomes a call settles the batch later. */
static void receive_batch(struct mcp_dialog *d, const json_t *list)
{
    struct batch *batch = xcalloc(1, sizeof *batch);
    json_t *doc;
    size_t i;

    *batch = (struct batch){.answers = json_array(), .left = 1};
    json_array_foreach(list, i, doc) receive(d, json_incref(doc), batch);
    settle(d, batch);
}

static bool is_batch(const struct mcp_dialog *d, const json_t *doc)
{
    size_t n = json_array_size(doc);

    return n > 0 && n <= BATCH_MAX && str_is(str_from(d->client.version), "2025-03-26");
}

static void refuse(const struct mcp_dialog *d, struct str line, struct rpc_problem *problem)
{
    json_t *id = line.p ? rpc_unread_id(line) : NULL;

    if (!id)
        add_line(d, problem);
    mcp_dialog_send(d, rpc_error(id, problem));
    json_decref(id);
}

void mcp_dialog_refuse(const struct mcp_dialog *d, struct rpc_problem *problem)
{
    refuse(d, (struct str){0}, problem);
}

void mcp_dialog_take(struct mcp_dialog *d, json_t *doc, struct rpc_problem *problem,
                     struct str line)
{
    if (!doc) {
        refuse(d, line, problem);
    } else if (is_batch(d, doc)) {
        receive_batch(d, doc);
        json_decref(doc);
    } else {
        receive(d, doc, NULL);
    }
}

void mcp_dialog_receive(struct mcp_dialog *d, struct str line, size_t most)
{
    struct rpc_problem problem;
    json_t *doc = NULL;

    if (!line.p)
        (void)rpc_problem_set(&problem, RPC_PARSE, "the message is longer than %zu MiB",
                              most >> 20);
    else if (!str_trim(line).n)
        return;
    else
        (void)rpc_parse(line, &doc, &problem);
    mcp_dialog_take(d, doc, &problem, line);
}

/* ---- calls ---- */

char *mcp_dialog_text(const struct mcp_dialog *d, struct mcp_call *call)
{
    return call->ctx ? NULL : rpc_text(mcp_call_answer(call), d->message_max);
}

void mcp_dialog_over(const struct mcp_dialog *d, struct mcp_call *call, char *ready)
{
    if (call->cancelled)
        free(ready);
    else if (ready)
        d->send(d->ctx, ready);
    else
        answer(d, call->ctx, mcp_call_answer(call));
    if (call->ctx)
        settle(d, call->ctx);
}
