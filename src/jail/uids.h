/* SPDX-License-Identifier: Apache-2.0
 *
 * Which ids of the host's exist for us, and which are for the jails of a nest: one for each, so
 * that what the kernel counts by user is counted by jail.
 */
#ifndef JAIL_UIDS_H
#define JAIL_UIDS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a file such as /proc/self/uid_map has all of `count` ids from `first` on, in one piece.
 * *ret_last, if wanted, is the last id there is if it has not. */
bool uids_exist(const char *map_file, uint32_t first, uint32_t count, uint32_t *ret_last);

/* The first of SPEC_JAILS_MAX that no other part of this process has, and other processes only by
 * chance (theirs would have to be as this one's number modulo 16384). 0 where only root could have
 * them, where they do not exist, and when 64 nests have some. */
uint32_t uids_take(void);
/* When none of them is in use any more; 0 is fine. */
void uids_give_back(uint32_t first);

#endif
