/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LANGUAGES_INTERPRETER_H
#define LANGUAGES_INTERPRETER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "languages/language.h"

/* A host path that the guest may read; or a link, whose text is src. */
struct host_view {
    char *src;
    char *dst;
    bool is_link;
    bool is_interpreters; /* packages are put there, and little else */
};

/* The place of a language's interpreter on this host, and the host paths that it needs. */
struct interpreter {
    char *path;              /* to execute, also inside */
    struct host_view *views; /* beside the system's own folders: its prefix, and nothing else */
    size_t view_count;
    char *image;    /* elsewhere: of the container that has it; or NULL */
    unsigned minor; /* elsewhere: the N of Python 3.N, if that is known; or 0 */
};

/* Looks in $PATH as a shell would. Follows the shims of version managers (pyenv); a virtual
 * environment, conda, nvm and the like add their own prefix. ERR_UNSUPPORTED when no interpreter is
 * found. */
int interpreter_find(const struct language *language, struct interpreter *ret, struct err *err);
/* The same, but may return a result of the last second. Thread-safe. */
int interpreter_find_recent(const struct language *language, struct interpreter *ret,
                            struct err *err);
/* The path of a program in $PATH, or of one with a slash in its name; NULL for none. The caller
 * frees it. */
char *interpreter_search(const char *name);
/* The interpreter of this path. */
int interpreter_at(const char *path, struct interpreter *ret, struct err *err);
void interpreter_done(struct interpreter *interpreter);

/* ---- the cache of interpreter_find_recent and python_find ---- */

/* Everything that an answer depends on, except the disk: names, and variables of the environment.
 * Initialises *ret. */
void interpreter_ask(const char *const *names, struct buf *ret);
/* A copy of an answer that is less than a second old; false when there is none. */
bool interpreter_recall(const char *asked, struct interpreter *ret);
void interpreter_remember(const char *asked, const struct interpreter *found);

#endif
