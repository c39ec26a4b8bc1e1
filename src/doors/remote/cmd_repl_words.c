/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands that users type at this prompt because other prompts have them.
 */
#include <string.h>

#include "guard/foreign_line.h"
#include "languages/ipython_cell.h"
#include "remote/cmd_repl.h"

const char *repl_foreign_hint(const struct language_traits *traits, struct str line)
{
    struct ipython_cell python = {0};
    bool asks = traits->is_notebook && !memchr(line.p, '\n', line.n);
    bool runs = asks && ipython_cell_read(line, &python);

    ipython_cell_done(&python);
    return asks && !runs ? foreign_line_hint(line) : NULL;
}

bool repl_leaves(const struct language_traits *traits, struct str line)
{
    return str_one_of(line, traits->exits);
}
