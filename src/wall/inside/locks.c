/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks on ranges of files (fcntl(2)): about 200 bytes of kernel memory each, which the kernel
 * charges to no process and does not limit; RLIMIT_LOCKS has no effect. So every call that may lock
 * or unlock comes here first. Whether it locks or unlocks is behind a pointer, so only calls can be
 * counted. When their number reaches the most that a guest may hold, /proc/locks shows how many
 * locks there can be. Programs that lock and unlock, such as SQLite, hold almost none.
 *
 * That file has a line for each lock of our pid namespace. It is read in chunks, and each lock or
 * unlock of another process between two reads moves the rest, so lines cannot be counted. But for a
 * read at a large offset, the kernel walks there in one step: if it returns nothing, all lines
 * together are no longer than the offset. While we read, no process in here can lock, except
 * threads that were already let continue and have not locked yet.
 *
 * Locks that belong to an open file (F_OFD_SETLK) name no process and appear in every namespace's
 * file: a guest could fill the file of others. The filter refuses them. Without a pid namespace the
 * host's locks count as well.
 */
#include "inside/notice.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"

enum {
    LOCKS_MOST = 16384, /* 3 MiB */
    LOCKS_A_CALL = 2,
    LINE_LEAST = 40,     /* "1: POSIX  ADVISORY  READ  2 00:1f:5 0 0\n" */
    LOOK_AGAIN_MS = 100, /* after there were too many */
};

/* Offsets to try. The last one must still leave room for many calls. */
static const off_t lengths[] = {8192, 65536, 524288};

/* An upper bound of the locks held; LOCKS_MOST if there are too many, or if it is unknown. (Uses
 * openat: musl's open also calls fcntl, which init's filter refuses.) */
static uint32_t most_held(const struct locks *l)
{
    AUTO_CLOSE int own = openat(AT_FDCWD, "/proc/locks", O_RDONLY | O_CLOEXEC);
    int fd = own >= 0 ? own : l->outer;
    char byte;

    for (size_t i = 0; fd >= 0 && i < ARRAY_LEN(lengths); i++)
        if (pread(fd, &byte, 1, lengths[i]) == 0)
            return (uint32_t)(lengths[i] / LINE_LEAST);
    return LOCKS_MOST;
}

static bool make_room(struct locks *l)
{
    int64_t now = clock_mono_ms();

    if (l->full_ms && now - l->full_ms < LOOK_AGAIN_MS)
        return false;
    uint32_t most = most_held(l);
    l->full_ms = most == LOCKS_MOST ? now : 0;
    l->held = most;
    return most < LOCKS_MOST;
}

bool locks_allow(struct locks *l)
{
    if (l->held + LOCKS_A_CALL > LOCKS_MOST && !make_room(l))
        return false;
    l->held += LOCKS_A_CALL;
    return true;
}
