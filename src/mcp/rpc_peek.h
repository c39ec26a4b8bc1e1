/* SPDX-License-Identifier: Apache-2.0
 *
 * A look at a message for a program that only passes it on: what it is, without its content.
 */
#ifndef MCP_RPC_PEEK_H
#define MCP_RPC_PEEK_H

#include <stdbool.h>

#include "base/str.h"

/* The texts as they stand in the message, JSON; .p NULL where there is none. Of a message that is
 * not valid, anything may be found. */
struct rpc_peek {
    struct str id, method;
};

/* False when the line does not begin as an object. */
bool rpc_peek(struct str line, struct rpc_peek *ret);

#endif
