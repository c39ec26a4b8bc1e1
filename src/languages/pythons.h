/* SPDX-License-Identifier: Apache-2.0
 *
 * The Pythons of this host, by version or by path (--python).
 */
#ifndef LANGUAGES_PYTHONS_H
#define LANGUAGES_PYTHONS_H

#include "base/str.h"
#include "languages/interpreter.h"

enum { PYTHONS_MINOR_MOST = 99 };

/* Whether the text names a version, not a path: "3", "3.12", "python3", "python3.12". *ret_minor is
 * the N of 3.N, and 0 for any. */
bool python_is_version(struct str text, unsigned *ret_minor);
/* Whether it is a name for --lang with a version: "python3.12". */
bool python_is_language(struct str name);
/* The version that a program's first line names ("#!/usr/bin/env python3.12"); 0 for none. */
unsigned python_of_shebang(struct str code);
/* The N of Python 3.N, from the interpreter's real name or its virtual environment; 0: unknown. */
unsigned python_minor(const char *path);

/* The same of one that may be elsewhere. */
unsigned interpreter_minor(const struct interpreter *interpreter);

/* Finds the Python of a version in $PATH, then in the folders of pyenv, uv and conda; or the one at
 * a path: the program, or a virtual environment's folder. ERR_UNSUPPORTED when this host has no
 * such version, with the versions that it has; ERR_USAGE when the path is not a Python. */
int python_find(const char *choice, struct interpreter *ret, struct err *err);

/* Python 3.N alone. False when this host has none: a message with all versions would cost much. */
bool python_find_minor(unsigned minor, struct interpreter *ret);

/* Calls back for each version that python_find would find, the oldest first. */
void pythons_each(void (*each)(void *ctx, unsigned minor, const char *path), void *ctx);

#endif
