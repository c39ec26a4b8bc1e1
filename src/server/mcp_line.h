/* SPDX-License-Identifier: Apache-2.0
 *
 * A connection at /mcp/lines: `glovebox mcp` passes the lines of its client on, in both directions,
 * and the daemon serves them as that program would do itself. Its sessions and kept files are seen
 * by no other client, and end with it.
 *
 * A line that is longer than READ_IN_LOOP is parsed by a worker; until then, later lines wait. The
 * same happens to all lines while the client does not read its answers.
 *
 * Owners: the hub's list. The loop alone frees a line, when its connection is gone, no call of it
 * is left and none of its functions is at work (`inside`). Workers use of it what never changes,
 * and `full`.
 */
#ifndef SERVER_MCP_LINE_H
#define SERVER_MCP_LINE_H

#include "mcp/dialog.h"
#include "server/mcp_hub.h"
#include "server/mcp_line_settings.h"

#define MCP_LINES_PROTOCOL "glovebox-mcp"

struct line_text;
struct line_parse;

struct mcp_line {
    struct mcp_line *next, **place;
    struct mcp_hub *hub;
    struct call *call; /* NULL: the connection is gone, or is being closed */
    char owner[TOKEN_NAME], keeper[32];
    struct line_settings *settings;
    struct mcp_dialog dialog;
    struct rpc_lines lines;
    size_t line_max;                  /* bytes of a line */
    struct line_text *waiting, **end; /* lines */
    size_t waiting_bytes;
    size_t bytes, unread;     /* its part of the hub's sums */
    struct line_parse *parse; /* the line that a worker reads; or NULL */
    bool crowded;             /* a line was dropped because there are too many long ones */
    bool held, draining;
    unsigned inside;  /* functions that use it; it is freed later */
    atomic_bool full; /* the client does not read its answers */
};

/* A function that may send something calls these at its beginning and at its end. */
void mcp_line_enter(struct mcp_line *line);
void mcp_line_leave(struct mcp_line *line);
/* Finds out how much of what each line was sent is still unread. */
void mcp_lines_tick(struct mcp_hub *hub);
/* Takes no more messages, and closes each connection when its calls are over. */
void mcp_lines_drain(struct mcp_hub *hub);

extern const struct mcp_host mcp_line_host; /* mcp_line_calls.c */

#endif
