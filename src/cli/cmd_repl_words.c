/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands that people type at this prompt because other prompts have them.
 */
#include <string.h>

#include "base/mem.h"
#include "cli/cmd_repl.h"

/* A name with dots, as in `np.sum`. */
static bool is_dotted(struct str text)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        bool part = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!part && c != '_' && c != '.')
            return false;
    }
    return text.n > 0;
}

/* len?, ?len, len?? */
static bool asks_for_help(struct str line, struct str *ret_name)
{
    while (str_ends(line, "?"))
        line.n--;
    while (str_starts(line, "?"))
        line = str_slice(line, 1, line.n);
    *ret_name = str_trim(line);
    return is_dotted(*ret_name);
}

char *repl_foreign_hint(const struct language_traits *traits, struct str line)
{
    struct str name;

    if (!traits->is_notebook || memchr(line.p, '\n', line.n))
        return NULL;
    if (str_starts(line, "%"))
        return xstrdup("'%' begins a magic of IPython, which is not here; :help lists the commands "
                       "of this prompt");
    if (str_starts(line, "!"))
        return xstrdup("'!' is a command of IPython; here: subprocess.run(['ls']), or 'glovebox "
                       "repl --lang bash'");
    if ((str_starts(line, "?") || str_ends(line, "?")) && asks_for_help(line, &name))
        return xasprintf("'?' is a command of IPython; here: help(%.*s), and :help for this prompt",
                         (int)name.n, name.p);
    return NULL;
}

bool repl_leaves(const struct language_traits *traits, struct str line)
{
    for (const char *const *word = traits->exits; *word; word++)
        if (str_is(line, *word))
            return true;
    return false;
}
