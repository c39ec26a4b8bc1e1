/* SPDX-License-Identifier: Apache-2.0
 *
 * The request that the init of a jail in a nest sends to the zygote; between our own processes
 * only. Its descriptors: a pidfd of that init, the guest's socket to it, the socket for the report
 * of the guest's end, the guest's 0, 1, 2, its channel if there is one, cgroup v1 `tasks` files,
 * the cgroup v2 folder.
 */
#ifndef INSIDE_ZYGOTE_ASK_H
#define INSIDE_ZYGOTE_ASK_H

#include <stdint.h>

struct zygote_ask {
    uint32_t held; /* layers that are in force for the fork */
    uint32_t enter_count, enter_v2, channel;
};

/* The zygote's descriptors: its socket to the nest, zygote.c as a shared object, the spec. */
enum { ZYGOTE_FD_NEST = 3, ZYGOTE_FD_CODE, ZYGOTE_FD_SPEC, ZYGOTE_FD_END };

#endif
