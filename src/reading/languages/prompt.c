/* SPDX-License-Identifier: Apache-2.0 */
#include "languages/prompt.h"

#include <string.h>

#include "base/mem.h"
#include "python/python.h"

static struct str last_line(struct str text)
{
    const char *end = text.n ? memrchr(text.p, '\n', text.n) : NULL;

    return end ? str_slice(text, (size_t)(end - text.p) + 1, text.n) : text;
}

static bool is_indented(struct str line)
{
    return line.n && (line.p[0] == ' ' || line.p[0] == '\t');
}

/* True for errors that more lines can correct, recognised by CPython's messages. */
static bool is_open(const char *message, bool blank)
{
    static const char *const always[] = {"was never closed", "unterminated triple-quoted",
                                         "unexpected EOF"};
    static const char *const until_blank[] = {"expected an indented block",
                                              "expected 'except' or 'finally' block"};

    for (size_t i = 0; i < ARRAY_LEN(always); i++)
        if (strstr(message, always[i]))
            return true;
    for (size_t i = 0; i < ARRAY_LEN(until_blank) && !blank; i++)
        if (strstr(message, until_blank[i]))
            return true;
    return false;
}

/* Like CPython's own prompt: an empty line ends a block. */
bool prompt_continues_python(struct str text)
{
    struct python_tree tree;
    struct python_options options = {.top_await = true};
    struct str line = last_line(text);
    bool blank = !str_trim(line).n, lines = line.n < text.n;
    bool parsed = python_parse(text, &options, &tree) == 0;
    bool open = !parsed && tree.error.message && is_open(tree.error.message, blank && lines);

    python_tree_done(&tree);
    if (str_starts(text, "%%")) /* a cell magic of IPython, with any text after its line */
        return !blank || !lines;
    if (open || (str_ends(str_trim(line), "\\") && !blank))
        return true;
    if (blank)
        return false;
    return parsed ? lines && is_indented(line) : str_starts(line, "@");
}

/* True if brackets are open. This is approximate: brackets in quotes count as well. */
static bool brackets_open(struct str text)
{
    long depth = 0;

    for (size_t i = 0; i < text.n; i++) {
        depth += text.p[i] == '{' || text.p[i] == '(' || text.p[i] == '[';
        depth -= text.p[i] == '}' || text.p[i] == ')' || text.p[i] == ']';
    }
    return depth > 0;
}

static bool opens_block(struct str line)
{
    static const char *const ends[] = {"do", "then", "else", "\\"};

    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (str_ends(line, ends[i]))
            return true;
    return false;
}

bool prompt_continues_other(struct str text)
{
    struct str line = str_trim(last_line(text));

    return line.n && (brackets_open(text) || opens_block(line));
}
