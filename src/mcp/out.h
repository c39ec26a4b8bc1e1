/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages to the client, in the order in which they were sent. A thread writes them, so that a
 * client that does not read delays neither the server's loop nor a running program.
 */
#ifndef MCP_OUT_H
#define MCP_OUT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"

struct mcp_out;

/* `broken_fd` is an eventfd that gets a count when the client no longer reads. An answer of more
 * than `max` bytes becomes an error: many clients end the connection at a long line, and all
 * sessions would be lost. */
int mcp_out_open(int fd, int broken_fd, size_t max, struct mcp_out **ret, struct err *err);
/* Waits until everything is written, but not longer than patience_ms. */
void mcp_out_close(struct mcp_out *out, int patience_ms);

/* Takes the message over; any thread. Nothing else may refer to its values. */
void mcp_out_send(struct mcp_out *out, json_t *message);
/* Number of messages that wait. */
size_t mcp_out_waiting(struct mcp_out *out);

#endif
