/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules that take long to load: a zygote loads them in advance, for programs that import them.
 *
 * A mistake here may cost time, but must not change a result. So the zygote lets `site` do its work
 * first, as an import in a program does. A package that prints, leaves a thread or an open file, or
 * cannot be loaded there, is not loaded early: the zygote starts again without it. (OpenBLAS stops
 * its threads at a fork and starts them again in the fork.) A program whose imports depend on
 * something else, such as variables or warnings as errors, gets a jail of the kind without modules
 * (run/warm.c). A loaded module could hide a file of the program's, such as random.py: if there are
 * other files, a fork checks for that, and then executes the command of a cold run.
 */
#ifndef LANGUAGES_WARM_MODULES_H
#define LANGUAGES_WARM_MODULES_H

#include <stdbool.h>

#include "base/str.h"

enum { WARM_MODULES_MAX = 8 };

/* The modules to load for a Python program that consists of these texts. Imports are found by
 * searching the texts for words, since a wrong guess only costs time. The result is one of a few
 * lists, so that there are few kinds of zygotes, without the modules that the interpreter's folders
 * lack. Returns their number. */
size_t warm_modules(const struct str *texts, size_t count, const char *interpreter,
                    const char *ret[WARM_MODULES_MAX]);

/* True if one of the modules, or a library that it loads, reads this variable at load time. */
bool warm_modules_read(const char *pair);

#endif
