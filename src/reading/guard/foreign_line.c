/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/foreign_line.h"

#include <stddef.h>

#include "base/mem.h"
#include "policy/package_words.h"

#define INSTALL "Packages cannot be installed inside: leave this line out; " PACKAGE_WAYS "."

static const struct {
    const char *begin;
    const char *hint;
} beginnings[] = {
    {"%pip ", INSTALL},
    {"!pip ", INSTALL},
    {"!pip3 ", INSTALL},
    {"%conda ", INSTALL},
    {"!conda ", INSTALL},
    {"!python -m pip", INSTALL},
    {"!python3 -m pip", INSTALL},
    {"%uv ", INSTALL},
    {"!uv ", INSTALL},
    {"!apt", INSTALL},
    {"pip install ", INSTALL},
    {"pip3 install ", INSTALL},
    {"conda install ", INSTALL},
    {"%time", "%time takes one simple statement, and %timeit an expression or, on the last line, a "
              "statement. "
              "Put other code under %%time or %%timeit, on the cell's first line."},
    {"%%",
     "This cell magic of IPython is not here; cells have %%bash, %%time, %%timeit and %%writefile. "
     "Put code of another language into a program or a session of that language (--lang)."},
    {"%", "This magic command of IPython is not here; cells have %cat, %cd, %cp, %env, %ls, "
          "%mkdir, %mv, "
          "%pwd, %rm, %time and %timeit. Leave the line out."},
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
