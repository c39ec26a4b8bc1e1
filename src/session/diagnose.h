/* SPDX-License-Identifier: Apache-2.0
 *
 * What this host can do, found out by doing it: a jail with every layer is made and a program run
 * in it, an interpreter started ahead, a session forked.
 */
#ifndef SESSION_DIAGNOSE_H
#define SESSION_DIAGNOSE_H

#include "backends/backend.h"
#include "jail/cgroup.h"
#include "jail/surroundings.h"
#include "languages/language.h"

enum layer_state {
    LAYER_PRESENT,
    LAYER_PARTIAL, /* something stands in for it */
    LAYER_ABSENT,
    LAYER_UNTRIED, /* nothing ran, and the reason was another layer */
};

struct layer_diagnosis {
    enum layer_state state;
    char detail[600]; /* how it is held, or why not */
};

struct language_diagnosis {
    char *name, *path, *version; /* path and version NULL when absent */
    char *problem;               /* NULL when it works */
};

/* Of Python, with which both begin. */
struct ahead_diagnosis {
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
    struct ahead_diagnosis warm;  /* runs that find an interpreter which waits for them */
    struct ahead_diagnosis forks; /* of sessions, and so cells that are tried */
};

void diagnose(const struct language_table *languages, struct diagnosis *ret);
/* Its last part, diagnose_warm.c. */
void diagnose_ahead(const struct language_table *languages, struct diagnosis *d);
void diagnosis_done(struct diagnosis *d);

#endif
