/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CONSOLE_PRINT_CONFIG_H
#define CONSOLE_PRINT_CONFIG_H

#include <stdio.h>

#include "console/options.h"

/* Every setting with its value and source, as a config file. What is no key of such a file, or has
 * no value of its own, is in comments; the value of a variable of the environment is left out. */
void print_config(const struct cli_options *options, FILE *out);

#endif
