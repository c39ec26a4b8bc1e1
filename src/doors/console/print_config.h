/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CONSOLE_PRINT_CONFIG_H
#define CONSOLE_PRINT_CONFIG_H

#include <stdio.h>

#include "console/options.h"

/* Prints every setting with its value and source, as a config file. A setting is in a comment if it
 * is not a key of such a file, or if its value is only a default. The value of a variable of the
 * environment is left out. */
void print_config(const struct cli_options *options, FILE *out);

#endif
