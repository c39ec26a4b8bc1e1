/* SPDX-License-Identifier: Apache-2.0
 *
 * Adds a guest and its files to the guests whose memory is limited together (guests_memory.h).
 */
#include <fcntl.h>
#include <sys/statvfs.h>

#include "backends/local_parts.h"

void local_open_work(struct local_guest *l)
{
    if (l->work_fd >= 0 || jail_box(l->jail) < 0)
        return;
    /* O_NOFOLLOW: without a private root the guest can replace the folder by a link, which we would
     * follow on the host. */
    l->work_fd = openat(jail_box(l->jail), "work", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (l->has_root && l->work_fd >= 0)
        guests_memory_lend(&l->counted, l->work_fd);
}

/* Adds the guest. Without a private root, its files are not in memory, and are not released. */
void local_join(struct local_guest *l)
{
    bool groups = cgroup_held(l->group) & LAYER_BIT(LAYER_MEMORY);

    l->counted.above = l->origin && l->origin->counted.counted ? &l->origin->counted : NULL;
    l->counted.owner = l->job->owner;
    l->counted.group = groups ? l->group : NULL;
    if (!groups)
        (void)local_tree(l, &l->counted.tree);
    l->counted.tree.inherited = NULL;
    l->counted.init_pidfd = jail_init_pidfd(l->jail);
    l->counted.files[0] = l->has_root ? jail_box(l->jail) : -1;
    l->counted.files[1] = l->counted.emptied = -1;
    guests_memory_join(&l->counted);
}

/* Counts the files of an ended guest; without a private root they are not in memory. A jail that is
 * kept for forks keeps the disk, so its folder is emptied. */
void local_note_files(struct local_guest *l)
{
    struct guest_left left = {.files = {-1, -1}, .emptied = -1};
    struct statvfs st;

    l->box_fd = jail_take_box(l->jail);
    if (l->has_root && l->box_fd >= 0) {
        l->kept_for_forks = fork_tree_has_below(l);
        left = (struct guest_left){.files = {l->box_fd, l->work_fd},
                                   .emptied = l->kept_for_forks ? l->box_fd : -1,
                                   .release = l->out->limits_hit & LIMIT_GUESTS};
        if (fstatvfs(l->box_fd, &st) == 0)
            left.bytes = (uint64_t)(st.f_blocks - st.f_bfree) * st.f_frsize;
    }
    guests_memory_ended(&l->counted, &left);
}
