/* SPDX-License-Identifier: Apache-2.0
 *
 * Text to tokens, as CPython's tokenizer cuts it: the whole text at once, up to its end or to the
 * first thing that is no token. Comments and blank lines leave nothing.
 *
 * `<>` is a NOT_EQUAL: the grammar looks at its text.
 *
 * For 3.11 a formatted string is one STRING. From 3.12 on it is FSTRING_START, pieces of
 * FSTRING_MIDDLE and the tokens of its expressions, FSTRING_END; t-strings (3.14) likewise.
 */
#ifndef PYTHON_LEX_H
#define PYTHON_LEX_H

#include "python/python.h"

/* INDENT, DEDENT and END have no column, as in CPython (-1 there): their start is where the lexer
 * stood. */
#define TOKEN_NO_COLUMN UINT32_MAX

enum token_kind {
#define TOKEN(kind, text) T_##kind,
#include "python/tokens.def"
#undef TOKEN
    T_COUNT,
    T_FIRST_KEYWORD = T_FALSE,
};

struct token {
    uint8_t kind;
    uint8_t quote; /* FSTRING_START and the like: how many quotes; its prefix is in the text */
    bool raw;      /* FSTRING_MIDDLE and the like: backslashes are themselves */
    uint32_t start, end;                         /* bytes in the text */
    uint32_t line, column, end_line, end_column; /* as in struct node */
    struct name *name; /* of a NAME; keywords have one too, strings and operators do not */
};

/* An opened bracket that nothing has closed (or the f-string field that is still open). */
struct open_bracket {
    char bracket;
    uint32_t line, column;
};

struct tokens {
    struct token *at; /* ends with END, unless error is set */
    size_t n;
    /* What stopped the lexer after the last token; kind PYTHON_NO_ERROR when nothing did. It is an
     * error of the program only if the parser gets that far. */
    struct python_error error;
    /* CPython raises it only when the parser gets to that token, not when it looks through the rest
     * of the text for what may better explain another error (bad indentation, `\\`). */
    bool late;
    struct open_bracket *open; /* what was open when the lexer stopped, outermost first */
    size_t open_count;
};

struct lex_options {
    /* For the expressions inside a 3.11 f-string: where its text begins in the file. */
    uint32_t line, column; /* 0, 0: line 1, column 0 */
};

/* Cuts text, whose lines all end in \n and which is followed by a NUL. Names go into tree->names,
 * warnings into tree->warnings; the tokens are freed with tokens_done, not with the tree. */
void lex_text(struct python_tree *tree, struct str text, const struct lex_options *options,
              struct tokens *ret);
void tokens_done(struct tokens *tokens);

extern const char *const token_texts[T_COUNT]; /* "(", "if", "NAME" */

/* ---- what else the parser needs of the text ---- */

/* Bytes to tree->text: byte order mark, `coding:` line, decoding, line ends, NUL. -1 with
 * tree->error. */
int source_read(struct python_tree *tree, struct str bytes);

/* The name for a spelling; identifiers that are not ASCII are normalised first. */
struct name *name_get(struct python_tree *tree, struct str spelling);
/* The same for text known to be normal, such as a literal of ours or a dotted name. */
struct name *name_get_plain(struct python_tree *tree, struct str text);

/* ---- errors ---- */

/* Sets tree->error, unless one is set already; columns in bytes as tokens have them, -1 for none.
 * Always returns -1. */
int python_fail(struct python_tree *tree, enum python_error_kind kind, uint32_t line,
                int32_t column, uint32_t end_line, int32_t end_column, const char *fmt, ...)
    __attribute__((format(printf, 7, 8)));
/* The same as a warning. */
void python_warn(struct python_tree *tree, enum python_error_kind kind, uint32_t line,
                 int32_t column, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* A column in bytes as CPython's `offset` (characters, from 1). */
int32_t python_offset(const struct python_tree *tree, uint32_t line, int32_t column);

#endif
