/* SPDX-License-Identifier: Apache-2.0
 *
 * The one way into the guard: which policy holds, what language a program is in, the verdict, and
 * what a result says of a refusal. On this way a program is parsed once.
 */
#ifndef SESSION_CHECK_H
#define SESSION_CHECK_H

#include "python/text.h"
#include "request/request.h"
#include "result/result.h"

/* The request's profile with the imports that it allows and forbids. NULL with *err; policy_free.
 */
struct policy *check_open_policy(const struct run_request *q, struct err *err);
/* -1 with *err when the policy does not allow it, for what has no program yet. */
int check_language_allowed(const struct policy *policy, const struct language *language,
                           struct err *err);
/* The request's prelude; the buffer stays empty when there is none. 0 or -1. */
int check_read_prelude(const struct run_request *q, struct buf *ret, struct err *err);
/* The N of Python 3.N when the interpreter's real name tells ("/usr/bin/python3.11"), else 0. */
unsigned check_target_of(const char *interpreter);

/* ---- one program ---- */

struct examination {
    const struct run_request *request; /* its code, file, languages, target */
    const struct policy *policy;       /* NULL: it runs unread */
    struct str prelude, earlier;       /* see struct guard_input */
    unsigned stages;
    bool cell;
    bool runs;       /* on this host, by an interpreter that may be an older Python */
    bool asks_tools; /* of other languages what is wrong with the syntax */
    const struct language *language; /* examine_language's, or the caller's */
    unsigned target;                 /* of the interpreter; 0: unknown */
    struct python_text *text;        /* the code's tree, once somebody needed it */
    struct python_text own;
};

void examine_init(struct examination *e, const struct run_request *q, const struct policy *policy);
/* What the request names, or what extension, shebang or prelude say, or a guess among the languages
 * that the policy allows. -1 with *err when there is none of that name. Whether the policy allows
 * it is said by the verdict. */
int examine_language(struct examination *e, struct err *err);
/* The tree of the code; NULL when it is not Python, and then e->text has the error. */
const struct python_tree *examine_tree(struct examination *e);
/* The verdict of the guard, whose only caller this is. */
void examine(struct examination *e, struct verdict *ret);
/* Language and verdict, and what tools say. -1 as examine_language. */
int examine_program(struct examination *e, struct verdict *ret, struct err *err);
void examine_done(struct examination *e);

/* Fills in the result's verdict and, when that refuses, what else a result says then (see
 * result_refused). */
void examine_for(struct examination *e, struct result *result);

/* How messages call the program: its file, "<stdin>" or "<string>". */
const char *check_shown_name(const struct run_request *q);

/* glovebox_check and POST /v1/check: examine_program, by the request's policy. Failures of ours are
 * in ret->error. */
void session_check(const struct run_request *q, bool asks_tools, struct result *ret);

#endif
