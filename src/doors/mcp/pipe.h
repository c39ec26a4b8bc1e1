/* SPDX-License-Identifier: Apache-2.0
 *
 * A client on two descriptors: it writes lines into one, and reads lines from the other. The pipe's
 * owner decides what the lines mean: the server in this process (mcp/stdio.h), or the connection to
 * a daemon (remote/mcp_daemon.h). One thread is the loop, workers do what may take long
 * (mcp/workers.h), and one thread writes (mcp/out.h).
 */
#ifndef MCP_PIPE_H
#define MCP_PIPE_H

#include <stdatomic.h>

#include "mcp/out.h"
#include "mcp/rpc.h"
#include "mcp/workers.h"

/* The error of a request that was stopped with the server. */
#define MCP_STOPPED                                                                                \
    "this call was stopped: the server ends at a signal, or 10 s after the end of its input"

/* All of them are called in the loop. */
struct mcp_pipe_owner {
    /* Receives one line. p is NULL if the line was longer than RPC_LINE_MAX and was dropped. */
    void (*line)(void *ctx, struct str line);
    /* True if some requests have no answer yet. */
    bool (*is_busy)(void *ctx);
    /* Called once, when the loop is to end: the client has disconnected, waited too long or has all
     * its answers, or quit_fd is readable. The owner stops the requests that are still running, and
     * answers them. */
    void (*stop)(void *ctx);
    /* Called after each round of the loop. While it returns true, it is called again within a
     * second and the loop does not end. May be NULL. */
    bool (*tick)(void *ctx);
};

struct mcp_pipe {
    /* The owner sets these. */
    const struct mcp_pipe_owner *owner;
    void *ctx;
    int in_fd, out_fd;
    int quit_fd; /* readable: stop now */

    struct mcp_out *out;
    struct mcp_workers *workers;
    struct rpc_lines lines;
    int done_fd, broken_fd;
    bool ended;        /* the client's input is at its end */
    bool stopping;     /* `stop` was called */
    int64_t finish_at; /* once `ended`: at this time, running requests are stopped */
};

int mcp_pipe_open(struct mcp_pipe *pipe, struct err *err);
/* Runs the loop until the client has closed its end and has its answers, or quit_fd is readable. */
void mcp_pipe_run(struct mcp_pipe *pipe);
/* Call it also after mcp_pipe_open failed. */
void mcp_pipe_close(struct mcp_pipe *pipe);

/* Sends a line, given without its line end; takes it over. Any thread may call it. */
void mcp_pipe_send(const struct mcp_pipe *pipe, char *line);
/* For workers: waits while the pipe is full and *stopped is false. */
void mcp_pipe_wait(const struct mcp_pipe *pipe, const atomic_bool *stopped);

#endif
