/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the e2b*.c files, and included by no others.
 */
#ifndef FAR_E2B_PARTS_H
#define FAR_E2B_PARTS_H

#include "e2b_api/process.h"
#include "e2b_api/sandbox.h"
#include "far/far.h"

/* The layers that the helper builds in the virtual machine (helper/contained_apart.c). */
#define E2B_LAYERS                                                                                 \
    (LAYERS_ALL & ~(LAYER_BIT(LAYER_LANDLOCK) | LAYER_BIT(LAYER_CGROUPNS) |                        \
                    LAYER_BIT(LAYER_MEMORY) | LAYER_BIT(LAYER_PIDS) | LAYER_BIT(LAYER_CPU)))

/* The time between two extensions of the sandbox's life. */
enum { E2B_REFRESH_MS = 60 * 1000, E2B_INSTALL_MS = 10 * 60 * 1000 };

/* A guest's place. */
struct e2b_place {
    struct e2b *e2b;
    struct e2b_process *process; /* the helper; NULL before its start */
    int64_t refresh_ms;          /* when to extend the sandbox's life next */
    int64_t kept_ms;             /* the life that an extension gives the sandbox */
    bool pauses;             /* after that time the service pauses the sandbox; otherwise it kills
                                it */
    uint64_t settled;        /* e2b_process_sent when no data was on its way; or 0 */
    int64_t revive_until_ms; /* it is paused, and we try to resume it until then; or 0 */
};

#define e2b_place_of(guest) ((struct e2b_place *)(guest)->own)

/* e2b_can.c */
struct backend_can e2b_can(enum backend_ability ability);
struct backend_need e2b_need(enum backend_ability ability);

/* e2b_owner.c: the metadata of a sandbox of ours; the caller releases it. */
json_t *e2b_metadata(const struct backend_job *job);
int e2b_clean(char **ret_said, struct err *err);

/* e2b_packages.c: installs the job's packages, and then closes the network unless the job has it.
 */
int e2b_install(struct far_guest *guest, struct err *err);

/* e2b_start.c: creates the sandbox, installs the packages, starts the helper in it and sends it the
 * job. After -1, the caller frees the guest as after a success. */
int e2b_start(struct far_guest *guest, struct err *err);

#endif
