/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_BESIDE_H
#define BASE_BESIDE_H

#include "base/err.h"

/* The path of a program that belongs to glovebox: from the environment variable, else beside the
 * library or program that we are, else where `make install` puts it. The caller frees. -1 with
 * ERR_UNSUPPORTED when it is missing. */
int beside_find(const char *name, const char *variable, char **ret, struct err *err);

#endif
