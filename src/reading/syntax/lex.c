/* SPDX-License-Identifier: Apache-2.0
 *
 * One loop over the text. A token's first byte decides which function reads it. Names, operators
 * and line ends, which are nearly all tokens, are read here; the rest in lex_*.c.
 *
 * lex_format_text() reads an f-string between its fields, and this loop reads inside them. At the
 * bracket or colon that ends a field's expression, the loop calls lex_format_text() again.
 */
#include "syntax/lex.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "syntax/lex_parts.h"
#include "syntax/name.h"
#include "syntax/unicode.h"

const char *const token_texts[T_COUNT] = {
#define TOKEN(kind, text) [T_##kind] = (text),
#include "syntax/tokens.def"
#undef TOKEN
};

/* clang-format off */
const uint8_t char_class[256] = {
    ['\0'] = C_END,
    [' '] = C_SPACE, ['\t'] = C_SPACE, ['\f'] = C_SPACE,
    ['\n'] = C_NEWLINE, ['#'] = C_COMMENT, ['\\'] = C_BACKSLASH,
    ['a' ... 'z'] = C_NAME, ['A' ... 'Z'] = C_NAME, ['_'] = C_NAME, [0x80 ... 0xFF] = C_WIDE,
    ['0' ... '9'] = C_DIGIT, ['.'] = C_DOT, ['\''] = C_QUOTE, ['"'] = C_QUOTE,
    ['('] = C_OPEN, ['['] = C_OPEN, ['{'] = C_OPEN, [')'] = C_CLOSE, [']'] = C_CLOSE, ['}'] = C_CLOSE,
    [','] = C_OPERATOR, [';'] = C_OPERATOR, ['+'] = C_OPERATOR, ['-'] = C_OPERATOR,
    ['*'] = C_OPERATOR, ['/'] = C_OPERATOR, ['|'] = C_OPERATOR, ['&'] = C_OPERATOR,
    ['<'] = C_OPERATOR, ['>'] = C_OPERATOR, ['='] = C_OPERATOR, ['%'] = C_OPERATOR,
    ['~'] = C_OPERATOR, ['^'] = C_OPERATOR, ['@'] = C_OPERATOR,
    [':'] = C_COLON, ['!'] = C_EXCLAMATION,
};

/* Tables of operators: one character; with `=` after it; doubled; doubled with `=` after it. The
 * only other operators of more than one character are -> <> and the three dots. */
static const uint8_t alone[128] = {
    ['('] = T_LPAR, [')'] = T_RPAR, ['['] = T_LSQB, [']'] = T_RSQB, ['{'] = T_LBRACE,
    ['}'] = T_RBRACE, [','] = T_COMMA, [';'] = T_SEMI, ['~'] = T_TILDE, ['+'] = T_PLUS,
    ['-'] = T_MINUS, ['*'] = T_STAR, ['/'] = T_SLASH, ['|'] = T_VBAR, ['&'] = T_AMPER,
    ['^'] = T_CIRCUMFLEX, ['%'] = T_PERCENT, ['@'] = T_AT, ['='] = T_EQUAL, ['<'] = T_LESS,
    ['>'] = T_GREATER, [':'] = T_COLON, ['!'] = T_EXCLAMATION,
};
static const uint8_t before_equal[128] = {
    ['+'] = T_PLUS_EQUAL, ['-'] = T_MIN_EQUAL, ['*'] = T_STAR_EQUAL, ['/'] = T_SLASH_EQUAL,
    ['|'] = T_VBAR_EQUAL, ['&'] = T_AMPER_EQUAL, ['^'] = T_CIRCUMFLEX_EQUAL,
    ['%'] = T_PERCENT_EQUAL, ['@'] = T_AT_EQUAL, ['='] = T_EQ_EQUAL, ['<'] = T_LESS_EQUAL,
    ['>'] = T_GREATER_EQUAL, [':'] = T_COLON_EQUAL, ['!'] = T_NOT_EQUAL,
};
static const uint8_t twice[128] = {
    ['*'] = T_DOUBLE_STAR, ['/'] = T_DOUBLE_SLASH, ['<'] = T_LEFT_SHIFT, ['>'] = T_RIGHT_SHIFT,
};
static const uint8_t twice_before_equal[128] = {
    ['*'] = T_DOUBLE_STAR_EQUAL, ['/'] = T_DOUBLE_SLASH_EQUAL, ['<'] = T_LEFT_SHIFT_EQUAL,
    ['>'] = T_RIGHT_SHIFT_EQUAL,
};
/* clang-format on */

/* Past the memory limit, each token overwrites the last one until lex_all() notices. */
void lex_more_room(struct lexer *l)
{
    size_t used = (size_t)(l->at - l->ret->at);
    size_t room = used ? used * 2 : (size_t)(l->end - l->text) / 4 + 64;
    size_t limit = l->tree->memory_limit ? l->tree->memory_limit : PYTHON_MEMORY;
    size_t most = limit / 2 / sizeof *l->at + 1;

    l->too_many = used >= most;
    if (l->too_many) {
        l->at--;
        return;
    }
    if (room > most)
        room = most;
    l->ret->at = xrealloc_array(l->ret->at, room, sizeof *l->at);
    l->at = l->ret->at + used;
    l->full = l->ret->at + room;
}

/* ---- where lines begin ---- */

/* Reads up to the first token of the line that begins at p, or of the next line that has one. */
static inline const char *begin_line(struct lexer *l, const char *p)
{
    for (;;) {
        l->piece_start = p;
        while (*p == ' ')
            p++;
        struct margin m = {(uint32_t)(p - l->line_start), (uint32_t)(p - l->line_start)};
        if (*p == '\t' || *p == '\f' || *p == '\\') {
            p = l->line_start;
            if (!lex_odd_margin(l, &p, &m))
                return NULL;
        }
        if (*p == '#')
            p = lex_line_end(l, p);
        if (*p == '\n') {
            lex_next_line(l, ++p);
            continue;
        }
        if (p == l->end)
            return lex_end(l);
        if (l->level || (m.column == l->indents[l->indent] && m.tabless == l->tabless[l->indent]))
            return p;
        return lex_margin(l, m, p);
    }
}

/* Called at a \n. `start` is that position, or the beginning of the comment before it. */
static inline const char *newline(struct lexer *l, const char *start, const char *p)
{
    if (!l->level) {
        struct token *t = lex_add(l, T_NEWLINE, start, p);
        t->end_column += l->tree->target >= 12; /* from 3.12 on the token includes the \n */
    }
    lex_next_line(l, ++p);
    return begin_line(l, p);
}

/* ---- names ---- */

static const char *bad_character(struct lexer *l, const char *p, const char *after, uint32_t code)
{
    if (unicode_is_printable(code, l->tree->target))
        return lex_fail(l, after, "invalid character '%.*s' (U+%04X)", (int)(after - p), p,
                        (unsigned)code);
    return lex_fail(l, after, "invalid non-printable character U+%04X", (unsigned)code);
}

/* Reads a name with characters that are not ASCII. An invalid character stops the lexer. */
static const char *wide_name(struct lexer *l, const char *start, const char *p)
{
    while (goes_on(*p))
        p++;
    struct str text = {start, (size_t)(p - start)};
    for (size_t at = 0; at < text.n;) {
        size_t from = at;
        uint32_t code = unicode_next(text, &at);
        if (!(from == 0 ? unicode_is_identifier_start(code, l->tree->target)
                        : unicode_is_identifier_part(code, l->tree->target)))
            return bad_character(l, start + from, start + at, code);
    }
    struct token *t = lex_add(l, T_NAME, start, p);
    t->name = name_get(l->tree, text);
    return p;
}

static inline const char *name(struct lexer *l, const char *start)
{
    const char *p = start + 1;
    enum char_class class;

    while ((class = class_of(*p)) >= C_NAME)
        p++;
    if (class == C_WIDE)
        return wide_name(l, start, p);
    if (class == C_QUOTE) {
        switch (lex_prefix(l, start, p)) {
        case PREFIX_NONE:
            break;
        case PREFIX_STRING:
            return lex_string(l, start, p);
        case PREFIX_FORMAT:
            return lex_format_start(l, start, p);
        case PREFIX_WRONG:
            return NULL;
        }
    }
    struct token *t = lex_add(l, T_NAME, start, p);
    const struct name_slot *slot = names_find(l->tree, start, (size_t)(p - start), l->end);
    t->kind = slot->kind;
    t->name = slot->name;
    return p;
}

/* ---- operators ---- */

static inline const char *operator(struct lexer *l, const char *p)
{
    unsigned char c = (unsigned char)p[0];
    unsigned kind = alone[c];
    int n = 1;

    if (p[1] == '=' && before_equal[c]) {
        kind = before_equal[c], n = 2;
    } else if (p[1] == p[0] && twice[c]) {
        n = p[2] == '=' ? 3 : 2;
        kind = n == 3 ? twice_before_equal[c] : twice[c];
    } else if (p[1] == '>' && (c == '-' || c == '<')) {
        kind = c == '-' ? T_ARROW : T_NOT_EQUAL, n = 2;
    }
    lex_add(l, (enum token_kind)kind, p, p + n);
    return p + n;
}

static const char *dot(struct lexer *l, const char *p)
{
    if (is_digit(p[1]))
        return lex_number(l, p);
    int n = p[1] == '.' && p[2] == '.' ? 3 : 1;
    lex_add(l, n == 3 ? T_ELLIPSIS : T_DOT, p, p + n);
    return p + n;
}

static const char *other(struct lexer *l, const char *p)
{
    unsigned code = (unsigned char)*p;

    if (code < ' ' || code == 0x7F)
        return lex_fail(l, p + 1, "invalid non-printable character U+%04X", code);
    lex_add(l, T_OP, p, p + 1);
    return p + 1;
}

static inline const char *open_bracket(struct lexer *l, const char *p)
{
    if (l->level >= MAX_BRACKETS)
        return lex_fail(l, p + 1, "too many nested parentheses");
    struct token *t = lex_add(l, (enum token_kind)alone[(unsigned char)*p], p, p + 1);
    l->open[l->level++] = (struct open_bracket){*p, l->line, t->column};
    if (l->formats)
        l->format[l->formats - 1].braces++;
    return p + 1;
}

/* True if the bracket closes `open`: in ASCII, ) follows (, and ] and } come two after [ and {. */
static inline bool closes(char open, char close)
{
    return close - open == 1 + (open != '(');
}

static const char *wrong_close(struct lexer *l, const char *p, const struct open_bracket *open)
{
    const struct format *f = l->formats ? &l->format[l->formats - 1] : NULL;

    if (f && open->bracket == '{' && f->braces - 1 == f->fields)
        return lex_fail(l, p + 1, "%c-string: unmatched '%c'", lex_letter(f), *p);
    if (open->line != l->line)
        return lex_fail(l, p + 1,
                        "closing parenthesis '%c' does not match opening parenthesis '%c' on "
                        "line %u",
                        *p, open->bracket, open->line);
    return lex_fail(l, p + 1, "closing parenthesis '%c' does not match opening parenthesis '%c'",
                    *p, open->bracket);
}

/* Reads a closing bracket inside an f-string: `}` may end the field. */
static const char *format_close(struct lexer *l, const char *p)
{
    struct format *f = &l->format[l->formats - 1];

    f->braces--;
    if (f->braces < 0)
        return lex_fail(l, p + 1, "%c-string: unmatched '%c'", lex_letter(f), *p);
    lex_add(l, (enum token_kind)alone[(unsigned char)*p], p, p + 1);
    if (*p != '}' || f->braces != f->fields)
        return p + 1;
    f->fields--;
    f->in_spec &= l->tree->target < 13;
    return lex_format_text(l, p + 1);
}

static inline const char *close_bracket(struct lexer *l, const char *p)
{
    if (l->formats && !l->format[l->formats - 1].braces && *p == '}')
        return lex_fail(l, p + 1, "%c-string: single '}' is not allowed",
                        lex_letter(&l->format[l->formats - 1]));
    if (!l->level)
        return lex_fail(l, p + 1, "unmatched '%c'", *p);
    l->level--;
    if (!closes(l->open[l->level].bracket, *p))
        return wrong_close(l, p, &l->open[l->level]);
    if (l->formats)
        return format_close(l, p);
    lex_add(l, (enum token_kind)alone[(unsigned char)*p], p, p + 1);
    return p + 1;
}

static inline const char *colon(struct lexer *l, const char *p)
{
    struct format *f = l->formats ? &l->format[l->formats - 1] : NULL;

    if (!f || f->fields < 0 || f->braces - 1 != f->fields)
        return operator(l, p);
    f->in_spec = true;
    lex_add(l, T_COLON, p, p + 1);
    return lex_format_text(l, p + 1);
}

static const char *exclamation(struct lexer *l, const char *p)
{
    if (p[1] != '=' && l->tree->target < 12)
        return other(l, p);
    return operator(l, p);
}

/* ---- the loop ---- */

static const char *token(struct lexer *l, const char *p)
{
    const char *end;

    switch (class_of(*p)) {
    case C_SPACE:
        return p + 1;
    case C_NAME:
        return name(l, p);
    case C_OPERATOR:
        return operator(l, p);
    case C_OPEN:
        return open_bracket(l, p);
    case C_CLOSE:
        return close_bracket(l, p);
    case C_NEWLINE:
        return newline(l, p, p);
    case C_DOT:
        return dot(l, p);
    case C_COLON:
        return colon(l, p);
    case C_QUOTE:
        return lex_string(l, p, p);
    case C_DIGIT:
        return lex_number(l, p);
    case C_COMMENT:
        end = lex_line_end(l, p);
        return end == l->end ? end : newline(l, p, end);
    case C_WIDE:
        return wide_name(l, p, p);
    case C_BACKSLASH:
        return lex_continue(l, p);
    case C_EXCLAMATION:
        return exclamation(l, p);
    case C_END:
        return p == l->end ? lex_end(l) : other(l, p);
    case C_OTHER:
        break;
    }
    return other(l, p);
}

static void lex_all(struct lexer *l)
{
    const char *p = begin_line(l, l->text);

    while (p && !l->too_many)
        p = token(l, p + (*p == ' ')); /* (most tokens are separated by one space) */
    if (l->too_many)
        (void)lex_fail_late(l, PYTHON_MEMORY_ERROR, 0, 0, "the text has too many tokens");
}

void lex_text(struct python_tree *tree, struct str text, const struct lex_options *options,
              struct tokens *ret)
{
    struct lexer *l = xmalloc(sizeof *l);

    *ret = (struct tokens){0};
    l->tree = tree;
    l->ret = ret;
    l->text = l->line_start = l->piece_start = text.p;
    l->end = text.p + text.n;
    l->line = options && options->line ? options->line : 1;
    l->line_base = options ? 0u - options->column : 0;
    l->at = l->full = NULL;
    l->too_many = false;
    l->level = l->indent = l->formats = 0;
    l->indents[0] = l->tabless[0] = 0;
    names_start(tree, text.n);
    lex_all(l);
    ret->n = (size_t)(l->at - ret->at);
    ret->open_count = l->level;
    if (l->level) {
        ret->open = xrealloc_array(NULL, l->level, sizeof *ret->open);
        memcpy(ret->open, l->open, l->level * sizeof *ret->open);
    }
    free(l);
}

void tokens_done(struct tokens *tokens)
{
    free(tokens->at);
    free(tokens->open);
    *tokens = (struct tokens){0};
}
