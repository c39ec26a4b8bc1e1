/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that looks again and again whether a session is used.
 */
#ifndef SESSION_IDLE_WATCH_H
#define SESSION_IDLE_WATCH_H

#include "base/err.h"
#include "session/session.h"

/* Looks at the session; returns the number of milliseconds after which to look again. */
typedef int64_t idle_look(struct session *session, int64_t ms);

struct idle_watch;

/* Calls `look` with this session and time. *ret is NULL where the time is 0. */
int idle_begin(struct session *session, int64_t ms, idle_look *look, struct idle_watch **ret,
               struct err *err);
/* Waits for a look that has begun. NULL is fine. */
void idle_done(struct idle_watch *watch);

#endif
