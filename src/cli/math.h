/* SPDX-License-Identifier: Apache-2.0
 *
 * Arithmetic for a model: one expression of numbers and Python's math module, and nothing that
 * could be more. What may stand in it is decided on its tree, and how large its whole numbers can
 * get is worked out before anything is computed; Python computes it, in the jail.
 */
#ifndef CLI_MATH_H
#define CLI_MATH_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "request/request.h"
#include "session/run.h"

enum { MATH_MAX_TEXT = 10000 };

/* 0; -1 with ERR_USAGE when it is no expression, ERR_POLICY when it is one that may not be, or
 * ERR_LIMIT when a number in it may get too large. */
int math_check(struct str expression, struct err *err);

struct math_answer {
    bool good;
    struct buf text; /* the value as Python prints it, or what is wrong; without a line end */
};

/* `q` says where and how; its program is ours. -1 when the failure is ours. End with
 * buf_done(&ret->text). */
int math_run(const struct run_request *q, const struct run_watch *watch, struct str expression,
             struct math_answer *ret, struct err *err);

#endif
