/* SPDX-License-Identifier: Apache-2.0
 *
 * What cgroup.c, cgroup_v1.c and cgroup_v2.c share. No other file includes it.
 *
 * A host holds homes; a home is a directory of one tree in which runs get theirs, with the
 * controllers that are available there. A run's cgroup holds one part per home, and one more, of
 * the ops "none", for the controllers that have no home. A run keeps its host alive, so a part's
 * home is always there.
 *
 * Owners: a host is counted, under a lock of cgroup_host.c; the last put frees it. A group has one
 * owner at a time and no lock of its own: the caller from cgroup_open to cgroup_close; then the
 * list of spares or of the stuck, each with a lock, and the thread that takes it out of one. That
 * thread frees it (cgroup_remove), puts it back, or gives it to its caller.
 */
#ifndef JAIL_CGROUP_IMPL_H
#define JAIL_CGROUP_IMPL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "jail/cgroup.h"
#include "jail/cgroup_paths.h"

struct cgroup_host;
struct cgroup_part;

enum cgroup_renewal {
    CGROUP_NEW,
    CGROUP_BUSY,  /* not yet: something is alive in it */
    CGROUP_SPENT, /* never: what the last run did would show */
};

struct cgroup_ops {
    const char *name;
    /* Adds the homes that this way has for `missing` controllers; for those it has none, says why.
     */
    void (*find)(const struct cgroup_map *map, unsigned missing, struct cgroup_host *host);
    /* Prepares a directory, which is new, for the groups of all guests, or changes its limit. */
    int (*ceiling)(struct cgroup_part *all, uint64_t memory_bytes, struct err *err);
    /* How often memory was out in `all` itself; `before` is what that was when last asked. */
    uint64_t (*all_ooms)(struct cgroup_part *all, uint64_t before);
    /* Whether the group's own limit was the reason for a kill in it. `all`: memory was out in all
     * groups together since the last look. */
    bool (*own_oom)(struct cgroup_part *p, bool all);
    /* Sets one controller's limit. */
    int (*limit)(struct cgroup_part *p, enum cgroup_controller controller,
                 const struct jail_limits *limits, struct err *err);
    int (*open)(struct cgroup_part *p, struct err *err); /* opens enter_fd or dir_fd */
    void (*usage)(struct cgroup_part *p, struct cgroup_usage *ret);
    int (*watch_oom)(struct cgroup_part *p); /* opens and returns oom_fd, or -1 */
    /* Takes the limit on processor time away: dying needs some, and with its share used up a
     * process dies late. */
    void (*hurry)(struct cgroup_part *p);
    void (*kill)(struct cgroup_part *p);
    /* Makes an empty directory as good as new. */
    enum cgroup_renewal (*renew)(struct cgroup_part *p);
};

extern const struct cgroup_ops cgroup_v1, cgroup_v2;

struct cgroup_home {
    const struct cgroup_ops *ops;
    unsigned controllers;
    int fd;
    char *path;
    atomic_uint live; /* directories in it that are this process's */
};

/* The owner of a directory: the pid and the start time name a process, in one pid and time
 * namespace. */
struct cgroup_owner {
    pid_t pid;
    int64_t start;  /* clock ticks after boot: /proc/PID/stat, field 22 */
    char space[20]; /* both namespaces' inode numbers, in hexadecimal */
};

#define CGROUP_NAME_MAX 96
#define CGROUP_FILES    9
struct cgroup_part {
    struct cgroup_home *home;
    const char *name; /* of the directory, below the home */
    unsigned controllers;
    int enter_fd, dir_fd, oom_fd, events_fd; /* ours; -1 for none */
    struct cgroup_file {                     /* those that are read again and again */
        const char *name;
        int fd;
    } files[CGROUP_FILES];
    size_t file_count;
};

#define CGROUP_HOMES CGROUP_CONTROLLERS
struct cgroup_host {
    struct cgroup_home homes[CGROUP_HOMES];
    size_t home_count;
    struct err why[CGROUP_CONTROLLERS]; /* for those without a home */
    struct cgroup_owner self;
    unsigned refs;
    struct cgroup_part all; /* cgroup_all.c: the directory above all groups; home NULL: none */
    char all_name[CGROUP_NAME_MAX];
    uint64_t all_ooms;
};

void cgroup_map_read(struct cgroup_map *ret); /* of this process, now */

/* This process's host, found on the first call. Each get wants a put. */
struct cgroup_host *cgroup_host_get(void);
void cgroup_host_put(struct cgroup_host *host);
/* The next get looks again; holders of this one keep it. */
void cgroup_host_forget(struct cgroup_host *host);

/* False when there is no such process that still runs; start is touched only if there is. */
bool cgroup_process_runs(pid_t pid, int64_t *ret_start);

struct cgroup_part cgroup_part_of(struct cgroup_home *home, const char *name);
void cgroup_part_close(struct cgroup_part *p); /* its descriptors */
/* rmdir. 0 also when it has gone already, else -1 with errno. */
int cgroup_part_remove(struct cgroup_part *p);
/* Tries those again that could not be removed when they were closed. */
void cgroup_retry_stuck(void);

/* Opens path as a home. The controllers are the caller's claim. 0, or -1 when it is not a directory
 * of the cgroup file system or we may not make directories in it. */
int cgroup_home_open(const char *path, const struct cgroup_ops *ops, unsigned controllers,
                     struct cgroup_home *ret, struct err *err);
void cgroup_home_done(struct cgroup_home *home);
void cgroup_host_add(struct cgroup_host *host, struct cgroup_home *home); /* takes it */

/* One file of a part. Writing: 0, or -1 with errno; err variants name the file. */
int cgroup_put(const struct cgroup_part *p, const char *file, const char *text);
int cgroup_put_u64(const struct cgroup_part *p, const char *file, uint64_t value, struct err *err);
int cgroup_open_file(const struct cgroup_part *p, const char *file, int flags);
/* Reading: 0 when the file is not there or is no number. Names are literals: what is read stays
 * open, until cgroup_close_files. */
uint64_t cgroup_get_u64(struct cgroup_part *p, const char *file);
/* The number after `key` in lines such as "oom_kill 3"; *text is what was read from such a file. */
uint64_t cgroup_get_key(struct cgroup_part *p, const char *file, const char *key);
uint64_t cgroup_text_key(struct str text, const char *key);
uint64_t cgroup_text_number(struct str text);
void cgroup_close_files(struct cgroup_part *p);

/* A share of the processors as time per period; the kernel takes quotas of 1 ms to 1 s only. */
#define CGROUP_PERIOD_US 100000
struct cgroup_quota {
    uint64_t us, period_us;
};
struct cgroup_quota cgroup_quota(uint32_t cpu_milli);

/* What cgroup.procs lists, as far as it goes into ret_pids; how many that are. */
size_t cgroup_list(const struct cgroup_part *p, pid_t *ret_pids, size_t max);

/* Kills what cgroup.procs lists, again and again until it lists nothing, for at most 0.1 s. */
void cgroup_kill_listed(struct cgroup_part *p);

/* ---- cgroup_all.c ---- */

/* Makes, changes or removes the directory as cgroup_ceiling says. False when there is none. */
bool cgroup_all_set(struct cgroup_host *host);
void cgroup_all_done(struct cgroup_host *host); /* before it is freed */
/* The home that has the directory, or NULL; and the directory's name. */
const struct cgroup_home *cgroup_all_home(struct cgroup_host *host, char ret_name[CGROUP_NAME_MAX]);
/* How often memory was out for all groups together. */
uint64_t cgroup_all_ooms(struct cgroup_host *host);

/* ---- cgroup.c and cgroup_spare.c ---- */

struct cgroup {
    struct cgroup_host *host;
    const struct cgroup_home *above; /* in this home it lies below the directory above all groups */
    char path[2 * CGROUP_NAME_MAX];  /* there, */
    const char *name;                /* and the last part of it, which is its name elsewhere */
    uint64_t all_ooms;               /* when last looked at (cgroup_all_ooms) */
    struct cgroup_part parts[CGROUP_HOMES + 1];
    size_t part_count;
    struct err why[CGROUP_CONTROLLERS]; /* for those that do not hold */
    struct cgroup_spare_key {           /* what it was made for */
        unsigned controllers;
        uint64_t memory_bytes;
        uint32_t pids, cpu_milli;
    } made_for;
    bool once;  /* it is not for another run: its limits have changed, or guests can enter it */
    bool dying; /* spare, and was not empty yet when it was put there */
    struct cgroup *next; /* among the stuck, or the spare */
};

/* Its directory is removed, or kept aside for the next sweep. */
void cgroup_remove(struct cgroup *c);
/* One that is as good as new, or NULL. */
struct cgroup *cgroup_spare_take(const struct cgroup_spare_key *key);
bool cgroup_spare_has(const struct cgroup_spare_key *key);
void cgroup_spare_add(struct cgroup *c);
/* True when it was kept for another run: it is empty, or about to be (`dying`), and nothing of the
 * last one shows. */
bool cgroup_spare_keep(struct cgroup *c, bool dying);

#endif
