/* SPDX-License-Identifier: Apache-2.0
 *
 * Packages to install before a program runs: "numpy, pandas>=2,<3; requests[socks]". What is not
 * the plain name of a package, with extras and versions where wanted, is refused: no options, no
 * addresses, no paths.
 */
#ifndef LANGUAGES_PIP_PACKAGES_H
#define LANGUAGES_PIP_PACKAGES_H

#include "base/err.h"

enum { PIP_PACKAGES_MAX = 100, PIP_PACKAGE_TEXT_MAX = 200 };

/* Reads the texts (NULL-terminated, or NULL), which have commas, semicolons or blanks between the
 * packages. *ret has each once, sorted, and is NULL-terminated; NULL for none. Release it with
 * pip_packages_done. */
int pip_packages_read(char *const *texts, char ***ret, struct err *err);
void pip_packages_done(char **packages); /* NULL is fine */

#endif
