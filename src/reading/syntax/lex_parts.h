/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of the lexer. A function that reads a part of the text takes its start and
 * returns its end, or NULL if the lexer stops there, at an error or at the end of the text. A
 * "piece" is the text that CPython's tokenizer holds at one time: a line, with the continued lines
 * after it.
 */
#ifndef SYNTAX_LEX_PARTS_H
#define SYNTAX_LEX_PARTS_H

#include <string.h>

#include "syntax/lex.h"

/* CPython's own limits for brackets, levels of indentation, nested f-strings (the program itself is
 * the outermost level) and fields nested in formats. */
enum { MAX_BRACKETS = 200, MAX_INDENTS = 100, MAX_FORMATS = 150, MAX_FIELDS = 3 };

/* An f-string (or t-string) whose end has not been reached. */
struct format {
    char quote;
    uint8_t quotes; /* 1 or 3 */
    bool raw, template;
    bool in_spec;
    const char *start, *line_start; /* of the string, for errors */
    uint32_t line;
    int braces; /* open brackets in it, including those of its fields */
    int fields; /* open fields, minus one */
};

struct lexer {
    struct python_tree *tree;
    struct tokens *ret;
    const char *text, *end; /* *end is NUL */
    const char *line_start;
    const char *piece_start; /* start of the current piece */
    uint32_t line;
    uint32_t line_base;              /* subtract it from an offset to get the column */
    struct token *at, *full;         /* next free token; end of the allocated tokens */
    bool too_many;                   /* the tokens exceed tree->memory_limit */
    unsigned level, indent, formats; /* how many are open */
    struct open_bracket open[MAX_BRACKETS];
    uint32_t indents[MAX_INDENTS], tabless[MAX_INDENTS]; /* columns, with tabs 8 or 1 wide */
    struct format format[MAX_FORMATS];
};

enum char_class {
    C_OTHER, /* no token starts with it */
    C_END,
    C_SPACE,
    C_NEWLINE,
    C_COMMENT,
    C_BACKSLASH,
    C_QUOTE,
    C_DOT,
    C_OPEN,
    C_CLOSE,
    C_OPERATOR,
    C_COLON,
    C_EXCLAMATION,
    /* Characters that continue a name; the last two are ASCII. */
    C_WIDE, /* a byte of a character that is not ASCII */
    C_NAME,
    C_DIGIT,
};

extern const uint8_t char_class[256];

static inline enum char_class class_of(char c)
{
    return (enum char_class)char_class[(unsigned char)c];
}

static inline bool goes_on(char c)
{
    return class_of(c) >= C_WIDE;
}

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

void lex_more_room(struct lexer *l);

static inline struct token *lex_add(struct lexer *l, enum token_kind kind, const char *start,
                                    const char *end)
{
    uint32_t from = (uint32_t)(start - l->text), to = (uint32_t)(end - l->text);

    if (l->at == l->full)
        lex_more_room(l);
    *l->at = (struct token){
        .kind = (uint8_t)kind,
        .start = from,
        .end = to,
        .line = l->line,
        .column = from - l->line_base,
        .end_line = l->line,
        .end_column = to - l->line_base,
    };
    return l->at++;
}

/* p is the first byte of a line. */
static inline void lex_next_line(struct lexer *l, const char *p)
{
    l->line++;
    l->line_start = p;
    l->line_base = (uint32_t)(p - l->text);
}

static inline const char *lex_line_end(const struct lexer *l, const char *p)
{
    const char *end = memchr(p, '\n', (size_t)(l->end - p));

    return end ? end : l->end;
}

struct margin {
    uint32_t column, tabless;
};

/* Reads a margin that has other characters than spaces, and moves *p past it. False if the lexer
 * stops. */
bool lex_odd_margin(struct lexer *l, const char **p, struct margin *ret);
/* Called at p, where a line begins whose margin differs from that of the previous line. */
const char *lex_margin(struct lexer *l, struct margin m, const char *p);
const char *lex_end(struct lexer *l);
/* Called at a backslash, which must end its line. */
const char *lex_continue(struct lexer *l, const char *p);

enum lex_prefix { PREFIX_NONE, PREFIX_STRING, PREFIX_FORMAT, PREFIX_WRONG };
/* The string prefix (r, b, f, ...) that consists of the characters from start to p. */
enum lex_prefix lex_prefix(struct lexer *l, const char *start, const char *p);

const char *lex_number(struct lexer *l, const char *start);
/* Reads a string that begins at start and whose quotes begin at p. */
const char *lex_string(struct lexer *l, const char *start, const char *p);
const char *lex_format_start(struct lexer *l, const char *start, const char *p);
/* Reads the text of an f-string from p on, up to a field or the string's end. */
const char *lex_format_text(struct lexer *l, const char *p);
char lex_letter(const struct format *f); /* 'f' or 't' */

/* An error at the character before p, in p's line. This and the next two functions return NULL. */
const char *lex_fail(struct lexer *l, const char *p, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* As lex_fail, with the offsets that CPython reports. */
const char *lex_fail_range(struct lexer *l, int32_t offset, int32_t end_offset,
                           const char *message);
/* An error that CPython's tokenizer raises late: it counts when the parser reaches it, but not when
 * the rest of the text is read for a better error (struct tokens, `late`). Offsets are as in struct
 * python_error. */
const char *lex_fail_late(struct lexer *l, enum python_error_kind kind, int32_t offset,
                          int32_t end_offset, const char *message);
/* The number of characters between two positions. */
int32_t lex_count(const char *from, const char *to);

#endif
