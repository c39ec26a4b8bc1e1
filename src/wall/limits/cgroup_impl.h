/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files that implement cgroup.h (cgroup*.c, except cgroup_paths.c). No other file
 * includes it.
 *
 * A host has homes. A home is a folder of one tree in which the groups of runs are made, with the
 * controllers that are available there. A run's cgroup has one part per home, and one more, of the
 * ops "none", for the controllers without a home. A run keeps its host alive, so the home of a part
 * always exists.
 *
 * Owners: a host is counted, under a lock of cgroup_host.c; the last put frees it. A group has one
 * owner at a time and no lock of its own: the caller from cgroup_open to cgroup_close; then the
 * list of spares or of stuck groups, each with a lock; then the thread that takes it out of a list.
 * That thread frees it (cgroup_remove), puts it back, or gives it to its caller.
 */
#ifndef LIMITS_CGROUP_IMPL_H
#define LIMITS_CGROUP_IMPL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "limits/cgroup.h"
#include "limits/cgroup_paths.h"

struct cgroup_host;
struct cgroup_part;

enum cgroup_renewal {
    CGROUP_NEW,
    CGROUP_BUSY,  /* not yet: a process in it is alive */
    CGROUP_SPENT, /* never: the last run would show */
};

/* Sets one controller's limit. */
typedef int cgroup_setter(struct cgroup_part *p, const struct jail_limits *limits, struct err *err);

struct cgroup_ops {
    const char *name;
    /* Adds the homes of this interface for the `missing` controllers; for those without a home,
     * stores the reason. */
    void (*find)(const struct cgroup_map *map, unsigned missing, struct cgroup_host *host);
    /* Prepares a new folder for the groups of all guests, or changes its limit. */
    int (*ceiling)(struct cgroup_part *all, uint64_t memory_bytes, struct err *err);
    /* How often memory ran out in `all` itself; `before` is the previous result. */
    uint64_t (*all_ooms)(struct cgroup_part *all, uint64_t before);
    /* True if the group's own limit was the reason for a kill in it. `all`: since the last look,
     * memory ran out in all groups together. */
    bool (*own_oom)(struct cgroup_part *p, bool all);
    /* The memory that is charged, and the part of it that the kernel frees before it kills. */
    uint64_t (*now)(struct cgroup_part *p);
    uint64_t (*caches)(struct cgroup_part *p);
    cgroup_setter *setters[CGROUP_CONTROLLERS];          /* NULL: it has no limit */
    int (*open)(struct cgroup_part *p, struct err *err); /* opens enter_fd or dir_fd */
    void (*usage)(struct cgroup_part *p, struct cgroup_usage *ret);
    int (*watch_oom)(struct cgroup_part *p); /* opens and returns oom_fd, or -1 */
    /* Removes the limit on processor time: exiting needs some, and a process whose share is used up
     * exits late. */
    void (*hurry)(struct cgroup_part *p);
    void (*kill)(struct cgroup_part *p);
    /* Resets an empty folder so that it can be used like a new one. */
    enum cgroup_renewal (*renew)(struct cgroup_part *p);
};

extern const struct cgroup_ops cgroup_v1, cgroup_v2;

struct cgroup_home {
    const struct cgroup_ops *ops;
    unsigned controllers;
    int fd;
    char *path;
    atomic_uint live; /* folders in it that belong to this process */
};

/* The owner of a folder: pid and start time identify a process within one pid and time
 * namespace. */
struct cgroup_owner {
    pid_t pid;
    int64_t start;  /* clock ticks after boot: /proc/PID/stat, field 22 */
    char space[20]; /* inode numbers of both namespaces, in hexadecimal */
};

#define CGROUP_NAME_MAX 96
#define CGROUP_FILES    9
struct cgroup_part {
    struct cgroup_home *home;
    const char *name; /* of the folder, below the home */
    unsigned controllers;
    int enter_fd, dir_fd, oom_fd, events_fd; /* owned by the part; -1: none */
    struct cgroup_file {                     /* files that are read repeatedly */
        const char *name;
        int fd;
    } files[CGROUP_FILES];
    size_t file_count;
};

#define CGROUP_HOMES CGROUP_CONTROLLERS
struct cgroup_host {
    struct cgroup_home homes[CGROUP_HOMES];
    size_t home_count;
    struct err why[CGROUP_CONTROLLERS]; /* for controllers without a home */
    struct cgroup_owner self;
    unsigned refs;
    struct cgroup_part all; /* cgroup_all.c: the folder of all groups; home NULL: none */
    char all_name[CGROUP_NAME_MAX];
    uint64_t all_ooms;
};

void cgroup_map_read(struct cgroup_map *ret); /* of this process, now */

/* This process's host, found on the first call. Each get needs a put. */
struct cgroup_host *cgroup_host_get(void);
void cgroup_host_put(struct cgroup_host *host);
/* The next get searches again; holders of this host keep it. */
void cgroup_host_forget(struct cgroup_host *host);

/* False if no such process is running; otherwise *ret_start is set. */
bool cgroup_process_runs(pid_t pid, int64_t *ret_start);

struct cgroup_part cgroup_part_of(struct cgroup_home *home, const char *name);
void cgroup_part_close(struct cgroup_part *p); /* its descriptors */
/* rmdir. 0 also if the folder is already gone, otherwise -1 with errno. */
int cgroup_part_remove(struct cgroup_part *p);
/* Tries again to remove groups that could not be removed when they were closed. */
void cgroup_retry_stuck(void);

/* Opens path as a home. The caller vouches for the controllers. -1 if it is not a folder of the
 * cgroup file system or we may not make folders in it. */
int cgroup_home_open(const char *path, const struct cgroup_ops *ops, unsigned controllers,
                     struct cgroup_home *ret, struct err *err);
void cgroup_home_done(struct cgroup_home *home);
void cgroup_host_add(struct cgroup_host *host, struct cgroup_home *home); /* takes the home over */

/* Writes a file of a part: 0, or -1 with errno. The variant with err puts the file's name into the
 * message. */
int cgroup_put(const struct cgroup_part *p, const char *file, const char *text);
int cgroup_put_u64(const struct cgroup_part *p, const char *file, uint64_t value, struct err *err);
/* Sets pids.max, which both versions have. */
int cgroup_limit_pids(struct cgroup_part *p, const struct jail_limits *limits, struct err *err);
int cgroup_open_file(const struct cgroup_part *p, const char *file, int flags);
/* Reads a number: 0 if the file is missing or not a number. File names must be literals: a file
 * that is read stays open until cgroup_close_files. */
uint64_t cgroup_get_u64(struct cgroup_part *p, const char *file);
/* The number after `key` in lines such as "oom_kill 3"; `text` is the content of such a file. */
uint64_t cgroup_get_key(struct cgroup_part *p, const char *file, const char *key);
uint64_t cgroup_text_key(struct str text, const char *key);
uint64_t cgroup_text_number(struct str text);
void cgroup_close_files(struct cgroup_part *p);

/* A share of the processors, as time per period; the kernel accepts quotas of 1 ms to 1 s only. */
#define CGROUP_PERIOD_US 100000
struct cgroup_quota {
    uint64_t us, period_us;
};
struct cgroup_quota cgroup_quota(uint32_t cpu_milli);

/* The pids in cgroup.procs, at most `max` of them. Returns their number. */
size_t cgroup_list(const struct cgroup_part *p, pid_t *ret_pids, size_t max);

/* Forbids new processes, and kills those in cgroup.procs repeatedly until it is empty, for at most
 * 0.1 s. */
void cgroup_kill_listed(struct cgroup_part *p);

/* ---- cgroup_all.c ---- */

/* Makes, changes or removes the folder as cgroup_ceiling requires. False if there is none. */
bool cgroup_all_set(struct cgroup_host *host);
void cgroup_all_done(struct cgroup_host *host); /* called before the host is freed */
/* The home with the folder, or NULL; and the folder's name. */
const struct cgroup_home *cgroup_all_home(struct cgroup_host *host, char ret_name[CGROUP_NAME_MAX]);
/* How often memory ran out for all groups together. */
uint64_t cgroup_all_ooms(struct cgroup_host *host);

/* ---- cgroup.c and cgroup_spare.c ---- */

struct cgroup {
    struct cgroup_host *host;
    const struct cgroup_home *above; /* in this home, the group is below the folder of all groups */
    char path[2 * CGROUP_NAME_MAX];  /* the group's path there */
    const char *name;                /* the last part of the path, which is the group's name in the
                                        other homes */
    uint64_t all_ooms;               /* the last result of cgroup_all_ooms */
    struct cgroup_part parts[CGROUP_HOMES + 1];
    size_t part_count;
    struct err why[CGROUP_CONTROLLERS]; /* for controllers that do not hold */
    struct cgroup_spare_key {           /* the limits for which it was made */
        unsigned controllers;
        uint64_t memory_bytes;
        uint32_t pids, cpu_milli;
    } made_for;
    atomic_bool
        once;   /* it is not for another run: its limits have changed, or guests can enter it */
    bool dying; /* a spare whose processes had not all exited when it was kept */
    struct cgroup *next; /* the next stuck or spare group */
};

/* Removes the group's folders, or keeps the group for the next sweep. */
void cgroup_remove(struct cgroup *c);
/* A spare group that is as good as new, or NULL. */
struct cgroup *cgroup_spare_take(const struct cgroup_spare_key *key);
bool cgroup_spare_has(const struct cgroup_spare_key *key);
void cgroup_spare_add(struct cgroup *c);
/* True if the group is kept for another run: it is empty, or soon will be (`dying`), and shows
 * nothing of its last run. */
bool cgroup_spare_keep(struct cgroup *c, bool dying);

#endif
