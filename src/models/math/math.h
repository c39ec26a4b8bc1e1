/* SPDX-License-Identifier: Apache-2.0
 *
 * Arithmetic for a model: one expression of numbers and Python's math module, and nothing more
 * powerful. Its tree is checked for what it may contain, and a bound on its whole numbers is
 * computed before anything is evaluated. Python evaluates it, in the jail.
 */
#ifndef MATH_MATH_H
#define MATH_MATH_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "request/request.h"
#include "run/run.h"

enum { MATH_MAX_TEXT = 10000 };

/* 0; or -1 with ERR_USAGE when the string is not an expression, ERR_POLICY when the expression is
 * not permitted, or ERR_LIMIT when a number in it may get too large. */
int math_check(struct str expression, struct err *err);

struct math_answer {
    bool good;
    struct buf text; /* the value as Python prints it, or the error message; without a line end */
};

/* Checks the expression and evaluates it with Python. `q` has the place and the settings of the
 * run; the program is ours. -1 when the failure is ours. The caller frees &ret->text with buf_done.
 */
int math_run(const struct run_request *q, const struct run_watch *watch, struct str expression,
             struct math_answer *ret, struct err *err);

#endif
