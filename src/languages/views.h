/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LANGUAGES_VIEWS_H
#define LANGUAGES_VIEWS_H

#include "languages/interpreter.h"

/* The host paths that a run shows: the interpreter's own folders, and the --ro SRC[:DST] specs.
 * Then links to folders of the workspace, for the --writable paths. */
struct views {
    struct host_view *at;
    size_t n;
    const char *needs_root; /* the option of a view that only a root of the guest's own can have: it
                               has another path on the host, or none; or NULL */
};

/* Refuses what is no --writable path for any run. */
int views_check(char *const *writable, struct err *err);
/* The lists are NULL-terminated, or NULL. 0 or -1; end with views_done either way. */
int views_make(const struct interpreter *interpreter, char *const *ro, char *const *writable,
               struct views *ret, struct err *err);
void views_done(struct views *views);

#endif
