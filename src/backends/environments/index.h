/* SPDX-License-Identifier: Apache-2.0
 *
 * Where packages come from: the user's own configuration of pip, for a jail that does not see the
 * user's files. Read are pip's config files, the PIP_ variables, and the usual variables for
 * proxies and certificates. Secrets do not go into the jail: an address with a user's name in it is
 * refused.
 */
#ifndef ENVIRONMENTS_INDEX_H
#define ENVIRONMENTS_INDEX_H

#include "base/err.h"
#include "base/sha256.h"
#include "languages/interpreter.h"

struct env_index {
    char **env; /* K=V; NULL-terminated */
    size_t env_count;
    struct host_view *views; /* local folders of packages, certificates */
    size_t view_count;
    char identity[SHA256_HEX]; /* equal for equal places */
};

/* -1 with ERR_UNSUPPORTED if the configuration has something that a jail must not have. */
int env_index_read(struct env_index *ret, struct err *err);
void env_index_done(struct env_index *index);
/* Adds a variable. */
void env_index_add(struct env_index *index, char *pair);

#endif
