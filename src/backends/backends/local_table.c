/* SPDX-License-Identifier: Apache-2.0
 *
 * Entries of the table that need nothing of the loop in local.c, and the files of a guest.
 */
#include "backends/local_parts.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "jail/host_box.h"

enum backend_state local_state(const struct backend_guest *guest)
{
    const struct local_guest *l = (const struct local_guest *)guest;

    return l->over ? BACKEND_OVER : jail_state(l->jail)->exited ? BACKEND_ENDED : BACKEND_RUNS;
}

void local_deadline(struct backend_guest *guest, int64_t wall_ms)
{
    local_of(guest)->deadline_ms = wall_ms ? clock_mono_ms() + wall_ms : INT64_MAX;
}

void local_interrupt(struct backend_guest *guest)
{
    const struct local_guest *l = local_of(guest);

    if (!l->over)
        jail_interrupt(l->jail);
}

void local_drain(struct backend_guest *guest)
{
    pump_drain(&local_of(guest)->pump);
}

bool local_channel(struct backend_guest *guest, int ret[3])
{
    struct local_guest *l = local_of(guest);

    if (l->channel[0] < 0)
        return false;
    for (int i = 0; i < 3; i++)
        ret[i] = fd_take(&l->channel[i]);
    return true;
}

void local_close(struct backend_guest *guest)
{
    struct local_guest *l = local_of(guest);

    guests_memory_leave(&l->counted);
    if (l->kept_for_forks)
        (void)host_box_empty_until(l->box_fd, clock_mono_ms() + GUESTS_EMPTY_MS);
    fd_close(&l->work_fd);
    fd_close(&l->box_fd);
    fd_close(&l->inherited.origin);
    for (int i = 0; i < 3; i++)
        fd_close(&l->channel[i]);
    net_line_close(l->line);
    jail_free(l->jail);
    if (l->pool) { /* all jails of a pool have a pid namespace */
        cgroup_close_dying(l->group);
        pool_rest(l->pool);
    } else {
        cgroup_close(l->group);
    }
    if (l->box_host && !l->has_root)
        host_box_remove(l->box_host);
    free(l->box_host);
    free(l->inside);
    free(l);
}

/* ---- its workspace ---- */

/* True if its files were released because their memory was needed. */
static bool local_table_is_gone(struct backend_guest *guest)
{
    struct local_guest *l = local_of(guest);

    return l->has_root && atomic_load(&l->counted.killed);
}

static int folder_of(struct backend_guest *guest)
{
    struct local_guest *l = local_of(guest);

    if (local_table_is_gone(guest))
        return -1;
    if (!l->over)
        local_open_work(l);
    return l->work_fd;
}

static const char *inside_of(struct backend_guest *guest)
{
    struct local_guest *l = local_of(guest);

    if (!l->inside)
        l->inside = l->has_root ? xstrdup(SPEC_WORK "/") : xasprintf("%s/work/", l->box_host);
    return l->inside;
}

const struct backend_files local_files = {
    .folder = folder_of, .gone = local_table_is_gone, .inside = inside_of};
