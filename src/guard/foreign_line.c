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
    {"%%",
     "This is a cell magic of IPython, which is not here. Put code of another language into a "
     "program or a session of that language (--lang)."},
    {"%", "This is a magic command of IPython, which is not here. Leave the line out."},
    {"!", "This is a shell command of IPython. Use subprocess.run([...])."},
    {">>> ", "Leave the prompts '>>>' and '...' out; give the code alone."},
    {"```", "Leave the Markdown fences out; give the code alone."},
    {"~~~", "Leave the Markdown fences out; give the code alone."},
};

/* len?, ?len, np.sum?? */
static bool asks_for_help(struct str line)
{
    bool asks = str_starts(line, "?") || str_ends(line, "?");

    while (str_ends(line, "?"))
        line.n--;
    while (str_starts(line, "?"))
        line = str_slice(line, 1, line.n);
    line = str_trim(line);
    for (size_t i = 0; i < line.n; i++) {
        char c = line.p[i];
        bool part = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!part && c != '_' && c != '.')
            return false;
    }
    return asks && line.n > 0;
}

const char *foreign_line_hint(struct str line)
{
    line = str_trim(line);
    for (size_t i = 0; i < ARRAY_LEN(beginnings); i++)
        if (str_starts(line, beginnings[i].begin))
            return beginnings[i].hint;
    if (asks_for_help(line))
        return "'?' asks IPython for help. Use help(NAME).";
    return NULL;
}
