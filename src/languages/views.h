/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LANGUAGES_VIEWS_H
#define LANGUAGES_VIEWS_H

#include "languages/interpreter.h"

/* The host paths that a run shows: the interpreter's own folders, and the --ro SRC[:DST] specs
 * (NULL-terminated, or NULL). */
struct views {
    struct host_view *at;
    size_t n;
    bool
        named; /* a view has another path inside than it has on the host: this needs its own root */
};

/* 0 or -1; end with views_done either way. */
int views_make(const struct interpreter *interpreter, char *const *ro, struct views *ret,
               struct err *err);
void views_done(struct views *views);

#endif
