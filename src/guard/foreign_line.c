/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/foreign_line.h"

#include <stddef.h>

#include "base/mem.h"

#define INSTALL                                                                                    \
    "Packages cannot be installed by a program. Import what this Python has; leave this line out."

static const struct {
    const char *begin;
    const char *hint;
} beginnings[] = {
    {"%pip ", INSTALL},
    {"!pip ", INSTALL},
    {"!pip3 ", INSTALL},
    {"%conda ", INSTALL},
    {"!conda ", INSTALL},
    {"!apt", INSTALL},
    {"pip install ", INSTALL},
    {"pip3 install ", INSTALL},
    {"conda install ", INSTALL},
    {"%", "This is a magic command of IPython, which is not here. Leave the line out."},
    {"!", "This is a shell command of IPython. Use subprocess.run([...])."},
    {">>> ", "Leave the prompts '>>>' and '...' out; give the code alone."},
    {"```", "Leave the Markdown fences out; give the code alone."},
    {"~~~", "Leave the Markdown fences out; give the code alone."},
};

const char *foreign_line_hint(struct str line)
{
    line = str_trim(line);
    for (size_t i = 0; i < ARRAY_LEN(beginnings); i++)
        if (str_starts(line, beginnings[i].begin))
            return beginnings[i].hint;
    if (str_ends(line, "?") && !str_starts(line, "#"))
        return "'?' asks IPython for help. Use help(NAME).";
    return NULL;
}
