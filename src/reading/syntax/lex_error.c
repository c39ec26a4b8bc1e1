/* SPDX-License-Identifier: Apache-2.0
 *
 * The errors of the lexer, with CPython's messages and locations.
 */
#include <stdarg.h>

#include "base/mem.h"
#include "syntax/lex_parts.h"

int32_t lex_count(const char *from, const char *to)
{
    int32_t n = 0;

    for (; from < to; from++)
        n += (*from & 0xC0) != 0x80;
    return n;
}

static void lex_error_set(struct lexer *l, enum python_error_kind kind, int32_t offset,
                          int32_t end_offset, const char *message)
{
    l->ret->error = (struct python_error){
        .kind = kind,
        .line = l->line,
        .end_line = l->line,
        .column = offset,
        .end_column = end_offset,
        .message = message,
    };
}

const char *lex_fail(struct lexer *l, const char *p, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    AUTO_FREE char *message = xvasprintf(fmt, ap);
    va_end(ap);
    int32_t offset = lex_count(l->line_start, p);
    lex_error_set(l, PYTHON_SYNTAX_ERROR, offset, offset,
                  arena_str(&l->tree->arena, str_from(message)).p);
    l->ret->error.bare = true;
    return NULL;
}

const char *lex_fail_range(struct lexer *l, int32_t offset, int32_t end_offset, const char *message)
{
    lex_error_set(l, PYTHON_SYNTAX_ERROR, offset, end_offset, message);
    l->ret->error.bare = true;
    return NULL;
}

const char *lex_fail_late(struct lexer *l, enum python_error_kind kind, int32_t offset,
                          int32_t end_offset, const char *message)
{
    lex_error_set(l, kind, offset, end_offset, message);
    l->ret->late = true;
    return NULL;
}
