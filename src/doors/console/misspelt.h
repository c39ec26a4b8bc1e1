/* SPDX-License-Identifier: Apache-2.0
 *
 * Environment variables that nearly have the name of a setting, and the variable that turns hints
 * off.
 */
#ifndef CONSOLE_MISSPELT_H
#define CONSOLE_MISSPELT_H

#include <stdbool.h>
#include <stdio.h>

/* Prints one line for each such variable: without it, GLOVEBOX_TIMOUT=1s would set no limit, and
 * the mistake would not show. A variable that is near to no setting is another program's own. */
void misspelt_variables_report(FILE *out);

#define HINTS_VARIABLE "GLOVEBOX_HINTS"
/* False if the variable is 0, off, no or false. A value that is no such word is reported, too. */
bool hints_are_wanted(void);

#endif
