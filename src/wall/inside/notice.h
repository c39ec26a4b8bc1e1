/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that pid 1 receives and may let continue: it counts them, or looks up their target process.
 * Pid 1 itself makes the calls that change a file's metadata (inside/change.h).
 */
#ifndef INSIDE_NOTICE_H
#define INSIDE_NOTICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inside/change.h"
#include "jail/filter.h"

/* inside/locks.c: counts the locks on ranges of files that the guest may hold. A call can add two:
 * a lock in the middle of another one splits it. */
struct locks {
    uint32_t held;   /* an upper bound */
    int64_t full_ms; /* the time when a check found too many; 0 otherwise */
    int outer;       /* /proc/locks of the outer namespace, if we have no /proc; or -1 */
};
/* True if one more call may lock. */
bool locks_allow(struct locks *l);

/* inside/births.c: the processes and threads that each guest of a fork tree may have, if no control
 * group and no resource limit counts them. */
#define BIRTHS_MEMBERS 64 /* guests to remember; the number of others is looked up each time */
struct births {
    uint32_t limit; /* of one guest, without its init; 0: none */
    struct births_member {
        uint32_t mount; /* by which its processes are found; 0: unused */
        uint32_t most;  /* an upper bound of the processes and threads that it has */
    } members[BIRTHS_MEMBERS];
    size_t next;
};
/* Of a fork tree with this spec and these layers; 0: none, or a control group holds it. */
struct inside;
uint32_t limit_of_births(const struct inside *in);
/* True if this process, by our number for it, may make one more process or thread. */
bool births_allow(struct births *b, uint32_t caller);
/* A fork has come: mounts may have numbers that were used before. */
void births_forget(struct births *b);

struct notices {
    int listener;
    unsigned flavour;
    struct locks locks;
    struct births births;
    uint32_t members;
    volatile bool *touched; /* or NULL */
    struct changes changes;
    bool truncates_ruled; /* Landlock is in force, and restricts truncate(2) */
    bool forks;           /* the guest may have forks, which it must not reach (target.h) */
};
/* Takes ownership of `outer`, which may be -1; the caller keeps the listener. *touched is true
 * before this call, unless touched is NULL. If the filter sends us every socket call that is not
 * AF_UNIX, it becomes false until the first one; else it stays true. */
void notices_init(struct notices *ret, int listener, unsigned flavour, int outer,
                  volatile bool *touched);
/* Permits changes of the guest's own files where there is no private root; before this call all are
 * refused. `box` is the folder of the guest's folders, and is not kept. */
void notices_own_files(struct notices *n, int box, bool landlock_holds);
/* Answers a call that is permitted, or refused without a report. Returns false for any other. */
bool notice_answer(struct notices *n, const struct seccomp_notif *request);
/* Lets the call continue. Returns false if the kernel cannot do that (before Linux 5.5). A process
 * that died meanwhile needs no answer: true. */
bool let_continue(int listener, uint64_t id);

#endif
