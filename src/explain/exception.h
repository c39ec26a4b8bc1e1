/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds in a program's error stream the error that ended it, in the form that the interpreters
 * print: Python, JavaScript (node), R, bash and sh. The program controls all of this text.
 */
#ifndef EXPLAIN_EXCEPTION_H
#define EXPLAIN_EXCEPTION_H

#include "base/str.h"
#include "python/text.h"
#include "result/result.h"

struct exception_input {
    const char *language; /* "python", "javascript", ... */
    struct str text;      /* the error stream */
    const char *work;     /* the folder of the user's own files inside, with a slash at its end */
    const char *program;  /* the program's file name there; NULL: its text is not read */
    struct str code;      /* its text */
    int64_t prelude;      /* its first lines, which are not the user's but --prelude's */
};

/* NULL when there is no error, or when the language has no reader. For a chain, it is the last
 * error of it, and `cause` the root. The place is the innermost in the user's own files, and one in
 * the prelude only if there is no other. */
struct result_exception *exception_find(const struct exception_input *in);
/* Advice for a shell's text with the line ends of Windows, which it takes for parts of words; NULL
 * for any other text. */
const char *exception_line_ends(const char *language, struct str code);
/* Sets `statement`. `text` is parsed then, if it has not been. */
void exception_find_statement(struct result_exception *e, struct str code,
                              struct python_text *text);
/* Replaces the text with the words of the system that the profile (may be NULL) stands in for, if
 * that system had its own. */
void exception_use_words(struct result_exception *e, const char *profile);
/* That system's exception for a program that took longer than `ms`; NULL if it had none. The caller
 * frees. */
struct result_exception *exception_of_timeout(const char *profile, int64_t ms);

#endif
