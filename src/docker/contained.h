/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames between a backend and the helper in a container (inside/contained.c), over the container's
 * standard input and output. A frame has a head, two u32 in little-endian: its kind and the number
 * of bytes that follow: at most CONTAINED_PLAN_MAX in PLAN and GO, and CONTAINED_PIECE_MAX in the
 * others.
 *
 * The backend sends a plan, and after it, outside of any frame, the files as jail/lay.h says. The
 * helper answers HELD, then STARTED or FAILED. From then on both send what comes, until the helper
 * has sent OVER: no process of the guest lives any more. After that it only answers: FILES, PLACE,
 * REMOVE and LOOK. It exits when its input ends.
 *
 * With plan.waits the program starts before its job is known. The helper answers HELD, then WAITS.
 * It passes on bytes for the channel, and nothing that the program says, until GO comes with the
 * files.
 *
 * Bytes for the guest (IN, CHANNEL_IN) have a window: at most CONTAINED_WINDOW of them may be on
 * their way. CREDIT returns those that the guest has taken.
 */
#ifndef DOCKER_CONTAINED_H
#define DOCKER_CONTAINED_H

#include <stdint.h>

#include "base/wire.h"

#define CONTAINED_PATH "/.glovebox-jail"     /* of the helper, in the image */
#define CONTAINED_BOX  "/box"                /* as in a jail (SPEC_BOX) */
#define CONTAINED_WORK CONTAINED_BOX "/work" /* the workspace, a tmpfs */
#define CONTAINED_UID  65534u

/* In an image that was made of a session: a link to the files that a workspace begins with.
 * `work` itself would be below the tmpfs. */
#define CONTAINED_SNAPSHOT "/.glovebox-work"

#define CONTAINED_FILES_MOST                                                                       \
    ((uint64_t)4 << 30) /* bytes of a workspace that come out, where its disk has no limit */

enum { CONTAINED_WORDS = 5 }; /* a socket of the program, after its channel */

/* The helper's first argument where no engine has built a wall. Five numbers follow: whether there
 * is a network, and the limits (0: none) of disk, inodes, memory and processes. */
#define CONTAINED_APART "--contained-apart"

/* The way to such a helper may deliver a request twice. So after STARTED its input comes in pieces,
 * which need not begin or end with a frame: a head of two u32, a number that grows from piece to
 * piece and the number of bytes that follow. A piece with the number of the one before is dropped.
 */

enum {
    CONTAINED_HEAD = 8,
    CONTAINED_PIECE_MAX = 64 << 10,
    CONTAINED_PLAN_MAX = 8 << 20,
    CONTAINED_WINDOW = 64 << 10,
};

enum contained_frame {
    /* to the helper */
    CONTAINED_PLAN = 1, /* contained_plan_put */
    CONTAINED_GO,       /* with plan.waits: the words; after it, outside of any frame, the files */
    CONTAINED_IN,       /* bytes for stdin; none: its end */
    CONTAINED_CHANNEL_IN,
    CONTAINED_CHANNEL_SHUT, /* the reader of what the guest writes to its channel is gone */
    CONTAINED_INTERRUPT,
    CONTAINED_KILL,
    CONTAINED_FILES,  /* a byte: 1 for all of them, 0 for what has changed since the last FILES */
    CONTAINED_PUT,    /* none of it yet, then */
    CONTAINED_BYTES,  /* in pieces, then */
    CONTAINED_PLACE,  /* its path */
    CONTAINED_REMOVE, /* path */
    CONTAINED_LOOK,   /* answered by ACTIVITY and DONE */
    /* from it */
    CONTAINED_HELD,  /* u32: layers around it; before anything else, and again if they are more */
    CONTAINED_WAITS, /* with plan.waits: its program has started, and waits */
    CONTAINED_STARTED,
    CONTAINED_FAILED, /* u32 kind of error, u32 errno, text */
    CONTAINED_OUT,
    CONTAINED_ERR,
    CONTAINED_CHANNEL_OUT, /* bytes; none: the guest closed its end */
    CONTAINED_CREDIT,      /* u32 enum contained_way, u32 bytes */
    CONTAINED_SHUT,        /* u32 enum contained_way: the guest reads no more */
    CONTAINED_USAGE,       /* u64 ns of processor time, u64 memory now, u64 its peak */
    CONTAINED_LIMIT,       /* u32 enum jail_limit_hit */
    CONTAINED_ENDED, /* u32 status of the guest's first process, as from wait(), u64 ns it ran */
    CONTAINED_OVER,
    CONTAINED_TREE,     /* bytes of a stream as in jail/lay.h: the workspace */
    CONTAINED_LEFT_OUT, /* u32 mode of an entry that is not in it (0: it cannot be read), u64 size,
                           path */
    CONTAINED_KEPT,     /* path of a file that is as it was sent last */
    CONTAINED_DENIED,   /* name of a system call, u64 how often it was refused so far */
    CONTAINED_ACTIVITY, /* u64: changes when a process of the guest runs; u32: its disk is full */
    CONTAINED_DONE,     /* the answer to FILES, PLACE, REMOVE, LOOK: as FAILED; kind 0: no error */
};

enum contained_way { CONTAINED_TO_STDIN, CONTAINED_TO_CHANNEL, CONTAINED_WAYS };

/* Strings are the caller's. */
struct contained_plan {
    const char *path; /* without a slash: to look for in the container's $PATH */
    char **argv, **env;
    bool has_stdin, has_channel, has_lay;
    struct str channel_file; /* what the guest reads from its channel as a file; empty: a pipe */
    bool waits;
    bool has_words; /* it sends a byte over CONTAINED_WORDS when it waits; GO has the answer */
    const char *wait_file; /* until GO, a pipe in the workspace has this name; "" for none */
    uint64_t disk_bytes, inodes, cpu_ms;
    uint32_t open_files;
    uint32_t required; /* layers, else nothing starts */
};

void contained_plan_put(struct buf *b, const struct contained_plan *plan);
/* False when it is no such record. The strings are the caller's to free, or to keep until exec;
 * channel_file is a view of the record. */
bool contained_plan_get(struct str record, struct contained_plan *ret);

#endif
