/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines to the client, in the order in which they were sent. A thread writes them, so that a client
 * that does not read delays neither the server's loop nor a running program.
 */
#ifndef MCP_OUT_H
#define MCP_OUT_H

#include <stddef.h>

#include "base/err.h"

struct mcp_out;

/* `broken_fd` is an eventfd that becomes readable when the client no longer reads. */
int mcp_out_open(int fd, int broken_fd, struct mcp_out **ret, struct err *err);
/* Waits until everything is written, for at most patience_ms. */
void mcp_out_close(struct mcp_out *out, int patience_ms);

/* Sends a line, given without its line end; takes it over. Any thread may call it. */
void mcp_out_send(struct mcp_out *out, char *line);
/* Returns the number of lines that are not written yet, and their bytes. */
size_t mcp_out_waiting(struct mcp_out *out, size_t *ret_bytes);

#endif
