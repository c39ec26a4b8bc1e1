/* SPDX-License-Identifier: Apache-2.0
 *
 * A case's call as text for people: "add(2, k=3)".
 */
#ifndef JUDGE_CALL_H
#define JUDGE_CALL_H

#include "judge/case.h"
#include "python/python.h"

/* Returns the name of the only function that a program defines at its top level; NULL if there are
 * several or none. The caller frees. */
char *call_only_function(struct str code, struct python_text *text);
/* If this Python program does not contain the first part of `func`, returns advice for the user
 * that lists the functions of its top level: "it defines add, sub; did you mean add?". NULL if the
 * program may define it, or is not Python. The caller frees. */
char *call_missing(const char *func, struct str code, struct python_text *text);
/* True for a name, or a few names with dots between them, of limited length. */
bool call_is_name(struct str text);
/* Returns the call, of limited length. NULL for a whole program, and for a case with arguments if
 * `func` is NULL. The caller frees. */
char *call_text(const struct test_case *c, const char *func);

#endif
