/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands of the shell, and texts with variables in them, as expressions of Python.
 */
#include "base/ascii.h"
#include "languages/ipython_parts.h"
#include "python/python.h"

enum { NAME_MAX_BYTES = 100 };

static bool installs(struct str command)
{
    static const char *const installers[] = {"pip ",          "pip3 ",          "conda ", "apt",
                                             "python -m pip", "python3 -m pip", "uv ",    NULL};

    return str_starts_one_of(command, installers);
}

/* ---- the command as a Python expression ---- */

void ipython_add_literal(struct buf *b, struct str text)
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

/* The length of a "{name}" or "$name" at the start of the text, otherwise 0. */
static size_t variable_at(struct str text, struct str *ret_name)
{
    bool braces = text.p[0] == '{';
    size_t n = 1;

    if (!braces && text.p[0] != '$')
        return 0;
    while (n < text.n && n < NAME_MAX_BYTES && ascii_is_word(text.p[n]))
        n++;
    *ret_name = str_slice(text, 1, n);
    if (!python_is_variable(*ret_name) || (braces && (n == text.n || text.p[n] != '}')))
        return 0;
    return n + braces;
}

void ipython_add_text(struct buf *b, struct str text)
{
    size_t from = 0, n;

    for (size_t i = 0; i < text.n; i += n) {
        struct str name, rest = str_slice(text, i, text.n);
        size_t length = variable_at(rest, &name);
        n = length ? length : 1;
        if (!length || (i && text.p[i - 1] == '$'))
            continue;
        ipython_add_literal(b, str_slice(text, from, i));
        (void)buf_addf(b, " + str(globals().get(\"%.*s\", ", (int)name.n, name.p);
        ipython_add_literal(b, str_slice(rest, 0, length));
        (void)buf_adds(b, ")) + ");
        from = i + length;
    }
    ipython_add_literal(b, str_slice(text, from, text.n));
}

#define RUN "__import__(\"subprocess\").run("

/* Text that was printed before the command must appear before its output. */
bool ipython_add_shell(struct buf *b, const struct ipython_line *line, struct str command)
{
    bool captures = line->name.n > 0;

    if (!command.n || command.p[0] == '=' || installs(command))
        return false;
    if (captures)
        (void)buf_addf(b, "%.*s = " RUN, (int)line->name.n, line->name.p);
    else
        (void)buf_adds(b, "__import__(\"sys\").stdout.flush(); _exit_code = " RUN);
    ipython_add_text(b, command);
    (void)buf_adds(b, captures ? ", shell=True, stdout=-1, stderr=-2, text=True, "
                                 "errors=\"replace\").stdout.splitlines()"
                               : ", shell=True).returncode");
    return true;
}
