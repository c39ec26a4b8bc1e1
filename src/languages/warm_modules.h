/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules that take long to load: the zygote of programs that import them loads them in advance.
 */
#ifndef LANGUAGES_WARM_MODULES_H
#define LANGUAGES_WARM_MODULES_H

#include <stdbool.h>

#include "base/str.h"

enum { WARM_MODULES_MAX = 8 };

/* The modules to load for a Python program with these texts, judged by their words: a wrong guess
 * only costs time. It chooses one of a few lists, so that there are few kinds of zygotes, and
 * leaves out modules that the interpreter's folders do not have. Returns their number. */
size_t warm_modules(const struct str *texts, size_t count, const char *interpreter,
                    const char *ret[WARM_MODULES_MAX]);

/* Whether one of them, or a library below it, reads this variable when it is loaded. */
bool warm_modules_read(const char *pair);

#endif
