/* SPDX-License-Identifier: Apache-2.0
 *
 * Models write Go as statements, without a package: these become the body of main(). Everything
 * that is added to a line is added at its start, so that line numbers stay right.
 */
#include "languages/language_rows.h"

/* True if a line begins with the word. */
static bool has_line(struct str code, const char *word)
{
    struct str line;

    while (str_next_line(&code, &line))
        if (str_starts(str_trim(line), word))
            return true;
    return false;
}

/* The length of the imports and comments at the head of the text. */
static size_t go_head(struct str code)
{
    struct str rest = code, line;
    bool inside = false; /* of import ( ... ) */
    size_t head = 0;

    while (str_next_line(&rest, &line)) {
        line = str_trim(line);
        bool import = str_starts(line, "import ") || str_starts(line, "import(");
        if (!inside && !import && line.n && !str_starts(line, "//"))
            break;
        inside = (inside || (import && str_find(line, STR("(")) >= 0)) && !str_ends(line, ")");
        if (import || inside || str_ends(line, ")"))
            head = rest.p ? (size_t)(rest.p - code.p) : code.n;
    }
    return head;
}

int go_complete(struct str code, struct buf *ret)
{
    bool fmt = str_find(code, STR("fmt.")) >= 0 && str_find(code, STR("\"fmt\"")) < 0;

    if (has_line(code, "package "))
        return buf_add_str(ret, code);
    (void)buf_addf(ret, "package main; %s", fmt ? "import \"fmt\"; " : "");
    if (has_line(code, "func main("))
        return buf_add_str(ret, code);
    size_t head = go_head(code);
    (void)buf_add_str(ret, str_slice(code, 0, head));
    if (head && code.p[head - 1] != '\n')
        (void)buf_addc(ret, '\n');
    (void)buf_adds(ret, "func main() { ");
    (void)buf_add_str(ret, str_slice(code, head, code.n));
    return buf_adds(ret, "\n}\n");
}
