/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LANGUAGES_INTERPRETER_H
#define LANGUAGES_INTERPRETER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "languages/language.h"

enum { INTERPRETER_VENV_MAX = 4096 };

/* A host path that the guest may read; or a link inside, whose target is src. */
struct host_view {
    char *src;
    char *dst;
    bool is_link;
    bool is_interpreters; /* holds the interpreter's packages and little else */
};

/* The location of a language's interpreter on this host, and the host paths that it needs. */
struct interpreter {
    char *path;              /* to execute, also inside */
    struct host_view *views; /* the paths that it needs besides the system's folders */
    size_t view_count;
    char *image;    /* the container that has it, if it is not on this host; or NULL */
    unsigned minor; /* in a container: the N of Python 3.N, if it is known; or 0 */
};

/* Searches $PATH as a shell does. Follows the shims of version managers (pyenv); a virtual
 * environment, conda, nvm and the like add their own prefix. -1 with ERR_UNSUPPORTED if no
 * interpreter is found. */
int interpreter_find(const struct language *language, struct interpreter *ret, struct err *err);
/* As interpreter_find, but may return a result that is up to a second old. Thread-safe. */
int interpreter_find_recent(const struct language *language, struct interpreter *ret,
                            struct err *err);
/* The path of a program in $PATH, or of a name with a slash in it; NULL if there is none. The
 * caller frees it. */
char *interpreter_search(const char *name);
/* The interpreter with this path. */
int interpreter_at(const char *path, struct interpreter *ret, struct err *err);
/* Adds a host path that programs need, under its own name. A missing one is left out. */
void interpreter_show(struct interpreter *interpreter, const char *path);
/* Adds what another program needs. */
void interpreter_add(struct interpreter *interpreter, const struct interpreter *other);
void interpreter_done(struct interpreter *interpreter);

/* ---- for pythons.c and packages.c ---- */

/* The folder: "/a/b" of "/a/b/c". The caller frees. */
char *interpreter_parent(const char *path);
bool interpreter_is_program(const char *path);
/* The value of a key in PREFIX/pyvenv.cfg; it points into `text`. .p is NULL if there is none. */
struct str interpreter_venv(const char *prefix, const char *key, char text[INTERPRETER_VENV_MAX]);

/* ---- the cache of interpreter_find_recent and python_find ---- */

/* Writes everything on which an answer depends, except the disk: names and environment variables.
 * Initialises *ret. */
void interpreter_ask(const char *const *names, struct buf *ret);
/* Copies an answer that is less than a second old; false if there is none. */
bool interpreter_recall(const char *asked, struct interpreter *ret);
void interpreter_remember(const char *asked, const struct interpreter *found);

#endif
