/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds which packages a Python has, by the folders where they usually are: a guess, without
 * starting the interpreter.
 */
#ifndef LANGUAGES_PACKAGES_H
#define LANGUAGES_PACKAGES_H

#include <stddef.h>

/* Bit n: names[n] is installed. At most 32 names. Recent results are reused, so use the same names
 * in every call for an interpreter. Thread-safe. */
unsigned packages_find(const char *interpreter, const char *const *names, size_t count);

#endif
