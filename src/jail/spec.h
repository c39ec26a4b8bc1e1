/* SPDX-License-Identifier: Apache-2.0
 *
 * What a jail is to be, as plain data. The library fills a jail_spec in, the helper receives it
 * encoded in a memory file and carries it out. Nothing here knows which language will run.
 *
 * All strings and arrays belong to the spec; spec_done frees them.
 */
#ifndef JAIL_SPEC_H
#define JAIL_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "jail/layers.h"

/* One step in making the guest's root, in order. */
enum spec_op_kind {
    SPEC_BIND, /* host path src appears at dst, read-only, nosuid, nodev, with what is mounted below
                  it */
    SPEC_DEVICE, /* host device node src appears at dst */
    SPEC_DIR,    /* an empty folder at dst */
    SPEC_LINK,   /* a symbolic link at dst that says text */
    SPEC_FILE,   /* a small file at dst that holds text */
    SPEC_MASK,   /* what is at dst after everything else is mounted is hidden */
    SPEC_KINDS
};

struct spec_op {
    enum spec_op_kind kind;
    bool optional; /* skipped without a word when src or dst is not there */
    bool look; /* of SPEC_BIND: sockets and named pipes below src are covered (inside/look.h), */
    char *src;
    char *dst;
    struct str text; /* owned; with look: a file that spares a repeated look, or none */
};

struct spec_rlimit {
    int resource;
    uint64_t value;
};

struct jail_spec {
    layer_mask wanted;   /* layers to apply where the host can */
    layer_mask required; /* without one of these the guest is not started */
    int32_t host_pid;    /* the process that started the helper; the jail dies with it */

    /* Inside, everything belongs to uid and gid. Outside they are host_uid and host_gid. */
    uint32_t uid, gid;
    uint32_t host_uid, host_gid;
    /* With nest: outside, the first of SPEC_JAILS_MAX uids, one for each jail, which are
     * SPEC_JAIL_UIDS and up in the nest. 0: they all have host_uid. */
    uint32_t host_jails;

    char *hostname;
    struct spec_op *ops;
    size_t op_count;

    /* One tmpfs for workspace (box/work), /tmp (box/tmp) and /dev/shm (box/shm). */
    uint64_t disk_bytes;
    uint64_t inodes;
    /* Where there can be no private root: a folder on the host with work, tmp and shm in it. */
    char *box_host;

    char *exec_path;
    char **argv; /* NULL-terminated, as is envp */
    char **envp;
    char *cwd;
    int64_t wall_ms; /* from the program's start; 0 for ever */
    struct spec_rlimit *rlimits;
    size_t rlimit_count;

    bool net_host;        /* the host's network, no namespace, no filter */
    bool lay;             /* files follow on SPEC_FD_LAY */
    bool channel;         /* the guest has SPEC_FD_CHANNEL and the next one as 3 and 4 */
    uint32_t enter_count; /* cgroup v1 `tasks` descriptors from SPEC_FD_CGROUP on */
    bool enter_v2;        /* then one more: the cgroup v2 folder to be born into */
    bool pids_held;       /* one of them limits processes */
    bool park;            /* the guest waits for MSG_GO, and has its arguments from that */
    bool waits; /* it runs at once and waits by itself for what it is to do: MSG_GO is for its init
                   alone, which lays files and starts the clock */
    /* With waits, or NULL: a name in the workspace where a pipe is meanwhile, which the guest opens
     * as its program. It reads the file that was laid there. */
    char *wait_file;
    bool nest; /* no guest: a zygote is started, whose forks become guests (zygote.h) */
    /* With nest: guests can be forked. Their disks are then seen below /box alone, which is the
     * nest's, so that a Landlock rule for it holds for each fork's disk as well; /tmp and /dev/shm
     * are links into it. */
    bool forks;
};

/* The descriptors that the helper is started with; 0, 1 and 2 are the guest's. */
enum {
    SPEC_FD_CONTROL = 3,
    SPEC_FD_SPEC = 4,
    SPEC_FD_LAY = 5,
    SPEC_FD_CGROUP = 6,
    SPEC_FD_CHANNEL = 12,
    SPEC_FD_ZYGOTE = 14, /* with spec.nest: zygote.c as a shared object */
    SPEC_FD_END = 15
};

#define SPEC_MAX_BYTES   (8u << 20)
#define SPEC_JAILS_MAX   256u /* of a nest, at once */
#define SPEC_JAIL_UIDS   0x10000u
#define SPEC_BOX         "/box"
#define SPEC_WORK        "/box/work"
#define SPEC_ENTER_MAX   4u
#define SPEC_MAX_RLIMITS 16u

void spec_init(struct jail_spec *spec);
void spec_done(struct jail_spec *spec);
/* Adds a step; src and text may be NULL, all are copied. Returns it, valid until the next one is
 * added. */
struct spec_op *spec_add(struct jail_spec *spec, enum spec_op_kind kind, const char *src,
                         const char *dst, const char *text);

/* -1 only when the whole exceeds SPEC_MAX_BYTES. */
int spec_encode(const struct jail_spec *spec, struct buf *out, struct err *err);
/* Checks everything that can be checked as data. On failure *ret is as after spec_init. */
int spec_decode(struct str bytes, struct jail_spec *ret, struct err *err);

/* Below a folder that is the guest's own to write. */
bool spec_in_box(const char *path);
/* An absolute path without "." or ".." or empty components. */
bool spec_path_ok(const char *path);

#endif
