/* SPDX-License-Identifier: Apache-2.0
 *
 * Which packages a Python has, by the folders where they usually are: a guess that starts nothing.
 */
#ifndef LANGUAGES_PACKAGES_H
#define LANGUAGES_PACKAGES_H

#include <stddef.h>

/* Bit n: names[n] is there. At most 32 names; what was found a moment ago is not looked up again,
 * so each interpreter is always asked about the same names. Safe in threads. */
unsigned packages_find(const char *interpreter, const char *const *names, size_t count);

#endif
