/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the server on two descriptors share. Only the loop may call these functions,
 * unless noted.
 */
#ifndef MCP_STDIO_PARTS_H
#define MCP_STDIO_PARTS_H

#include <stdatomic.h>

#include "backends/pool.h"
#include "mcp/dialog.h"
#include "mcp/pipe.h"
#include "mcp/roots.h"
#include "mcp/stdio.h"

/* ---- scenes (stdio_scene.c) ---- */

/* The settings, with the folders that the client named at some time.
 *
 * Owners: counted without a lock. The server owns the one for new calls; each call and each session
 * owns the one that it began with. Nothing in it changes. Any thread may call these functions. */
struct stdio_scene {
    atomic_uint references;
    struct roots roots;
    json_t *list; /* the array that `roots` is made of; NULL: none */
    char **ro;    /* NULL-terminated; the strings are borrowed */
    struct settings settings;
    struct request_rules rules;
    struct mcp_service service;
};

/* Makes a scene with the roots in `list`, which may be NULL; may wait for a file system. NULL with
 * *err. */
struct stdio_scene *stdio_scene_new(const struct mcp_options *options, json_t *list,
                                    struct err *err);
struct stdio_scene *stdio_scene_hold(struct stdio_scene *scene);
void stdio_scene_drop(struct stdio_scene *scene); /* NULL is allowed */
/* True if a model and a program see no difference between them. */
bool stdio_scene_same(const struct stdio_scene *a, const struct stdio_scene *b);

/* ---- the server ---- */

/* A call, from `begin` to `over`. */
struct stdio_task {
    struct mcp_task task; /* first */
    struct session_turn turn;
    struct mcp_call *call;
    struct stdio_scene *scene; /* once it has begun */
    bool begun;                /* a worker has it */
    bool stale;                /* a root of its scene is gone, so nothing was done */
    bool looked;               /* it waited for new roots for that reason already */
    bool kept;                 /* it waits in the list of stdio_roots */
    struct stdio_task *next;   /* in that list */
    char *answer;
};

struct stdio_roots {
    bool declared;    /* the client has roots */
    bool asking;      /* a question has no answer yet */
    bool again;       /* the list changed meanwhile */
    bool looking;     /* a worker makes the next scene */
    bool waits;       /* new calls are kept until that is there */
    bool silent;      /* the client did not answer an earlier question in time */
    unsigned number;  /* of the last question */
    int64_t until_ms; /* with `waits` */
    struct stdio_task *kept, **kept_end;
    char *reported; /* the reasons that the user knows; or NULL */
};

struct stdio_server {
    const struct mcp_options *options;
    struct mcp_pipe pipe;
    struct mcp_dialog dialog;
    struct stdio_scene *plain, *scene; /* without roots; for new calls */
    struct stdio_roots roots;
    struct backend_pool *pool;
};

/* The functions by which the protocol and the table of sessions call this server (stdio_calls.c).
 */
extern const struct mcp_host stdio_host;
struct sessions *stdio_sessions(struct stdio_server *s);
/* Begins a call about no session, with the current scene. */
void stdio_calls_begin(struct stdio_task *task);

/* ---- the client's roots (stdio_roots.c) ---- */

void stdio_roots_open(struct stdio_server *s);
/* Waits for nothing more; the calls were stopped. */
void stdio_roots_stop(struct stdio_server *s);
void stdio_roots_close(struct stdio_server *s);
void stdio_roots_received(struct mcp_client *client, const struct rpc_message *message);
bool stdio_roots_wait(const struct mcp_client *client);
/* True if the call is kept, until stdio_calls_begin is called for it or stdio_roots_leave. */
bool stdio_roots_keep(struct stdio_task *task);
void stdio_roots_leave(struct stdio_task *task);
/* Keeps a call whose scene was found to be stale, and looks at the folders again. */
void stdio_roots_renew(struct stdio_task *task);
/* Returns true while something is waited for. */
bool stdio_roots_tick(struct stdio_server *s);

#endif
