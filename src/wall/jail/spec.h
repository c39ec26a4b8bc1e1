/* SPDX-License-Identifier: Apache-2.0
 *
 * The description of a jail, as plain data. The library fills in a jail_spec; the helper receives
 * it encoded in a memory file and makes the jail. Nothing here knows which language will run.
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
#include "limits/layers.h"

/* One step of making the guest's root. Steps are done in order. */
enum spec_op_kind {
    SPEC_BIND,   /* host path src appears at dst, read-only, nosuid, nodev, with all mounts below
                    it */
    SPEC_DEVICE, /* host device node src appears at dst */
    SPEC_DIR,    /* an empty folder at dst */
    SPEC_LINK,   /* a symbolic link at dst; `text` is its target */
    SPEC_FILE,   /* a small file at dst; `text` is its content */
    SPEC_MASK,   /* dst is hidden, whatever the other steps mounted there */
    SPEC_KINDS
};

struct spec_op {
    enum spec_op_kind kind;
    bool optional; /* skipped without a report if src or dst is missing */
    bool look; /* for SPEC_BIND: sockets and named pipes below src are covered (inside/look.h) */
    char *src;
    char *dst;
    struct str text; /* owned; with look: a file that makes a repeated look unnecessary, or none */
};

/* The helper sets the limit, or does not start the guest; a lower limit stays. The plan cannot know
 * which layers will hold, so `with` and `unless` give the layers for which the limit is meant. */
struct spec_rlimit {
    int resource;
    uint64_t value;
    layer_mask with;   /* set only if all of these hold */
    layer_mask unless; /* and none of these. LAYER_PIDS: a group limits processes */
    bool above_others; /* for RLIMIT_NPROC: the value is added to the number of processes that its
                          user already has */
};

#define SPEC_PORTS_MAX 12u /* with two more sockets, their descriptors fit in one message */

struct jail_spec {
    layer_mask wanted;   /* layers to apply if the host can */
    layer_mask required; /* the guest is not started without these */
    int32_t host_pid;    /* the process that started the helper; the jail dies with it */

    /* Inside, everything belongs to uid and gid. Outside they are host_uid and host_gid. */
    uint32_t uid, gid;
    uint32_t host_uid, host_gid;
    /* With nest: outside, the first of SPEC_JAILS_MAX uids, one for each jail; in the nest, these
     * are SPEC_JAIL_UIDS and up. 0: all jails have host_uid. */
    uint32_t host_jails;

    char *hostname;
    struct spec_op *ops;
    size_t op_count;

    /* One tmpfs for workspace (box/work), /tmp (box/tmp) and /dev/shm (box/shm). */
    uint64_t disk_bytes;
    uint64_t inodes;
    /* If there can be no private root: a folder on the host with work, tmp and shm in it. */
    char *box_host;

    char *exec_path;
    char **argv; /* NULL-terminated, as is envp */
    char **envp;
    char *cwd;
    int64_t wall_ms; /* from the program's start; 0: no limit */
    struct spec_rlimit *rlimits;
    size_t rlimit_count;

    bool net_host; /* the host's network, no namespace, no filter */
    /* If there are any: the guest reaches names (network/network.h). Its network gets a route and
     * listeners on these ports. */
    uint16_t ports[SPEC_PORTS_MAX];
    uint32_t port_count;
    bool lay;             /* input files follow on SPEC_FD_LAY */
    bool channel;         /* the guest has SPEC_FD_CHANNEL and the next one as 3 and 4 */
    uint32_t enter_count; /* cgroup v1 `tasks` descriptors from SPEC_FD_CGROUP on */
    bool enter_v2;        /* then one more: the folder of the cgroup v2 group in which the guest is
                             cloned */
    bool pids_held;       /* one of these groups limits processes */
    bool park;            /* the guest waits for MSG_GO, which has its arguments */
    bool waits; /* the guest runs at once, and waits for its program by itself: MSG_GO is only for
                   its init, which lays the files and starts the clock */
    /* With waits, or NULL: a name in the workspace. Until MSG_GO it is a pipe, which the guest
     * opens as its program. The guest receives the content of the file that was laid there. */
    char *wait_file;
    bool nest; /* no guest: a zygote is started, whose forks become guests (zygote.h) */
    /* With nest: guests can be forked. The guests then see their disks only below /box, which
     * belongs to the nest, so that a Landlock rule for /box also applies to each fork's disk; /tmp
     * and /dev/shm are links into it. */
    bool forks;
};

/* The helper's descriptors at its start; 0, 1 and 2 are the guest's. */
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
/* Adds a step; src and text may be NULL, all are copied. Returns the step, which is valid until the
 * next spec_add. */
struct spec_op *spec_add(struct jail_spec *spec, enum spec_op_kind kind, const char *src,
                         const char *dst, const char *text);

/* -1 only if the encoded spec exceeds SPEC_MAX_BYTES. */
int spec_encode(const struct jail_spec *spec, struct buf *out, struct err *err);
/* Checks everything that can be checked as data. On failure *ret is as after spec_init. */
int spec_decode(struct str bytes, struct jail_spec *ret, struct err *err);

/* True if the path is below a folder that the guest can write. */
bool spec_in_box(const char *path);
/* True for an absolute path without ".", ".." and empty components. */
bool spec_path_ok(const char *path);

#endif
