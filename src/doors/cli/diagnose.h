/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds out by experiment what this host can do: makes a jail with every layer, runs a program in
 * it, starts an interpreter early, forks a session.
 */
#ifndef CLI_DIAGNOSE_H
#define CLI_DIAGNOSE_H

#include "backends/backend.h"
#include "jail/surroundings.h"
#include "languages/language.h"
#include "limits/cgroup.h"

enum layer_state {
    LAYER_PRESENT,
    LAYER_PARTIAL, /* another mechanism replaces it in part */
    LAYER_ABSENT,
    LAYER_UNTRIED, /* no program ran because of another layer */
};

struct layer_diagnosis {
    enum layer_state state;
    char detail[600]; /* how the layer is made, or why it is missing */
};

struct language_diagnosis {
    char *name, *path, *version; /* path and version NULL when absent */
    char *problem;               /* NULL if it works */
    bool sessions;               /* there are sessions in it */
};

/* Tried with Python, the first language with both features. */
struct early_diagnosis {
    bool present;
    char detail[600]; /* how its limits hold, or why it is not present; may be "" */
};

struct diagnosis {
    enum surroundings where;
    bool runs;     /* a program ran */
    bool holds;    /* every layer that the default policy needs is present */
    char why[600]; /* the reason if no program ran */
    struct layer_diagnosis layers[LAYER_COUNT];
    struct language_diagnosis *languages;
    size_t language_count;
    struct early_diagnosis warm;  /* runs that get an interpreter which was started before */
    struct early_diagnosis forks; /* forks of sessions, which tried cells need */
    struct early_diagnosis names; /* the network by name */
};

void diagnose(const struct language_table *languages, struct diagnosis *ret);
/* The last part of the diagnosis (diagnose_warm.c). */
void diagnose_early(const struct language_table *languages, struct diagnosis *d);
void diagnosis_done(struct diagnosis *d);

#endif
