/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKSPACE_VIEWS_H
#define WORKSPACE_VIEWS_H

#include "languages/interpreter.h"

/* The host paths that a run shows: the interpreter's own folders, then the --ro SRC[:DST] specs,
 * then links to folders of the workspace, for the --writable paths. */
struct views {
    struct host_view *at;
    size_t n;
    const char
        *needs_root; /* the option (--ro, --writable) of a view that needs a private root, because
                        its path on the host differs or does not exist; NULL if there is none */
};

/* The SRC of an argument of --ro, SRC[:DST]; the caller frees. */
char *views_source(const char *spec);
/* -1 with *err if --ro would refuse this path, without a DST, in any run. */
int views_check_ro(const char *path, struct err *err);
/* Refuses paths that are invalid for --writable in any run. */
int views_check(char *const *writable, struct err *err);
/* The lists are NULL-terminated, or NULL. Returns 0, or -1 with *err; call views_done in both
 * cases. */
int views_make(const struct interpreter *interpreter, char *const *ro, char *const *writable,
               struct views *ret, struct err *err);
/* Adds links to the workspace at the places where other sandboxes have it, such as /mnt/data. Where
 * another view is, and in a run without a private root, there is no link. */
void views_add_places(struct views *views);
void views_done(struct views *views);

#endif
