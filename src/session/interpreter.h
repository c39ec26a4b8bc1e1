/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SESSION_INTERPRETER_H
#define SESSION_INTERPRETER_H

#include <stddef.h>

#include "backends/backend.h"
#include "base/err.h"
#include "text/language.h"

/* Where a language's interpreter is on this host, and what of the host it needs to be seen. */
struct interpreter {
    char *path;                 /* to execute, also inside */
    struct backend_view *views; /* beyond the system's own folders: its prefix, and nothing else */
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
