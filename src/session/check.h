/* SPDX-License-Identifier: Apache-2.0
 *
 * The guard before a run: which policy holds, what it says, and what a result says of a refusal.
 */
#ifndef SESSION_CHECK_H
#define SESSION_CHECK_H

#include "request/request.h"
#include "result/result.h"

/* The request's profile with the imports that it allows and forbids. NULL with *err; policy_free.
 */
struct policy *check_open_policy(const struct run_request *q, struct err *err);
/* The language of the request's program: what it names, or what extension, shebang or prelude
 * say, or a guess among those that the policy allows. policy NULL: unread. -1 with *err when there
 * is none of that name. Whether the policy allows it is said by the check. */
int check_find_language(const struct run_request *q, const struct policy *policy,
                        const struct language **ret, struct err *err);
/* -1 with *err when the policy does not allow it, for what has no program yet. */
int check_language_allowed(const struct policy *policy, const struct language *language,
                           struct err *err);
/* The request's prelude; the buffer stays empty when there is none. 0 or -1. */
int check_read_prelude(const struct run_request *q, struct buf *ret, struct err *err);
/* The N of Python 3.N when the interpreter's real name tells ("/usr/bin/python3.11"), else 0. */
unsigned check_target_of(const char *interpreter);

/* Fills in the result's verdict and, when that refuses, what else a result says then (see
 * result_refused). interpreter may be NULL. */
void check_program(const struct run_request *q, const struct policy *policy, const char *language,
                   const char *interpreter, struct str prelude, struct result *result);

/* The same for any input. */
void check_by_policy(const struct policy *policy, const struct run_request *q,
                     const struct guard_input *input, struct result *result);

/* How messages call the program: its file, "<stdin>" or "<string>". */
const char *check_shown_name(const struct run_request *q);

/* glovebox_check: a verdict and nothing else; no interpreter is needed. Failures of ours are in
 * ret->error. */
void session_check(const struct run_request *q, struct result *ret);

#endif
