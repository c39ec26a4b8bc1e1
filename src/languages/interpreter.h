/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LANGUAGES_INTERPRETER_H
#define LANGUAGES_INTERPRETER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "languages/language.h"

/* A host path the guest may read; or a link, and then src is its text. */
struct host_view {
    char *src;
    char *dst;
    bool is_link;
};

/* Where a language's interpreter is on this host, and what of the host it needs to be seen. */
struct interpreter {
    char *path;              /* to execute, also inside */
    struct host_view *views; /* beyond the system's own folders: its prefix, and nothing else */
    size_t view_count;
};

/* Looks in $PATH as a shell would. Version managers' shims (pyenv) are seen through; a virtual
 * environment, conda, nvm and the like bring their own prefix along. ERR_UNSUPPORTED when there is
 * none. */
int interpreter_find(const struct language *language, struct interpreter *ret, struct err *err);
/* The same, where what was found within the last second will do. Safe in threads. */
int interpreter_find_recent(const struct language *language, struct interpreter *ret,
                            struct err *err);
void interpreter_done(struct interpreter *interpreter);

#endif
