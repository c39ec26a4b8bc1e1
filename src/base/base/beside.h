/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_BESIDE_H
#define BASE_BESIDE_H

#include "base/err.h"

/* Finds the path of a program that belongs to glovebox: the one in the environment variable, else
 * in the folder of the library or program that runs this code, else where `make install` puts it.
 * The caller frees *ret. -1 with ERR_UNSUPPORTED when the program is missing. */
int beside_find(const char *name, const char *variable, char **ret, struct err *err);

#endif
