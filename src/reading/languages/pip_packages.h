/* SPDX-License-Identifier: Apache-2.0
 *
 * Packages to install before a program runs: "numpy, pandas>=2,<3; requests[socks]". Only plain
 * names of packages are accepted, with optional extras and versions: no options, URLs or paths.
 */
#ifndef LANGUAGES_PIP_PACKAGES_H
#define LANGUAGES_PIP_PACKAGES_H

#include "base/err.h"

enum { PIP_PACKAGES_MAX = 100, PIP_PACKAGE_TEXT_MAX = 200 };

/* Reads the strings (NULL-terminated, or NULL), in which commas, semicolons or white space separate
 * packages. *ret has each package once, sorted, and is NULL-terminated; it is NULL if there are
 * none. Free it with pip_packages_done. */
int pip_packages_read(char *const *texts, char ***ret, struct err *err);
void pip_packages_done(char **packages); /* NULL is fine */

#endif
