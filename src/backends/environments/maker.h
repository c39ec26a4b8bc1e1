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
    /* Its program on this host, which the caller frees; NULL if it is not here. An entry without
     * this function needs none. */
    char *(*find)(void);
    /* Finds the wheels that the requirements need, and downloads them, in a jail. *ret lists the
     * files of the folder. */
    int (*fetch)(const struct env_order *order, const char *program, struct file_set *ret,
                 struct err *err);
};

/* uv finds versions faster, and downloads side by side. Without it, pip does all. */
extern const struct env_maker env_maker_uv, env_maker_pip;

/* The jail of both makers. `uv` is that program's path, or NULL; `explain` sets the error after a
 * status that is not 0. */
int env_fetch(const struct env_order *order, const char *uv, struct file_set *ret,
              int (*explain)(const struct env_order *order, struct str said, int status,
                             struct err *err),
              struct err *err);

#endif
