/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/guests_parts.h"

#include <fcntl.h>

#include "base/fd.h"
#include "base/mem.h"

enum { AGAIN_SHARE = 8, AGAIN_MS_MIN = 100 };

static bool has_part(const struct counted_guest *guest)
{
    return guest->tree.root && !guest->ended && !atomic_load(&guest->killed);
}

struct guest_part *guest_parts_list(struct counted_guest *first, size_t *ret_count)
{
    struct guest_part *list = NULL;
    size_t cap = 0, n = 0;

    for (struct counted_guest *g = first; g; g = g->next) {
        if (!has_part(g))
            continue;
        if (n == cap)
            list = mem_grow(list, &cap, sizeof *list);
        list[n] = (struct guest_part){.guest = g, .tree = g->tree, .report = g->report};
        list[n].tree.tmpfs_fd = g->files[0] < 0 ? -1 : fcntl(g->files[0], F_DUPFD_CLOEXEC, 0);
        n++;
    }
    *ret_count = n;
    return list;
}

void guest_parts_measure(struct guest_part *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        list[i].known = watch_tree_part(&list[i].tree, &list[i].bytes) == 0;
        fd_close(&list[i].tree.tmpfs_fd);
    }
}

bool guest_part_take(const struct guest_part *part, struct counted_guest *guest)
{
    if (!part->known || guest != part->guest || !has_part(guest) ||
        guest->tree.root != part->tree.root)
        return false;
    guest->part = part->bytes;
    guest->grown_from = part->report.most;
    return true;
}

uint64_t guest_part_now(const struct counted_guest *guest)
{
    uint64_t reported = guest->report.most;
    uint64_t grown = reported > guest->grown_from ? reported - guest->grown_from : 0;

    return has_part(guest) && guest->part + grown < reported ? guest->part + grown : reported;
}

void guest_parts_pause(struct guest_parts *parts, int64_t begin_ms, int64_t end_ms)
{
    int64_t took = end_ms - begin_ms, pause = took * AGAIN_SHARE;

    parts->next_ms = end_ms + took;
    parts->again_ms = end_ms + (pause > AGAIN_MS_MIN ? pause : AGAIN_MS_MIN);
}
