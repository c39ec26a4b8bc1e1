/* SPDX-License-Identifier: Apache-2.0
 *
 * Cuts a text into tokens like CPython's tokenizer: the whole text at once, up to its end or to the
 * first error. Comments and blank lines make no tokens.
 *
 * `<>` is a NOT_EQUAL token, like `!=`: the grammar checks its text.
 *
 * For 3.11 a formatted string is one STRING. From 3.12 on it is FSTRING_START, then FSTRING_MIDDLEs
 * and the tokens of its expressions, then FSTRING_END. It is the same with t-strings (3.14).
 */
#ifndef SYNTAX_LEX_H
#define SYNTAX_LEX_H

#include "syntax/source.h"

/* INDENT, DEDENT and END have no column (CPython has -1 there); their `start` is the lexer's
 * position when it made them. */
#define TOKEN_NO_COLUMN UINT32_MAX

enum token_kind {
#define TOKEN(kind, text) T_##kind,
#include "syntax/tokens.def"
#undef TOKEN
    T_COUNT,
    T_FIRST_KEYWORD = T_FALSE,
};

struct token {
    uint8_t kind;
    uint8_t quote; /* FSTRING_START and the like: the number of quotes; the prefix is in the text */
    bool raw;      /* FSTRING_MIDDLE and the like: a backslash escapes nothing */
    uint32_t start, end;                         /* bytes in the text */
    uint32_t line, column, end_line, end_column; /* as in struct node */
    struct name *name; /* of a NAME or keyword; NULL for strings and operators */
};

/* A bracket that has not been closed (or the f-string field that is still open). */
struct open_bracket {
    char bracket;
    uint32_t line, column;
};

struct tokens {
    struct token *at; /* ends with END, unless error is set */
    size_t n;
    /* The error that stopped the lexer after the last token; PYTHON_NO_ERROR if there is none. It
     * counts as an error of the program only if the parser reaches that position. */
    struct python_error error;
    /* CPython raises this error (bad indentation, `\\`) only when the parser reaches that token. It
     * does not raise it when, after another error, it reads the rest of the text for a better
     * explanation. */
    bool late;
    /* the brackets that were open when the lexer stopped, outermost first */
    struct open_bracket *open;
    size_t open_count;
};

struct lex_options {
    /* For the expressions inside a 3.11 f-string: the location of their text in the file. */
    uint32_t line, column; /* 0, 0: line 1, column 0 */
};

/* Cuts a text into tokens. Each of its lines ends in \n, and a NUL follows it. Names go into
 * tree->names, warnings into tree->warnings; free the tokens with tokens_done; the tree does not
 * own them. */
void lex_text(struct python_tree *tree, struct str text, const struct lex_options *options,
              struct tokens *ret);
void tokens_done(struct tokens *tokens);

extern const char *const token_texts[T_COUNT]; /* "(", "if", "NAME" */

/* ---- further functions on the text that the parser needs ---- */

/* Converts bytes to tree->text: handles the byte order mark, the `coding:` line, decoding, line
 * ends and NUL. -1 with tree->error. */
int source_read(struct python_tree *tree, struct str bytes);

/* The name with this spelling. Identifiers that are not ASCII are normalised first. */
struct name *name_get(struct python_tree *tree, struct str spelling);
/* As name_get, for text that needs no normalising, such as our own literals or a dotted name. */
struct name *name_get_plain(struct python_tree *tree, struct str text);

/* ---- errors ---- */

/* Sets tree->error, unless it is already set. Columns are in bytes, like those of tokens; -1 for
 * none. Always returns -1. */
int python_fail(struct python_tree *tree, enum python_error_kind kind, uint32_t line,
                int32_t column, uint32_t end_line, int32_t end_column, const char *fmt, ...)
    __attribute__((format(printf, 7, 8)));
/* Adds a warning; parameters as in python_fail. */
void python_warn(struct python_tree *tree, enum python_error_kind kind, uint32_t line,
                 int32_t column, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Converts a column in bytes to CPython's `offset` (in characters, from 1). */
int32_t python_offset(const struct python_tree *tree, uint32_t line, int32_t column);

#endif
