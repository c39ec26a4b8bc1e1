/* SPDX-License-Identifier: Apache-2.0
 *
 * The daemon, `glovebox serve`.
 *
 * Theory. One thread, the loop, owns all sockets, connections, exchanges, the queue's order, the
 * table of sessions and all figures; it waits only for events. Blocking work (a run,
 * a cell, a check, a judge, the run log) is done by worker threads. They are started as needed, and
 * never end before the daemon does: a guest dies with the thread that started it.
 *
 * A request that needs a worker becomes a job (server/job.h). The owners:
 *
 *   loop      exchange -> job    until the client has disconnected or has its answer
 *   queue     job                from job_submit until a worker takes it
 *   worker    job                while `work` runs; the loop uses only members with a lock
 *   loop      job                again, in `over`, which answers and frees it
 *
 * From a worker to the loop everything goes through the mailbox (net/mailbox.h), in order. From the
 * loop to a worker there are the queue and the worker's cancel descriptor, which becomes readable
 * when the client has disconnected, a deadline has passed or the daemon stops. A cell that waits
 * for a tool's answer waits on its call (routes/handle_tools.c), which the loop answers without a
 * worker.
 *
 * The run log has a thread of its own (server/run_log.h), because a store belongs to one thread and
 * an answer should not wait for a disk. A config (server/settings.h) never changes; jobs and
 * sessions hold the one they began with.
 *
 * The end: after SIGTERM only routes with ROUTE_DRAINING are answered, and running jobs may
 * continue for a limited time (--drain). When no job is left, no new connection is accepted. Jobs
 * that are left after that time are cancelled; a second signal cancels them immediately. After
 * SIGKILL the kernel kills every guest together with us, and the next run of any program removes
 * their control groups.
 */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include <jansson.h>

#include "base/err.h"
#include "net/http_server.h"
#include "server/settings.h"

struct event;
struct event_base;
struct mailbox;
struct backend_pool;

enum server_state { SERVER_SERVING, SERVER_DRAINING, SERVER_CANCELLING };

/* The answers of the daemon. Their code is in rooms above this one, so the caller passes it in. */
struct server_site {
    const struct route *routes; /* ends with a row without a path */
    const struct mcp_host *mcp; /* for the clients of /mcp */
};

struct server {
    int argc;
    char **argv; /* read again at SIGHUP */
    struct config *config;
    struct event_base *base;
    struct mailbox *mailbox;
    struct http_server *http;
    struct workers *workers;
    struct run_log *log;
    struct access_log *access;
    struct metrics *metrics;
    struct sessions *sessions;
    const struct server_site *site;
    struct mcp_hub *mcp;
    struct backend_pool *pool; /* of warm jails; NULL: none */
    struct listener *listeners;
    size_t listener_count;
    char *openapi; /* openapi_text(), from the first request for it to the end; NULL before */
    struct event *signals[4], *tick;
    struct event *end_of_process; /* for --end-with; NULL: none */
    int process_fd;
    enum server_state state;
    int64_t drain_until_ms;
    int64_t began_ms, began_wall_ms; /* on clock_mono_ms, and since 1970 */
    unsigned jobs;                   /* number of jobs that are not over */
};

/* Serves the site until it is asked to stop. Returns the exit status; errors go to standard error.
 * Takes the config over. Calls `listening` (unless NULL) when clients can connect. */
int server_run(int argc, char **argv, struct config *config, const struct server_site *site,
               void (*listening)(const struct server *server, void *ctx), void *ctx);

/* As after SIGTERM: starts nothing new, and ends when the running work is finished, or after
 * drain_ms. If that is below 0, --drain applies. */
void server_stop(struct server *server, int64_t drain_ms);

/* Stops the server when the process of --end-with ends (server/end_with.c). -1 with *err. */
int server_watch_process(struct server *server, struct err *err);
void server_unwatch_process(struct server *server);

/* "glovebox serve: ..." on standard error, unless --quiet and not an error. */
void server_say(const struct server *server, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The handler of net/http_server.h: authentication, routes (server/front.c). */
extern const struct http_handler server_front;

#endif
