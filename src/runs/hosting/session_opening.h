/* SPDX-License-Identifier: Apache-2.0
 *
 * Data that a session was opened with and that its forks share: lent to them until the last one is
 * closed.
 *
 * Owners: counted without a lock, in any thread; only an owner adds another owner. The last
 * session_opening_drop frees it, and drops the settings. Nothing in it changes once it has more
 * than one owner.
 */
#ifndef HOSTING_SESSION_OPENING_H
#define HOSTING_SESSION_OPENING_H

#include <stdatomic.h>

#include "request/run_ask.h"
#include "session/session.h"
#include "session/tools.h"

struct session_opening {
    atomic_uint references;
    void *settings; /* the host's; the strings of the request below point into them */
    void (*drop_settings)(void *settings);
    json_t *doc;
    json_t *data; /* in doc: the variables at the start of the session, or NULL */
    struct request_parts parts;
    struct session_request request;
    struct tool_set tools;
    uint64_t output_limit;
};

/* Takes over the settings. */
struct session_opening *session_opening_new(void *settings, void (*drop_settings)(void *settings));
struct session_opening *session_opening_hold(struct session_opening *opening);
void session_opening_drop(struct session_opening *opening); /* NULL is allowed */

/* Call session_open and session_restart, and set the variables for the start. `watch` is
 * session_request.opening. */
int session_opening_open(const struct session_opening *opening, const struct run_watch *watch,
                         struct session **ret, struct err *err);
int session_opening_restart(const struct session_opening *opening, struct session *session,
                            struct err *err);

#endif
