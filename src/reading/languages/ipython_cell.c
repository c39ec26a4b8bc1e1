/* SPDX-License-Identifier: Apache-2.0 */
#include "languages/ipython_cell.h"

#include "base/ascii.h"
#include "languages/ipython_parts.h"
#include "python/python.h"

enum { CELL_MAX = 64 << 10, CODE_MAX = 5 * CELL_MAX, LINES_MAX = 100 };

/* ---- a line ---- */

/* The command after the blanks, and after "NAME =". .p is NULL if there is none. */
static struct str command_in(struct str line, struct str *ret_name)
{
    struct str rest = str_trim(line);
    long equals = str_find(rest, STR("="));

    *ret_name = STR("");
    if (rest.n && rest.p[0] != '!' && rest.p[0] != '%' && equals > 0) {
        *ret_name = str_trim(str_slice(rest, 0, (size_t)equals));
        rest = str_trim(str_slice(rest, (size_t)equals + 1, rest.n));
    }
    return rest.n && (rest.p[0] == '!' || rest.p[0] == '%') ? rest : (struct str){0};
}

static bool read_ipython_line(struct str line, struct ipython_line *ret)
{
    size_t indent = 0;
    struct str found = command_in(line, &ret->name);

    if (!found.p || (ret->name.n && !python_is_variable(ret->name)))
        return false;
    while (indent < line.n && ascii_is_blank(line.p[indent]))
        indent++;
    ret->indent = str_slice(line, 0, indent);
    ret->kind = found.p[0];
    ret->command = str_trim(str_slice(found, 1, found.n));
    return true;
}

/* ---- the cell ---- */

/* Most cells have no such line, and are not parsed here. */
static bool may_have_commands(struct str cell)
{
    struct str line, name;

    while (str_next_line(&cell, &line))
        if (command_in(line, &name).p)
            return true;
    return false;
}

/* The number of the line at which the text stops being Python; 0 if all of it is Python. */
static uint32_t wrong_line(struct str text)
{
    struct python_tree tree;
    const struct python_options options = {.top_await = true};
    uint32_t line = python_parse(text, &options, &tree) < 0 ? tree.error.line : 0;

    python_tree_done(&tree);
    return line;
}

/* Replaces the line with this number. False if it has no command, or an unknown one. */
static bool replace_ipython_line(struct buf *text, uint32_t number)
{
    struct str rest = buf_str(text), line = STR("");
    struct ipython_line found;
    AUTO_BUF struct buf made = {0};

    for (uint32_t i = 0; i < number; i++)
        if (!str_next_line(&rest, &line))
            return false;
    if (!read_ipython_line(line, &found))
        return false;
    buf_init(&made, text->limit);
    size_t from = (size_t)(line.p - text->p), end = from + line.n;
    found.last = !str_trim(str_slice(buf_str(text), end, text->n)).n;
    (void)buf_add_str(&made, str_slice(buf_str(text), 0, from));
    (void)buf_add_str(&made, found.indent);
    if (!(found.kind == '!' ? ipython_add_shell(&made, &found, found.command)
                            : ipython_add_line_magic(&made, &found)) ||
        buf_add_str(&made, str_slice(buf_str(text), end, text->n)) < 0)
        return false;
    buf_clear(text);
    return buf_add_str(text, buf_str(&made)) == 0;
}

/* Only a line at which Python parsing fails is replaced: in a string, a '!' is a character. */
static bool replace_ipython_lines(struct buf *code)
{
    bool any = false;

    for (unsigned i = 0; i < LINES_MAX; i++) {
        uint32_t line = wrong_line(buf_str(code));
        if (!line || !replace_ipython_line(code, line))
            break;
        any = true;
    }
    return any;
}

bool ipython_cell_read(struct str cell, struct ipython_cell *ret)
{
    struct str rest = cell, first = STR("");

    *ret = (struct ipython_cell){0};
    buf_init(&ret->code, CODE_MAX);
    if (cell.n > CELL_MAX || !may_have_commands(cell))
        return false;
    while (str_next_line(&rest, &first) && !str_trim(first).n)
        ;
    bool magic = str_starts(first, "%%");
    (void)buf_add_str(&ret->code, magic ? str_slice(cell, 0, (size_t)(first.p - cell.p)) : cell);
    if (magic && !ipython_add_cell_magic(ret, str_trim(str_slice(first, 2, first.n)), rest))
        return false;
    bool replaced = replace_ipython_lines(&ret->code);
    return magic || replaced;
}

void ipython_cell_done(struct ipython_cell *cell)
{
    buf_done(&cell->code);
}
