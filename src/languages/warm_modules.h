/* SPDX-License-Identifier: Apache-2.0
 *
 * What takes long to load, and is loaded already in the zygote of programs that import it.
 */
#ifndef LANGUAGES_WARM_MODULES_H
#define LANGUAGES_WARM_MODULES_H

#include <stdbool.h>

#include "base/str.h"

enum { WARM_MODULES_MAX = 8 };

/* For a Python program with these texts, judged by their words: a mistake costs time and changes
 * nothing else. One of a few lists, so that there are few kinds of zygotes, without what the
 * interpreter's folders do not have. How many. */
size_t warm_modules(const struct str *texts, size_t count, const char *interpreter,
                    const char *ret[WARM_MODULES_MAX]);

/* A variable that one of them, or a library below it, reads when it is loaded. */
bool warm_modules_read(const char *pair);

#endif
