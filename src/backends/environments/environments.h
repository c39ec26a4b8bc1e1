/* SPDX-License-Identifier: Apache-2.0
 *
 * Environments: folders with a Python and packages, made once, kept in a store (store.h), and shown
 * to guests read-only.
 *
 *     struct env_want want = {.requirements = list, .python = "3.12"};
 *     env_make(&want, &watch, &used, &err);     -- finds it, or makes it
 *     ... a guest runs with used.python ...
 *     env_close(&used);                         -- now it may be pruned
 *
 * An environment is made by programs in jails (step.h): one with a network downloads wheels, one
 * without compiles them. We hash, unpack and lay out what they bring ourselves. No code of a
 * package runs before a guest imports it.
 */
#ifndef ENVIRONMENTS_ENVIRONMENTS_H
#define ENVIRONMENTS_ENVIRONMENTS_H

#include <jansson.h>
#include <stdbool.h>

#include "environments/step.h"
#include "environments/store.h"

#define ENV_CEILING (10ULL << 30) /* bytes of the store, without 'glovebox env prune --keep' */

struct env_want {
    char *const *requirements; /* from requirements_read; or NULL */
    const char *python;        /* a version or a path (languages/pythons.h); NULL: python3 */
    char *const *hashes;       /* only wheels with these SHA-256 are accepted; or NULL */
    bool only_known;           /* fail with ERR_POLICY if it was not made before */
    bool offline;              /* only from the store */
    bool fresh;                /* ask the index again, even if these requirements are known */
};

/* An environment in use. Until env_close, no prune removes it. */
struct env_used {
    char id[ENV_ID_MAX];
    char *python; /* its interpreter */
    int lock;
    bool was_known; /* it was not made just now */
};

/* Fails if no package is named: an environment without any would be made by mistake. */
int env_check_named(char *const *requirements, struct err *err);
int env_make(const struct env_want *want, const struct env_watch *watch, struct env_used *ret,
             struct err *err);
/* The environment with this name, or this ID. -1 with ERR_USAGE if there is none; the message lists
 * the names. */
int env_open(const char *name, struct env_used *ret, struct err *err);
void env_close(struct env_used *used); /* {0} with lock -1 is fine */
#define ENV_USED_NONE ((struct env_used){.lock = -1})

/* The packages of a named set ("data"), as one text for requirements_read; NULL if there is no such
 * set. */
const char *env_set(const char *name);

/* Gives an environment a name; another one that had it loses it. */
int env_name(const char *name, const char *id, struct err *err);
/* {name, id, python, requirements, packages, bytes, created, last_used}, the caller's. */
json_t *env_describe(const char *name_or_id, struct err *err);
/* An array of these with `names` instead of a name and without the packages; the one that was used
 * last comes first. */
json_t *env_list(struct err *err);
/* Removes a name, and the environment if no other name leads to it. ERR_LIMIT if it is in use. */
int env_remove(const char *name, struct err *err);
/* Removes environments that are not in use, the longest unused first, until the store takes no more
 * than so many bytes; then wheels and trees that no environment has. *ret_removed is an array of
 * IDs, the caller's. */
int env_prune(uint64_t ceiling, json_t **ret_removed, struct err *err);
/* Computes the hash of each file of its packages again. *ret_damaged is an array of the paths of
 * files that are missing or changed, the caller's. */
int env_verify(const char *name, json_t **ret_damaged, struct err *err);
/* Appends its packages as a list with hashes (lock.h). */
int env_export(const char *name, struct buf *ret, struct err *err);

#endif
