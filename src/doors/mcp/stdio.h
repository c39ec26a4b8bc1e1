/* SPDX-License-Identifier: Apache-2.0
 *
 * The server for one client, on two descriptors (mcp/pipe.h), with its own pool.
 */
#ifndef MCP_STDIO_H
#define MCP_STDIO_H

#include <stddef.h>
#include <stdint.h>

#include "request/settings.h"

/* Which of the folders that the client names as its roots are shown, and how. */
enum stdio_roots_mode {
    ROOTS_OFF,
    ROOTS_RO, /* all, read-only */
    ROOTS_RW, /* the first one as --work-dir shows it, the others read-only */
};

struct mcp_options {
    const struct settings *settings; /* for every run and session; borrowed */
    char *const *languages;          /* no others are offered; NULL-terminated, or NULL for all */
    char *const *tools;              /* the same of tools */
    size_t sessions_max;
    size_t message_max; /* maximum bytes of an answer */
    int64_t idle_ms;    /* a session that is unused for this time is closed */
    enum stdio_roots_mode roots;
    /* Reports a line to the user, in the thread of mcp_serve. */
    void (*report)(void *ctx, const char *line);
    void *report_ctx;
    int in_fd, out_fd;
    int quit_fd; /* readable: stop now */
};

/* Checks --tools. -1 with *err if a name is unknown, or if a tool would be of no use without
 * another one that is left out. */
int mcp_check_tools(char *const *names, struct err *err);
/* Serves until the client closes its end or quit_fd is readable; then it closes all sessions. -1
 * when it could not start. */
int mcp_serve(const struct mcp_options *options, struct err *err);

#endif
