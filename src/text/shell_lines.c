/* SPDX-License-Identifier: Apache-2.0 */
#include "text/shell_lines.h"

#include <string.h>

#include "base/mem.h"
#include "python/python.h"
#include "python/variable.h"

enum { CELL_MAX = 64 << 10, LINES_MAX = 100, NAME_MAX_BYTES = 100 };

/* One line: "    files = !ls *.csv". */
struct shell_line {
    struct str indent, name, command; /* name: empty for a command alone */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool installs(struct str command)
{
    static const char *const installers[] = {"pip ", "pip3 ", "conda ", "apt", "python -m pip"};

    for (size_t i = 0; i < ARRAY_LEN(installers); i++)
        if (str_starts(command, installers[i]))
            return true;
    return false;
}

static bool read_line(struct str line, struct shell_line *ret)
{
    size_t indent = 0;

    while (indent < line.n && is_blank(line.p[indent]))
        indent++;
    ret->indent = str_slice(line, 0, indent);
    ret->name = STR("");
    struct str rest = str_slice(line, indent, line.n);
    long equals = str_find(rest, STR("="));
    if (!str_starts(rest, "!") && equals > 0) {
        ret->name = str_trim(str_slice(rest, 0, (size_t)equals));
        rest = str_trim(str_slice(rest, (size_t)equals + 1, rest.n));
        if (!python_is_variable(ret->name))
            return false;
    }
    if (!str_starts(rest, "!"))
        return false;
    ret->command = str_trim(str_slice(rest, 1, rest.n));
    return ret->command.n && ret->command.p[0] != '=' && !installs(ret->command);
}

/* ---- the command as a Python expression ---- */

static void add_literal(struct buf *b, struct str text)
{
    (void)buf_addc(b, '"');
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c == '"' || c == '\\')
            (void)buf_addf(b, "\\%c", c);
        else if (c < ' ')
            (void)buf_addf(b, "\\x%02x", c);
        else
            (void)buf_addc(b, (char)c);
    }
    (void)buf_addc(b, '"');
}

/* The length of "{name}" or "$name" at the text's beginning; 0 for anything else. */
static size_t variable_at(struct str text, struct str *ret_name)
{
    bool braces = text.p[0] == '{';
    size_t n = 1;

    if (!braces && text.p[0] != '$')
        return 0;
    while (n < text.n && n < NAME_MAX_BYTES && is_word(text.p[n]))
        n++;
    *ret_name = str_slice(text, 1, n);
    if (!python_is_variable(*ret_name) || (braces && (n == text.n || text.p[n] != '}')))
        return 0;
    return n + braces;
}

static void add_command(struct buf *b, struct str command)
{
    size_t from = 0, n;

    for (size_t i = 0; i < command.n; i += n) {
        struct str name, rest = str_slice(command, i, command.n);
        size_t length = variable_at(rest, &name);
        n = length ? length : 1;
        if (!length || (i && command.p[i - 1] == '$'))
            continue;
        add_literal(b, str_slice(command, from, i));
        (void)buf_addf(b, " + str(globals().get(\"%.*s\", ", (int)name.n, name.p);
        add_literal(b, str_slice(rest, 0, length));
        (void)buf_adds(b, ")) + ");
        from = i + length;
    }
    add_literal(b, str_slice(command, from, command.n));
}

#define RUN "__import__(\"subprocess\").run("

/* What was printed before the command appears before its output. */
static void add_line(struct buf *b, const struct shell_line *line)
{
    bool captures = line->name.n > 0;

    (void)buf_add_str(b, line->indent);
    if (captures)
        (void)buf_addf(b, "%.*s = " RUN, (int)line->name.n, line->name.p);
    else
        (void)buf_adds(b, "__import__(\"sys\").stdout.flush(); _exit_code = " RUN);
    add_command(b, line->command);
    (void)buf_adds(b, captures ? ", shell=True, stdout=-1, stderr=-2, text=True, "
                                 "errors=\"replace\").stdout.splitlines()"
                               : ", shell=True).returncode");
}

/* ---- the cell ---- */

/* The number of the line where the text stops being Python; 0 if it is Python. */
static uint32_t wrong_line(struct str text)
{
    struct python_tree tree;
    const struct python_options options = {.top_await = true};
    uint32_t line = python_parse(text, &options, &tree) < 0 ? tree.error.line : 0;

    python_tree_done(&tree);
    return line;
}

/* Replaces the line with this number. False if it is no shell command. */
static bool replace(struct buf *text, uint32_t number)
{
    struct str rest = buf_str(text), line = STR("");
    struct shell_line shell;
    AUTO_BUF struct buf made = {0};

    for (uint32_t i = 0; i < number; i++)
        if (!str_next_line(&rest, &line))
            return false;
    if (!read_line(line, &shell))
        return false;
    buf_init(&made, text->limit);
    size_t from = (size_t)(line.p - text->p);
    (void)buf_add_str(&made, str_slice(buf_str(text), 0, from));
    add_line(&made, &shell);
    if (buf_add_str(&made, str_slice(buf_str(text), from + line.n, text->n)) < 0)
        return false;
    buf_clear(text);
    return buf_add_str(text, buf_str(&made)) == 0;
}

/* Only a line at which Python stops is looked at: in a string, a '!' is a character. */
bool shell_lines(struct str cell, struct buf *ret)
{
    uint32_t line, done = 0;

    buf_init(ret, 4 * CELL_MAX);
    if (!cell.n || cell.n > CELL_MAX || !memchr(cell.p, '!', cell.n) || buf_add_str(ret, cell) < 0)
        return false;
    for (unsigned i = 0; i < LINES_MAX && (line = wrong_line(buf_str(ret))) > done; i++) {
        if (!replace(ret, line))
            return false;
        done = line;
    }
    return done && !wrong_line(buf_str(ret));
}
