/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables of the environment that make an interpreter, a shell, the loader or a library run code
 * that is not in the program: they say where modules are found, what runs first, or which command
 * is started.
 */
#ifndef LANGUAGES_CODE_VARIABLES_H
#define LANGUAGES_CODE_VARIABLES_H

#include <stdbool.h>

#include "base/str.h"

bool code_variable(struct str name);

#endif
