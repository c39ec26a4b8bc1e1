/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LANGUAGES_VIEWS_H
#define LANGUAGES_VIEWS_H

#include "languages/interpreter.h"

/* What a run shows of the host: the interpreter's own folders, and the --ro SRC[:DST] specs (NULL-
 * terminated, or NULL). */
struct views {
    struct host_view *at;
    size_t n;
    bool
        named; /* one is seen by another name than the host's: only a root of its own can do that */
};

/* 0 or -1; end with views_done either way. */
int views_make(const struct interpreter *interpreter, char *const *ro, struct views *ret,
               struct err *err);
void views_done(struct views *views);

#endif
