/* SPDX-License-Identifier: Apache-2.0
 *
 * The Pythons of this host, by version or by path (--python).
 */
#ifndef LANGUAGES_PYTHONS_H
#define LANGUAGES_PYTHONS_H

#include "base/str.h"
#include "languages/interpreter.h"

enum { PYTHONS_MINOR_MOST = 99 };

/* True if the text names a version rather than a path: "3", "3.12", "python3", "python3.12".
 * *ret_minor is the N of 3.N, or 0 for any. */
bool python_is_version(struct str text, unsigned *ret_minor);
/* True for a name for --lang that has a version: "python3.12". */
bool python_is_language(struct str name);
/* The N of the Python that a program's first line names ("#!/usr/bin/env python3.12"), or 0. */
unsigned python_of_shebang(struct str code);
/* The N of Python 3.N, by the interpreter's real name or its virtual environment; 0: unknown. */
unsigned python_minor(const char *path);

/* As python_minor, for an interpreter that may be in a container. */
unsigned interpreter_minor(const struct interpreter *interpreter);

/* Finds a Python by version in $PATH, then in the folders of pyenv, uv and conda; or by path: the
 * program, or the folder of a virtual environment. -1 with ERR_UNSUPPORTED if this host does not
 * have the version (the message lists those that it has); ERR_USAGE if the path is not a Python. */
int python_find(const char *choice, struct interpreter *ret, struct err *err);

/* Finds Python 3.N only. False if this host has none: unlike python_find, it does not spend the
 * time to list all versions. */
bool python_find_minor(unsigned minor, struct interpreter *ret);

/* Calls `each` for each version that python_find can find, the oldest first. */
void pythons_each(void (*each)(void *ctx, unsigned minor, const char *path), void *ctx);

#endif
