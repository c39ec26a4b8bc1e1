/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables of the environment whose name is nearly that of a setting.
 */
#ifndef CONSOLE_MISSPELT_H
#define CONSOLE_MISSPELT_H

#include <stdio.h>

/* Prints one line for each such variable: without it, GLOVEBOX_TIMOUT=1s would set no limit, and
 * the mistake would not show. A variable that is near to no setting is another program's own. */
void misspelt_variables_report(FILE *out);

#endif
