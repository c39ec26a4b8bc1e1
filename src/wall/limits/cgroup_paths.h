/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the kernel's control groups are, read from the content of /proc/self/mountinfo and
 * /proc/self/cgroup (see cgroups(7) and proc(5)). No side effects: text in, paths out; nothing is
 * opened, so a path may turn out to be unreadable or covered by another mount. The map owns its
 * strings.
 */
#ifndef LIMITS_CGROUP_PATHS_H
#define LIMITS_CGROUP_PATHS_H

#include <stdbool.h>

#include "base/str.h"

/* The controllers we use. CPUACCT limits nothing; it only counts, on v1. */
enum cgroup_controller {
    CGROUP_MEMORY,
    CGROUP_PIDS,
    CGROUP_CPU,
    CGROUP_CPUACCT,
    CGROUP_CONTROLLERS
};
#define CGROUP_BIT(controller) (1u << (controller))

extern const char *const cgroup_controller_names[CGROUP_CONTROLLERS];

/* One hierarchy as this process sees it. */
struct cgroup_spot {
    char *mount;   /* the mount point; NULL if it is not mounted */
    char *dir;     /* our own cgroup below that, or `mount` if our own is not visible there */
    char *own;     /* our own path, as the kernel names it */
    bool visible;  /* dir is our own cgroup */
    bool writable; /* the mount is not read-only */
};

struct cgroup_map {
    struct cgroup_spot v1[CGROUP_CONTROLLERS]; /* controllers mounted together have equal paths */
    struct cgroup_spot v2;
};

/* Invalid lines are skipped. If a hierarchy is mounted several times, chooses the mount that shows
 * our own cgroup, then a writable one, then the first. */
void cgroup_map_parse(struct str mountinfo, struct str self, struct cgroup_map *ret);
void cgroup_map_done(struct cgroup_map *m);

/* The controllers in a list such as "cpuset cpu io memory pids", as bits. */
unsigned cgroup_controllers_parse(struct str text, char sep);

#endif
