/* SPDX-License-Identifier: Apache-2.0
 *
 * Guesses which packages a Python has, by looking in the usual folders, without starting the
 * interpreter.
 */
#ifndef LANGUAGES_PACKAGES_H
#define LANGUAGES_PACKAGES_H

#include <stddef.h>

#include "base/buf.h"

/* Returns a bit mask: bit n is set if names[n] is installed. At most 32 names. Recent results are
 * reused, so pass the same names in every call for an interpreter. Thread-safe. */
unsigned packages_find(const char *interpreter, const char *const *names, size_t count);

/* Appends the well-known packages that a Python has, with their versions: "numpy 2.4, pandas 3.1".
 * Nothing if it has none of them. Thread-safe. */
void packages_describe(const char *interpreter, struct buf *out);

#endif
