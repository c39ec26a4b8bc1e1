/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that pid 1 receives and may let continue: it counts them, or looks up the process that they
 * are about. Those that change a file's metadata it makes itself (inside/change.h).
 */
#ifndef INSIDE_NOTICE_H
#define INSIDE_NOTICE_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/change.h"
#include "jail/filter.h"

/* inside/locks.c: how many locks on ranges of files the guest may hold by now. A call can add two:
 * a lock in the middle of another splits that. */
struct locks {
    uint32_t held;   /* at most so many */
    int64_t full_ms; /* when a look found that there are too many */
    int outer;       /* /proc/locks of the namespace around ours, where we have none; or -1 */
};
/* Whether one more call may lock. */
bool locks_allow(struct locks *l);

struct notices {
    int listener;
    unsigned flavour;
    struct locks locks;
    uint32_t members;
    volatile bool *touched; /* or NULL */
    struct changes changes;
    bool truncates_ruled; /* Landlock holds, and knows truncate(2) */
    bool forks;           /* the guest may have forks, which it is not to reach (target.h) */
};
/* Takes `outer`, which may be -1; the listener stays the caller's. *touched, if there is one, is
 * true and stays so unless we are asked for every socket that is not AF_UNIX: then it is set by the
 * first. */
void notices_init(struct notices *ret, int listener, unsigned flavour, int outer,
                  volatile bool *touched);
/* Without a private root, and until then all such changes are refused: `box` is the folder of the
 * guest's folders, and is not kept. */
void notices_own_files(struct notices *n, int box, bool landlock_holds);
/* Answers what is not refused, and what is refused without a report. False for any other. */
bool notice_answer(struct notices *n, const struct seccomp_notif *request);
/* False where the kernel cannot do that (before Linux 5.5). A process that died meanwhile needs no
 * answer. */
bool let_continue(int listener, uint64_t id);

#endif
