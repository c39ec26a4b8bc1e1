/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/dialog.h"

#include <stdlib.h>

#include "base/mem.h"
#include "formats/json_get.h"

enum { BATCH_MAX = 100 };

/* The answers to one batch, which are sent together. */
struct batch {
    json_t *answers;
    size_t left; /* calls that are not over, plus one until all messages are read */
};

/* ---- sending ---- */

void mcp_dialog_send(const struct mcp_dialog *d, json_t *message)
{
    d->send(d->ctx, rpc_text(message, d->message_max));
}

/* Call it when a message of the batch needs no further answer. After the last message, sends the
 * answers. */
static void dialog_settle(const struct mcp_dialog *d, struct batch *batch)
{
    if (--batch->left)
        return;
    if (json_array_size(batch->answers))
        mcp_dialog_send(d, json_incref(batch->answers));
    json_decref(batch->answers);
    free(batch);
}

static void dialog_answer(const struct mcp_dialog *d, struct batch *batch, json_t *message)
{
    if (batch)
        json_array_append_new(batch->answers, message);
    else
        mcp_dialog_send(d, message);
}

/* ---- receiving ---- */

static void dialog_receive(struct mcp_dialog *d, json_t *doc, struct batch *batch)
{
    struct rpc_problem problem;
    struct rpc_message m;
    int refused;
    bool good = rpc_read(doc, &m, &problem) == 0, may_call = good && m.kind == RPC_REQUEST;

    if (batch)
        batch->left += may_call;
    json_t *now = good ? mcp_handle(&d->client, &m, batch, &refused) : mcp_refusal(&m, &problem);
    if (now)
        dialog_answer(d, batch, now);
    if (now && batch && may_call)
        batch->left--; /* stays above 0: receive_batch counts for one */
}

/* Only version 2025-03-26 has batches. A message that becomes a call is settled when the call is
 * over. */
static void receive_batch(struct mcp_dialog *d, const json_t *list)
{
    struct batch *batch = xcalloc(1, sizeof *batch);
    json_t *doc;
    size_t i;

    *batch = (struct batch){.answers = json_array(), .left = 1};
    json_array_foreach(list, i, doc) dialog_receive(d, json_incref(doc), batch);
    dialog_settle(d, batch);
}

static bool is_batch(const struct mcp_dialog *d, const json_t *doc)
{
    size_t n = json_array_size(doc);

    return n > 0 && n <= BATCH_MAX && str_is(str_from(d->client.version), "2025-03-26");
}

void mcp_dialog_receive(struct mcp_dialog *d, struct str line)
{
    json_t *error, *doc = rpc_parse_line(line, &error);

    if (error)
        mcp_dialog_send(d, error);
    else if (is_batch(d, doc))
        receive_batch(d, doc);
    else if (doc)
        dialog_receive(d, json_incref(doc), NULL);
    json_decref(doc);
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
        dialog_answer(d, call->ctx, mcp_call_answer(call));
    if (call->ctx)
        dialog_settle(d, call->ctx);
}
