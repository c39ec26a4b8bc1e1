/* SPDX-License-Identifier: Apache-2.0
 *
 * The HTTP headers in which a message of the newer generation repeats a part of itself, for proxies
 * that do not read bodies. The daemon checks them, and `glovebox mcp --daemon` writes them.
 */
#ifndef MCP_HEADERS_H
#define MCP_HEADERS_H

#include "mcp/rpc.h"

/* True if the message has a part that Mcp-Name repeats; *ret points into the message. */
bool mcp_header_name(const struct rpc_message *m, struct str *ret);
/* True if the header `given` has this value. A value that is not plain ASCII is sent as
 * =?base64?...?= */
bool mcp_header_is(struct str given, struct str value);
/* Appends "\r\nNAME: VALUE": the end of the previous header's line, and this header. */
void mcp_header_add(struct buf *b, const char *name, struct str value);

#endif
