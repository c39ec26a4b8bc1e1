/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the host ids that are available to us, and gives a nest those for its jails: one uid for
 * each jail, so that the kernel's limits per user apply to each jail.
 */
#ifndef JAIL_UIDS_H
#define JAIL_UIDS_H

#include <stdbool.h>
#include <stdint.h>

/* True if a file such as /proc/self/uid_map maps all `count` ids from `first` on, in one range.
 * Otherwise, *ret_last (if not NULL) is the last id that is mapped. */
bool uids_exist(const char *map_file, uint32_t first, uint32_t count, uint32_t *ret_last);

/* Returns the first of SPEC_JAILS_MAX uids that no other nest of this process has. Another process
 * has the same ones only if its pid is equal to ours modulo 16384. Returns 0 if we may not use them
 * (not root), if they do not exist, or if 64 nests already have some. */
uint32_t uids_take(void);
/* Call it when none of these uids is in use any more; 0 is fine. */
void uids_give_back(uint32_t first);

#endif
