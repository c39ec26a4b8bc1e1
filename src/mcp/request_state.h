/* SPDX-License-Identifier: Apache-2.0
 *
 * What a request that needs several rounds must remember between them. The client holds it and
 * sends it back, so it is hostile: a MAC with a key of this process binds it to its request, to the
 * owner and to a time. The client can read it.
 */
#ifndef MCP_REQUEST_STATE_H
#define MCP_REQUEST_STATE_H

#include "mcp/rpc.h"

enum {
    REQUEST_STATE_MS = 10 * 60 * 1000, /* its age at most */
    REQUEST_STATE_MAX = 256 << 10,     /* bytes */
};

/* `content` is lent, as text for `requestState`. NULL with *problem if it is too long, or there are
 * no random numbers for the key. */
json_t *request_state_seal(const struct rpc_message *m, const char *owner, const json_t *content,
                           int64_t now_ms, struct rpc_problem *problem);
/* The content of the request's `requestState`, which the caller frees. NULL with *problem for one
 * that was changed, is of another request or owner, or is too old. */
json_t *request_state_open(const struct rpc_message *m, const char *owner, int64_t now_ms,
                           struct rpc_problem *problem);

#endif
