/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits socket buffers that no control group counts (limits/watch_sockets.h), for guests whose
 * other memory a group limits. All buffers together may take as much as the memory limit again.
 * Without a memory limit, only connections are limited, because they belong to the machine.
 */
#include "backends/local_parts.h"
#include "base/clock.h"
#include "limits/watch_sockets.h"

#define LOOK_EVERY_MS 50
#define LOOK_SHARE    4 /* after a check, pause for this many times its duration */
#define PROCESSES_MAX 1024

static bool is_watched(const struct local_guest *l)
{
    return l->out->started && !l->over && (cgroup_held(l->group) & LAYER_BIT(LAYER_MEMORY));
}

int64_t local_sockets_due(const struct local_guest *l)
{
    return is_watched(l) ? l->sockets_ms : INT64_MAX;
}

enum jail_limit_hit local_sockets_over(struct local_guest *l)
{
    pid_t pids[PROCESSES_MAX];
    struct watch_family family = fork_tree_family(l);
    struct watch_sockets watch = {.pids = pids, .family = &family};
    struct watch_adrift adrift;
    uint64_t most = l->job->limits.memory_bytes;
    int64_t begin = clock_mono_ms();

    if (begin < local_sockets_due(l))
        return 0;
    watch.count = cgroup_processes(l->group, pids, PROCESSES_MAX);
    uint64_t bytes = watch_sockets(&watch, most, &adrift);
    if (most && bytes > l->sockets_peak)
        l->sockets_peak = bytes;
    int64_t now = clock_mono_ms(), pause = (now - begin) * LOOK_SHARE;
    l->sockets_ms = now + (pause > LOOK_EVERY_MS ? pause : LOOK_EVERY_MS);
    if (watch_adrift_over(&adrift, most))
        return LIMIT_CONNECTIONS;
    return most && bytes > most ? LIMIT_MEMORY : 0;
}
