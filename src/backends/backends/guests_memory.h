/* SPDX-License-Identifier: Apache-2.0
 *
 * One ceiling for the memory of all local guests of this process together, for a program that runs
 * them for several owners. When it is reached, the largest guest of the owner with the most memory
 * is killed at once, even if no thread steps it, and its files are released.
 *
 * Where control groups hold memory, the kernel enforces the ceiling, too (cgroup_ceiling in
 * limits/cgroup.h). It would kill the largest process of any owner. So a thread of ours reads the
 * groups, each time before guests can have filled the rest, and kills at nine tenths of the
 * ceiling. If it is too late, the kernel kills a process of the same owner: near the ceiling, that
 * owner's processes are marked for it.
 *
 * Without control groups, each watched guest reports its memory, and guests are killed at the
 * ceiling itself. A page that several guests share counts once (guests_parts.h).
 *
 * A guest that has ended counts with its files, until it is closed.
 */
#ifndef BACKENDS_GUESTS_MEMORY_H
#define BACKENDS_GUESTS_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "limits/watch.h"

struct cgroup;

/* Sets the ceiling; 0, the default, means none. Only guests that join later are counted.
 * Thread-safe. */
void guests_memory_limit(uint64_t bytes);
/* Half of the machine's memory, or of the limit of the group that this process is in, if that is
 * less; in whole MiB. */
uint64_t guests_memory_usual(void);

/* The reason in the results of a guest that was killed because of the sum, or whose files were
 * released. */
#define GUESTS_MEMORY_WHY                                                                          \
    "killed because all guests of this daemon together reached the memory that they may have "     \
    "(--guests-memory)"

enum {
    COUNTED_FILES = 2,
    GUESTS_EMPTY_MS = 1000, /* maximum time for emptying a folder that a living fork can fill
                               again */
};

/* Without control groups: what a guest may take at most, and what it takes alone at least. */
struct guest_report {
    uint64_t most, least;
};

/* A counted guest; a member of the guest's own structure. Lent members must exist until
 * guests_memory_ended or guests_memory_leave. If the guest was killed, the lent descriptors lead
 * nowhere. */
struct counted_guest {
    struct counted_guest *next, **link;
    bool counted;
    struct counted_guest *above; /* of a fork that dies with its origin: the origin; or NULL */
    uint64_t owner;
    struct watch_tree tree; /* without a group: its processes; otherwise no root */
    struct guest_report report;
    uint64_t part;            /* with tree: its part when it was measured last, */
    uint64_t grown_from;      /* and report.most at that time */
    struct cgroup *group;     /* lent; counts its memory; NULL: guests_memory_count */
    int init_pidfd;           /* lent; -1: the guest's own thread kills it */
    int files[COUNTED_FILES]; /* lent; all descriptors that keep its files once it is dead; -1 for
                                 none */
    int emptied; /* lent; a folder to empty, because other references keep its files, too; -1 for
                    none */
    uint64_t bytes;
    bool marked; /* the kernel would kill it before others */
    bool unsure; /* some of its processes may not be marked as `marked` says */
    bool sealed; /* it must not be marked now */
    bool ended;  /* its processes are dead; files, and what its forks map, may be in `group` */
    bool kept;   /* guests_memory_keep */
    atomic_bool killed;
};

/* True if guests have to report their memory: there is a ceiling, and no control group enforces it.
 */
bool guests_memory_is_counted(void);
/* Adds the guest: from now on it may be killed. Without a ceiling, these functions have no effect.
 */
void guests_memory_join(struct counted_guest *guest);
/* While `sealed`, the guest is not marked: a mark would change the recorded state of its processes
 * (local_seal.h). */
void guests_memory_seal(struct counted_guest *guest, bool sealed);
/* What the guest has now. May kill any guest. */
void guests_memory_count(struct counted_guest *guest, struct guest_report report);
/* Lends one more descriptor, in a free element of `files`. */
void guests_memory_lend(struct counted_guest *guest, int file);
/* Call guests_memory_ended when the guest's processes are dead. `bytes` is the memory of its files
 * that its group does not count. From then on it is not killed: only its files are released.
 * Descriptors that differ from the earlier ones may be lent. The group stays lent. */
struct guest_left {
    uint64_t bytes;
    int files[COUNTED_FILES], emptied;
    bool release; /* release the files at once */
};
void guests_memory_ended(struct counted_guest *guest, const struct guest_left *left);
/* After the end of a guest: moves its group, with the memory that its forks still map, to `kept`,
 * which counts for the same owner until guests_memory_leave. To kill `kept` is to kill the
 * forks. */
void guests_memory_keep(struct counted_guest *ended, struct counted_guest *kept);
uint64_t guests_memory_of(const struct counted_guest *guest);
void guests_memory_leave(struct counted_guest *guest);

#endif
