/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the e2b*.c files, and included by no others.
 */
#ifndef FAR_E2B_PARTS_H
#define FAR_E2B_PARTS_H

#include "backends/registry.h"
#include "e2b/process.h"
#include "e2b/sandbox.h"
#include "far/far.h"

/* What the helper builds in the virtual machine (inside/contained_apart.c). */
#define E2B_LAYERS                                                                                 \
    (LAYERS_ALL & ~(LAYER_BIT(LAYER_LANDLOCK) | LAYER_BIT(LAYER_CGROUPNS) |                        \
                    LAYER_BIT(LAYER_MEMORY) | LAYER_BIT(LAYER_PIDS) | LAYER_BIT(LAYER_CPU)))

/* The time between two signs of life for the service. */
enum { E2B_REFRESH_MS = 60 * 1000, E2B_INSTALL_MS = 10 * 60 * 1000 };

/* A guest's place. */
struct e2b_relay;
struct e2b_place {
    struct e2b *e2b;
    struct e2b_relay *relay;     /* has `e2b` while it lives */
    struct err broke;            /* why it ended */
    struct e2b_process *process; /* the helper; NULL before its start */
    int64_t refresh_ms;          /* when the sandbox is to be kept for longer, */
    int64_t kept_ms;             /* for this time from then on */
    bool pauses;                 /* after it, it stands still; else it is killed */
    uint64_t settled;            /* e2b_process_sent when nothing was on its way; or 0 */
    int64_t revive_until_ms;     /* it stands still, and is to be resumed until then; or 0 */
};

#define e2b_place_of(d) ((struct e2b_place *)(d)->own)

/* e2b_can.c */
struct backend_can e2b_look(void); /* whether the service takes the key */
struct backend_can e2b_can(enum backend_ability ability);
struct backend_need e2b_need(enum backend_ability ability);

/* e2b.c: where a language's interpreter is, as the table's entry. */
int e2b_find_interpreter(const struct language *language, const char *choice, const char *image,
                         struct interpreter *ret, struct err *err);

/* e2b_owner.c: the metadata of a sandbox of ours; the caller releases. */
json_t *e2b_metadata(const struct backend_job *job);
int e2b_clean(char **ret_said, struct err *err);

/* e2b_packages.c: installs the job's packages; then there is no more network than the job has. */
int e2b_install(struct far_guest *d, struct err *err);

/* e2b_start.c: creates the sandbox, and installs the packages. After -1, the caller frees the guest
 * as after a success. */
int e2b_begin(struct far_guest *d, const struct backend *backend, struct err *err);
/* The same, starts the helper in it, and sends it the job. */
int e2b_start(struct far_guest *d, struct err *err);

#endif
