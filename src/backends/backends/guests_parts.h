/* SPDX-License-Identifier: Apache-2.0
 *
 * Used by guests_memory.c alone: what guests take that share pages, where no control group counts.
 *
 * A guest reports the most that it may take: all pages of all its processes, although they share
 * some with each other, with the guest's origin or with a zygote; and the least: the pages of one
 * process without those that it was forked with. Its part is exact, and takes milliseconds to
 * measure if it is large (limits/watch.h). So parts are measured only if the ceiling is between
 * both sums; from then on a guest counts with its part, and with what its reports have grown by. A
 * page that a guest changes stops being shared, which no report shows: while the reports are above
 * the ceiling, parts are measured again.
 */
#ifndef BACKENDS_GUESTS_PARTS_H
#define BACKENDS_GUESTS_PARTS_H

#include <stddef.h>

#include "backends/guests_memory.h"

struct guest_parts {
    struct guest_report sum; /* of guests that are not killed */
    bool under_way;          /* a thread measures, without the lock */
    int64_t next_ms;         /* measure not before, */
    int64_t again_ms;        /* and from then on although guests count with less than the ceiling */
};
/* Sets both times after parts were measured. */
void guest_parts_pause(struct guest_parts *parts, int64_t begin_ms, int64_t end_ms);

/* One guest to be measured, which may leave meanwhile. */
struct guest_part {
    struct counted_guest *guest;
    struct watch_tree tree;     /* with a descriptor of our own */
    struct guest_report report; /* before it was measured */
    uint64_t bytes;
    bool known;
};
/* With the lock of the list of guests. The caller frees the list, and measures it
 * in any case, which closes its descriptors. */
struct guest_part *guest_parts_list(struct counted_guest *first, size_t *ret_count);
/* Without the lock. */
void guest_parts_measure(struct guest_part *list, size_t n);
/* With the lock: true if it is this guest's, which has it from now on. */
bool guest_part_take(const struct guest_part *part, struct counted_guest *guest);
/* What the guest counts with, after a report or a measurement. */
uint64_t guest_part_now(const struct counted_guest *guest);

#endif
