/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads from a program's error stream the error that ended it, in the form that the interpreters
 * print: Python, JavaScript (node), R, bash and sh have readers, other languages patterns. The
 * program controls all of this text.
 */
#ifndef EXPLAIN_EXCEPTION_H
#define EXPLAIN_EXCEPTION_H

#include "base/str.h"
#include "explain/advice_place.h"
#include "python/python.h"
#include "result/result.h"

struct exception_input {
    const char *language;      /* "python", "javascript", ... */
    struct str text;           /* the error stream */
    const char *work;          /* path inside of the user's folder, with a slash at its end */
    const char *program;       /* the program's file name in it; NULL: its text is not read */
    struct str code;           /* the program's text */
    struct advice_place place; /* for the hint */
    int64_t prelude;           /* number of its first lines that are --prelude's, not the user's */
    /* For a language without a reader of its own: the forms of its errors, and of the frames below
     * them (exception_pattern.c); or NULL. */
    const char *const *errors, *const *frames;
    bool first_error; /* the first error counts, as a compiler prints them, not the last */
};

/* Returns the error; NULL if there is none, or if the language has no reader. For a chain, it is
 * the last error, and `cause` is the root. Its line is the innermost in the user's own files; a
 * line in the prelude is used only if there is no other. */
struct result_exception *exception_find(const struct exception_input *in);
/* Returns advice for a shell program with Windows line ends, which the shell takes for parts of
 * words; NULL for any other program. */
const char *exception_line_ends(const char *language, struct str code);
/* Sets `statement`. Parses `text` if that has not been done. */
void exception_find_statement(struct result_exception *e, struct str code,
                              struct python_text *text);
/* Replaces the message by that of the system for which the profile (may be NULL) is made, if that
 * system had its own messages. */
void exception_use_words(struct result_exception *e, const char *profile);
/* Returns that system's exception for a program that took longer than `ms`; NULL if it had none.
 * The caller frees. */
struct result_exception *exception_of_timeout(const char *profile, int64_t ms);

#endif
