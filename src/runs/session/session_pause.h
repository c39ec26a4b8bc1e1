/* SPDX-License-Identifier: Apache-2.0
 *
 * The pauses of an idle session. Part of session_impl.h, the only file that includes this.
 */
#ifndef SESSION_SESSION_PAUSE_H
#define SESSION_SESSION_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct session;
struct idle_watch;

struct pauses {
    struct idle_watch *watch; /* NULL: the guest is never paused */
    bool known;               /* the watch has seen `activity` at the time `seen_ms` */
    uint64_t activity;
    int64_t seen_ms;
};

/* ERR_UNSUPPORTED if the user requested pauses that the backend does not support. */
int pause_check(const struct session *s, struct err *err);
/* From now on the guest is paused while the session is idle, if the backend supports it. */
void pause_begin(struct session *s);
void pause_end(struct session *s);

#endif
