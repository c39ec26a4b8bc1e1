/* SPDX-License-Identifier: Apache-2.0
 *
 * Packages that a user names: "numpy, pandas>=2,<3; requests[socks]". A requirement is a name with
 * optional extras, versions and a marker, as in PEP 508: 'tomli>=2; python_version < "3.11"'.
 * Options, addresses and paths are refused.
 *
 * A semicolon separates two packages, unless a marker follows it: a parenthesis, a string, or the
 * name of a marker's variable with an operator.
 */
#ifndef ENVIRONMENTS_REQUIREMENT_H
#define ENVIRONMENTS_REQUIREMENT_H

#include "base/err.h"

enum { REQUIREMENTS_MAX = 200, REQUIREMENT_TEXT_MAX = 400 };

/* Reads the strings (NULL-terminated, or NULL), in which commas, semicolons or white space separate
 * packages, and "#" begins a comment. *ret has each requirement once, sorted, and is
 * NULL-terminated; it is NULL if there are none. They are written in one way, so that equal
 * requirements are equal texts: the name in lower case with "-" for "_" and ".", no parentheses
 * around versions. Free it with requirements_done. */
int requirements_read(char *const *texts, char ***ret, struct err *err);
void requirements_done(char **list); /* NULL is fine */

#endif
