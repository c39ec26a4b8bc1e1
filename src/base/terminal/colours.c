/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal/colours.h"

#include <string.h>
#include <unistd.h>

#include "base/str.h"

bool terminal_draws(FILE *out)
{
    const char *term = str_variable("TERM");

    return isatty(fileno(out)) && term && strcmp(term, "dumb") != 0;
}

bool terminal_colours(FILE *out)
{
    return terminal_draws(out) && !str_variable("NO_COLOR");
}
