/* SPDX-License-Identifier: Apache-2.0
 *
 * Pauses of a session that is not used. Belongs to session_impl.h, which alone includes it.
 */
#ifndef SESSION_SESSION_PAUSE_H
#define SESSION_SESSION_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct session;
struct idle_watch;

struct pauses {
    struct idle_watch *watch; /* NULL: it is never paused */
    bool known;               /* what the guest did, as seen at this time by the watch: */
    uint64_t activity;
    int64_t seen_ms;
};

/* ERR_UNSUPPORTED when the user asked for pauses that the backend does not have. */
int pause_check(const struct session *s, struct err *err);
/* From now on the guest is paused when the session is not used, where the backend can do that. */
void pause_begin(struct session *s);
void pause_end(struct session *s);

#endif
