/* SPDX-License-Identifier: Apache-2.0
 *
 * Wheels that are unpacked and compiled, each once for all environments with the same kind of
 * bytecode.
 */
#ifndef ENVIRONMENTS_TREE_H
#define ENVIRONMENTS_TREE_H

#include "environments/manifest.h"
#include "environments/step.h"
#include "environments/store.h"

/* A wheel of an environment. */
struct env_tree {
    char *file; /* the wheel's name */
    char sha256[SHA256_HEX];
    char *path;               /* of its tree, once that is in its place */
    struct manifest manifest; /* of the tree: the wheel's files, and bytecode */
};

struct env_trees {
    struct env_tree *at;
    size_t count, room;
    bool repairs; /* look at each file of those that the store has, and repair it */
};

/* Takes a wheel into the store. It is in `folder` and has this hash, which we computed. */
int env_trees_add(struct env_trees *trees, const char *folder, const char *file,
                  const char sha256[SHA256_HEX], struct err *err);
/* Makes those trees that the store does not have: unpacks them in the stage, compiles them in a
 * jail with the interpreter `base`. Names of bytecode files have `tag` in them. With `repairs`,
 * files of the other trees that were changed or removed are made again. */
int env_trees_make(struct env_trees *trees, const struct env_stage *stage, const char *base,
                   const char *tag, const struct env_watch *watch, struct err *err);
/* Orders them by name, so that equal sets are equal lists. */
void env_trees_sort(struct env_trees *trees);
void env_trees_done(struct env_trees *trees);

#endif
