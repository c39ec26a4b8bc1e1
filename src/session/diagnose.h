/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds out what this host can do, by trying: makes a jail with every layer, runs a program in it,
 * starts an interpreter early, forks a session.
 */
#ifndef SESSION_DIAGNOSE_H
#define SESSION_DIAGNOSE_H

#include "backends/backend.h"
#include "jail/cgroup.h"
#include "jail/surroundings.h"
#include "languages/language.h"

enum layer_state {
    LAYER_PRESENT,
    LAYER_PARTIAL, /* something else replaces it in part */
    LAYER_ABSENT,
    LAYER_UNTRIED, /* nothing ran, and the reason was another layer */
};

struct layer_diagnosis {
    enum layer_state state;
    char detail[600]; /* how the layer is made, or why it is missing */
};

struct language_diagnosis {
    char *name, *path, *version; /* path and version NULL when absent */
    char *problem;               /* NULL when it works */
};

/* Of Python, the first language with both features. */
struct early_diagnosis {
    bool present;
    char why[600]; /* not */
};

struct diagnosis {
    enum surroundings where;
    bool runs;     /* a program ran at all */
    bool holds;    /* every layer that the default policy needs is present */
    char why[600]; /* when nothing ran */
    struct layer_diagnosis layers[LAYER_COUNT];
    struct language_diagnosis *languages;
    size_t language_count;
    struct early_diagnosis warm;  /* runs that find a waiting interpreter */
    struct early_diagnosis forks; /* of sessions, which cells that are tried need */
};

void diagnose(const struct language_table *languages, struct diagnosis *ret);
/* Its last part, diagnose_warm.c. */
void diagnose_early(const struct language_table *languages, struct diagnosis *d);
void diagnosis_done(struct diagnosis *d);

#endif
