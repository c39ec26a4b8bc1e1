/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that repeatedly checks whether a session is used.
 */
#ifndef SESSION_IDLE_WATCH_H
#define SESSION_IDLE_WATCH_H

#include "base/err.h"
#include "session/session.h"

/* Checks the session; returns the number of milliseconds after which to check again. */
typedef int64_t idle_look(struct session *session, int64_t ms);

struct idle_watch;

/* Starts calling `look` with this session and ms. If ms is 0, *ret is NULL. */
int idle_begin(struct session *session, int64_t ms, idle_look *look, struct idle_watch **ret,
               struct err *err);
/* Ends the thread; a call of `look` that has begun is completed first. NULL is allowed. */
void idle_done(struct idle_watch *watch);

#endif
