/* SPDX-License-Identifier: Apache-2.0
 *
 * A virtual environment of hard links to the files of trees.
 */
#ifndef ENVIRONMENTS_LAY_H
#define ENVIRONMENTS_LAY_H

#include "environments/tree.h"

struct env_plan {
    const char *folder;  /* where it is made */
    const char *final;   /* where it will be: scripts name their interpreter there */
    const char *base;    /* the Python that it is made from */
    const char *version; /* "3.11.7" */
    const char *purelib; /* "lib/python3.11/site-packages" */
    const struct env_trees *trees;
};

/* Fills in the new folder. */
int env_lay(const struct env_plan *plan, struct err *err);

#endif
