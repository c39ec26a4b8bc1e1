/* SPDX-License-Identifier: Apache-2.0
 *
 * Three features need more from a host than a jail does: guests that are started early, sessions
 * that can be forked, and a network by name. This tries one of each.
 */
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>

#include "backends/local.h"
#include "backends/pool.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "cli/diagnose.h"
#include "registry/registry.h"
#include "session/session.h"

enum { PATIENCE_MS = 15000, LOOK_EVERY_MS = 5 };

static void set_absent(struct early_diagnosis *a, const char *why)
{
    a->present = false;
    snprintf(a->detail, sizeof a->detail, "%s", why);
}

/* The first run is cold, and the pool learns from it which kind is needed. Soon afterwards a guest
 * must be waiting. */
static void try_warm(struct run_request q, struct early_diagnosis *ret)
{
    struct run_watch watch = {.cancel_fd = -1};
    struct backend_pool_stats stats = {0};
    struct result result;
    int64_t until = clock_mono_ms() + PATIENCE_MS;

    q.program.code = STR("pass");
    result_init(&result, 4096);
    run_program(&q, &watch, &result);
    if (result.error.kind) {
        set_absent(ret, result.error.msg);
    } else {
        do {
            (void)poll(NULL, 0, LOOK_EVERY_MS);
            backend_pool_stats(q.place.pool, &stats);
        } while (!stats.ready && !stats.problem[0] && clock_mono_ms() < until);
        ret->present = stats.ready > 0;
        if (!ret->present)
            set_absent(ret, stats.problem[0] ? stats.problem : "no interpreter got ready in time");
    }
    result_done(&result);
}

static void try_fork(const struct run_request *q, struct early_diagnosis *ret)
{
    struct session_request request;
    struct session *session = NULL, *other = NULL;
    struct err err;

    session_request_init(&request);
    request.run = *q;
    request.forks = 1;
    ret->present =
        session_open(&request, &session, &err) == 0 && session_fork(session, &other, &err) == 0;
    if (!ret->present)
        set_absent(ret, err.msg);
    session_close(other);
    session_close(session);
}

/* A listener on this address of the loopback, at *port; at 0, which is then set, at any one. */
static int listen_at(uint32_t address, uint16_t *port)
{
    struct sockaddr_in in = {
        .sin_family = AF_INET, .sin_port = htons(*port), .sin_addr.s_addr = htonl(address)};
    socklen_t size = sizeof in;
    int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (s >= 0 && (bind(s, (struct sockaddr *)&in, sizeof in) < 0 || listen(s, 1) < 0 ||
                   getsockname(s, (struct sockaddr *)&in, &size) < 0))
        fd_close(&s);
    *port = ntohs(in.sin_port);
    return s;
}

static bool was_reached(int listener, int wait_ms)
{
    struct pollfd wait = {.fd = listener, .events = POLLIN};

    return listener >= 0 && poll(&wait, 1, wait_ms) > 0;
}

/* Connects to two servers of our own, of which the rules allow the first. A filter that does not
 * filter must be noticed here. */
static void try_names(struct run_request q, struct early_diagnosis *ret)
{
    struct run_watch watch = {.cancel_fd = -1};
    struct result result;
    uint16_t port = 0;
    AUTO_CLOSE int allowed = listen_at(INADDR_LOOPBACK, &port);
    AUTO_CLOSE int refused = listen_at(INADDR_LOOPBACK + 1, &port);
    AUTO_FREE char *rules = xasprintf("127.0.0.1:%u", port);
    AUTO_FREE char *code = xasprintf("import socket\n"
                                     "for host in ('127.0.0.1', '127.0.0.2'):\n"
                                     "    try: socket.create_connection((host, %u), 5)\n"
                                     "    except OSError: pass\n",
                                     port);

    q.program.code = str_from(code);
    q.place.net_rules = rules;
    result_init(&result, 4096);
    run_program(&q, &watch, &result);
    ret->present = false;
    if (result.error.kind)
        set_absent(ret, result.error.msg);
    else if (was_reached(refused, 0))
        set_absent(ret, "a server was reached that no rule allows: do not use it here");
    else if (!was_reached(allowed, 2000))
        set_absent(ret, "a server was not reached that a rule allows");
    else
        ret->present = true;
    result_done(&result);
}

static void note_how(struct early_diagnosis *a, enum backend_ability ability)
{
    const char *how = jail_can(ability).how;

    if (a->present && how)
        snprintf(a->detail, sizeof a->detail, "%s", how);
}

void diagnose_early(const struct language_table *languages, struct diagnosis *d)
{
    const struct backend_pool_options few = {.ready_max = 1, .kinds_max = 2};
    struct run_request q;
    struct err err;

    run_request_init(&q);
    q.program.language = "python";
    q.program.languages = languages;
    q.program.stdin_fd = -1;
    q.door.log = "off";
    q.policy.no_check = true;
    if (d->runs)
        try_names(q, &d->names);
    else
        set_absent(&d->names, "nothing runs here");
    const char *why = !d->runs ? "nothing runs here" : NULL;
    if (!why && backend_pool_open(backends, &few, &q.place.pool, &err) < 0)
        why = err.msg;
    if (why) {
        set_absent(&d->warm, why);
        set_absent(&d->forks, why);
        return;
    }
    try_warm(q, &d->warm);
    try_fork(&q, &d->forks);
    note_how(&d->warm, CAN_WARM);
    note_how(&d->forks, CAN_FORKS);
    backend_pool_close(q.place.pool);
}
