/* SPDX-License-Identifier: Apache-2.0
 *
 * Frees a tree, and stores its errors and warnings. All readers of the text call this file, so it
 * calls none of them.
 */
#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "syntax/lex.h"

void python_tree_done(struct python_tree *tree)
{
    arena_done(&tree->arena);
    *tree = (struct python_tree){0};
}

const char *python_error_name(enum python_error_kind kind)
{
    static const char *const names[] = {
        [PYTHON_NO_ERROR] = "",
        [PYTHON_SYNTAX_ERROR] = "SyntaxError",
        [PYTHON_INDENTATION_ERROR] = "IndentationError",
        [PYTHON_TAB_ERROR] = "TabError",
        [PYTHON_VALUE_ERROR] = "ValueError",
        [PYTHON_UNICODE_ERROR] = "SyntaxError",
        [PYTHON_RECURSION_ERROR] = "RecursionError",
        [PYTHON_MEMORY_ERROR] = "MemoryError",
        [PYTHON_SYNTAX_WARNING] = "SyntaxWarning",
        [PYTHON_DEPRECATION_WARNING] = "DeprecationWarning",
    };

    return names[kind];
}

struct str python_line(const struct python_tree *tree, uint32_t n)
{
    struct str rest = tree->text, line = {"", 0};

    for (uint32_t i = 0; i < n; i++)
        if (!rest.n || !str_next(&rest, '\n', &line))
            return (struct str){"", 0};
    return line;
}

int32_t python_offset(const struct python_tree *tree, uint32_t line, int32_t column)
{
    if (column < 0)
        return 0;
    struct str text = python_line(tree, line);
    /* CPython counts the line end as a character, and nothing after it. */
    if ((size_t)column > text.n)
        return (int32_t)utf8_count(text) + 2;
    return (int32_t)utf8_count(str_slice(text, 0, (size_t)column)) + 1;
}

__attribute__((format(printf, 2, 0))) static const char *format(struct python_tree *tree,
                                                                const char *fmt, va_list ap)
{
    AUTO_FREE char *text = xvasprintf(fmt, ap);

    return arena_str(&tree->arena, str_from(text)).p;
}

/* NOLINTNEXTLINE(readability-function-size): a location is four numbers */
int python_fail(struct python_tree *tree, enum python_error_kind kind, uint32_t line,
                int32_t column, uint32_t end_line, int32_t end_column, const char *fmt, ...)
{
    va_list ap;

    if (tree->error.kind != PYTHON_NO_ERROR)
        return -1;
    va_start(ap, fmt);
    tree->error = (struct python_error){
        .kind = kind,
        .line = line,
        .end_line = end_line,
        .column = python_offset(tree, line, column),
        .end_column = python_offset(tree, end_line, end_column),
        .message = format(tree, fmt, ap),
    };
    va_end(ap);
    return -1;
}

void python_warn(struct python_tree *tree, enum python_error_kind kind, uint32_t line,
                 int32_t column, const char *fmt, ...)
{
    struct python_warnings *w = &tree->warnings;
    va_list ap;

    if (w->n == w->room) {
        size_t room = w->room ? w->room * 2 : 8;
        struct python_error *at = arena_alloc(&tree->arena, room * sizeof *at);
        if (w->n)
            memcpy(at, w->at, w->n * sizeof *at);
        w->at = at;
        w->room = room;
    }
    va_start(ap, fmt);
    w->at[w->n++] = (struct python_error){
        .kind = kind,
        .line = line,
        .column = python_offset(tree, line, column),
        .message = format(tree, fmt, ap),
    };
    va_end(ap);
}
