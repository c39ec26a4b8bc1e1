/* SPDX-License-Identifier: Apache-2.0
 *
 * Ends the guest of a session that is not used for the time in its option `idle`. A thread of its
 * own sleeps until the session may be idle that long; without the option there is no thread.
 */
#ifndef API_IDLE_H
#define API_IDLE_H

#include "session/session.h"

struct idle_watch;

/* *ret is NULL if idle_ms is 0. The session is lent until idle_done. */
int idle_begin(struct session *session, int64_t idle_ms, struct idle_watch **ret, struct err *err);
void idle_done(struct idle_watch *watch); /* NULL is fine */

#endif
