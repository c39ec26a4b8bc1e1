/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands that people type at this prompt because other prompts have them.
 */
#include <string.h>

#include "cli/cmd_repl.h"
#include "guard/foreign_line.h"
#include "text/shell_lines.h"

const char *repl_foreign_hint(const struct language_traits *traits, struct str line)
{
    AUTO_BUF struct buf python = {0};

    if (!traits->is_notebook || memchr(line.p, '\n', line.n) || shell_lines(line, &python))
        return NULL;
    return foreign_line_hint(line);
}

bool repl_leaves(const struct language_traits *traits, struct str line)
{
    for (const char *const *word = traits->exits; *word; word++)
        if (str_is(line, *word))
            return true;
    return false;
}
