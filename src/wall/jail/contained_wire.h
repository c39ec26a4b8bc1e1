/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames between a backend and the helper in a container (helper/contained.c), over the container's
 * standard input and output. A frame begins with two u32 in little-endian: its kind, and the number
 * of bytes that follow: at most CONTAINED_PLAN_MAX in PLAN and GO, and CONTAINED_PIECE_MAX in other
 * frames.
 *
 * The backend sends a plan, and after it, outside of any frame, the input files (jail/lay.h). The
 * helper answers HELD, then STARTED or FAILED. After that both sides send frames at any time, until
 * the helper sends OVER: no process of the guest is alive. After OVER the helper only answers
 * requests: FILES, PLACE, REMOVE and LOOK. It exits at the end of its input.
 *
 * With plan.waits, the program starts before its job is known. The helper answers HELD, then WAITS.
 * Until GO arrives with the files, the helper passes bytes on to the channel, and sends no output
 * of the program.
 *
 * Bytes for the guest (IN, CHANNEL_IN) have a window: at most CONTAINED_WINDOW bytes may be sent
 * before the guest reads them. CREDIT reports how many it has read.
 */
#ifndef JAIL_CONTAINED_WIRE_H
#define JAIL_CONTAINED_WIRE_H

#include <stdint.h>

#include "base/wire.h"

#define CONTAINED_PATH "/.glovebox-jail"     /* of the helper, in the image */
#define CONTAINED_BOX  "/box"                /* as in a jail (SPEC_BOX) */
#define CONTAINED_WORK CONTAINED_BOX "/work" /* the workspace, a tmpfs */
#define CONTAINED_UID  65534u

/* In an image made from a session: a link to the workspace's initial files. They cannot be in
 * `work` itself, because a tmpfs is mounted over it. */
#define CONTAINED_SNAPSHOT "/.glovebox-work"

#define CONTAINED_FILES_MOST                                                                       \
    ((uint64_t)4 << 30) /* bytes of a workspace that are brought out, where its disk has no limit  \
                         */

enum { CONTAINED_WORDS = 5 }; /* a socket of the program, after its channel */

/* The helper's first argument where no engine has made a wall. Five numbers follow: 1 with a
 * network, and the limits (0: none) of disk, inodes, memory and processes. */
#define CONTAINED_APART "--contained-apart"

/* The transport to such a helper may deliver a request twice. So after STARTED, its input comes in
 * chunks, which need not begin or end with a frame. A chunk begins with two u32: its number, which
 * grows from chunk to chunk, and the number of bytes that follow. The helper drops a chunk that has
 * the number of the previous one. */

enum {
    CONTAINED_HEAD = 8,
    CONTAINED_PIECE_MAX = 64 << 10,
    CONTAINED_PLAN_MAX = 8 << 20,
    CONTAINED_WINDOW = 64 << 10,
};

enum contained_frame {
    /* to the helper */
    CONTAINED_PLAN = 1, /* contained_plan_put */
    CONTAINED_GO,       /* with plan.waits: arguments and environment; after it, outside of any
                           frame, the files */
    CONTAINED_IN,       /* bytes for stdin; empty: end of input */
    CONTAINED_CHANNEL_IN,
    CONTAINED_CHANNEL_SHUT, /* nothing reads the guest's output on its channel any more */
    CONTAINED_INTERRUPT,
    CONTAINED_KILL,
    CONTAINED_FILES,  /* a byte: 1 for all files, 0 for files that changed since the last FILES */
    CONTAINED_PUT,    /* begins a file from the host, */
    CONTAINED_BYTES,  /* its content, in chunks, */
    CONTAINED_PLACE,  /* its path: the file is complete */
    CONTAINED_REMOVE, /* path */
    CONTAINED_LOOK,   /* answered by ACTIVITY and DONE */
    /* from it */
    CONTAINED_HELD,  /* u32: the layers around the helper; the first frame, and again if there are
                        more */
    CONTAINED_WAITS, /* with plan.waits: the program has started, and waits */
    CONTAINED_STARTED,
    CONTAINED_FAILED, /* u32 kind of error, u32 errno, message */
    CONTAINED_OUT,
    CONTAINED_ERR,
    CONTAINED_CHANNEL_OUT, /* bytes; empty: the guest closed its end */
    CONTAINED_CREDIT,      /* u32 enum contained_way, u32 bytes */
    CONTAINED_SHUT,        /* u32 enum contained_way: the guest closed its reading end */
    CONTAINED_USAGE,       /* u64 ns of processor time, u64 memory now, u64 its peak */
    CONTAINED_LIMIT,       /* u32 enum jail_limit_hit */
    CONTAINED_ENDED, /* u32 status of the guest's first process, as from wait(), u64 ns it ran */
    CONTAINED_OVER,
    CONTAINED_TREE,     /* bytes of a stream as in jail/lay.h: the files of the workspace */
    CONTAINED_LEFT_OUT, /* u32 mode of an entry that is not in TREE (0: it cannot be read), u64
                           size, path */
    CONTAINED_KEPT,     /* path of a file that is unchanged since it was last sent */
    CONTAINED_DENIED,   /* name of a system call, u64 how often it has been refused */
    CONTAINED_ACTIVITY, /* u64: changes when a process of the guest runs; u32: 1 if its disk is
                           full */
    CONTAINED_DONE,     /* the answer to FILES, PLACE, REMOVE, LOOK: the fields of FAILED; kind 0:
                           no error */
};

enum contained_way { CONTAINED_TO_STDIN, CONTAINED_TO_CHANNEL, CONTAINED_WAYS };

/* The strings belong to the caller. */
struct contained_plan {
    const char *path; /* a name without a slash is looked up in the container's $PATH */
    char **argv, **env;
    struct str folder; /* of the workspace, in which it starts; "" for the workspace itself */
    bool has_stdin, has_channel, has_lay;
    struct str channel_file; /* the guest's channel for reading is a file with this content; empty:
                                a pipe */
    bool waits;
    bool has_words; /* the program sends a byte over CONTAINED_WORDS when it waits; the answer is
                       GO's arguments */
    const char *wait_file; /* until GO, a pipe with this name stands in for a file of the workspace;
                              "": none */
    uint64_t disk_bytes, inodes, cpu_ms;
    uint32_t open_files;
    uint32_t required; /* the layers without which nothing starts */
};

void contained_plan_put(struct buf *b, const struct contained_plan *plan);
/* False if the record is invalid. The caller frees the strings, or keeps them until exec;
 * channel_file and folder point into the record. */
bool contained_plan_get(struct str record, struct contained_plan *ret);

#endif
