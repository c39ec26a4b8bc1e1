/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TERMINAL_COLOURS_H
#define TERMINAL_COLOURS_H

#include <stdbool.h>
#include <stdio.h>

/* True if the stream is a terminal that understands escape sequences. */
bool terminal_draws(FILE *out);
/* As terminal_draws, and the user has not switched colours off by NO_COLOR. */
bool terminal_colours(FILE *out);

#endif
