/* SPDX-License-Identifier: Apache-2.0
 *
 * The tools that find and download packages. Unpacking and laying out is ours (tree.h, lay.h).
 */
#ifndef ENVIRONMENTS_MAKER_H
#define ENVIRONMENTS_MAKER_H

#include "environments/index.h"
#include "environments/step.h"

struct env_order {
    char *const *requirements; /* NULL-terminated, or NULL */
    const char *base;          /* the interpreter */
    const struct env_index *index;
    const char *folder; /* gets the wheels, and facts.json about the interpreter */
    bool offline;       /* only from the store's wheels */
    const struct env_watch *watch;
};

struct env_maker {
    const char *name;
    /* Its program on this host, which the caller frees; NULL if it is not here, or needs none. */
    char *(*find)(void);
    bool needs_program;
    /* Finds the wheels that the requirements need, and downloads them, in a jail. *ret lists the
     * files of the folder. */
    int (*fetch)(const struct env_order *order, const char *program, struct file_set *ret,
                 struct err *err);
};

extern const struct env_maker env_maker_pip;

#endif
