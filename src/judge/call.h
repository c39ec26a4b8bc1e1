/* SPDX-License-Identifier: Apache-2.0
 *
 * The call of a case as text for people: "add(2, k=3)".
 */
#ifndef JUDGE_CALL_H
#define JUDGE_CALL_H

#include "judge/case.h"
#include "python/text.h"

/* The name of the only function that a program defines at its top level; NULL when there are
 * several, or none. The caller frees. */
char *call_only_function(struct str code, struct python_text *text);
/* If the first part of `func` stands nowhere in this Python program, advice for the user with the
 * functions that it defines at its top level: "it defines add, sub; did you mean add?". NULL when
 * the program may define it, or is not Python. The caller frees. */
char *call_missing(const char *func, struct str code, struct python_text *text);
/* A name, or a few with points between, of no great length. */
bool call_is_name(struct str text);
/* Of no great length either. NULL of a whole program, and of arguments when `func` is NULL. The
 * caller frees. */
char *call_text(const struct test_case *c, const char *func);

#endif
