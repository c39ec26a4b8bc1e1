/* SPDX-License-Identifier: Apache-2.0
 *
 * The only way into the guard: finds the policy and the program's language, gets the verdict, and
 * fills in the result of a refusal. A program is parsed once on this way.
 */
#ifndef SESSION_CHECK_H
#define SESSION_CHECK_H

#include "python/text.h"
#include "request/reviewer.h"
#include "result/result.h"
#include "session/beside.h"

/* The request's profile with the imports that it allows and forbids. NULL with *err; free with
 * policy_free. */
struct policy *check_open_policy(const struct run_request *q, struct err *err);
/* For callers that have no program yet: -1 with *err when the policy does not allow the
 * language. */
int check_language_allowed(const struct policy *policy, const struct language *language,
                           struct err *err);
/* The language of the request's code, which is named or detected (examine_language). */
int check_find_language(const struct run_request *q, const struct language **ret, struct err *err);
/* Reads the request's prelude; the buffer stays empty without one. 0 or -1. */
int check_read_prelude(const struct run_request *q, struct buf *ret, struct err *err);
/* The N of Python 3.N if the guard knows that version, else 0. */
unsigned check_target_of(unsigned minor);

/* ---- one program ---- */

struct examination {
    const struct run_request *request; /* its code, file, languages, target */
    const struct policy *policy;       /* NULL: the program is not checked */
    struct str prelude, earlier;       /* see struct guard_input */
    unsigned stages;
    bool cell;
    bool runs;          /* on this host, by an interpreter that may be an older Python */
    int cancel_fd;      /* readable: give up the review; -1 for none */
    const char *run_id; /* the result's, for the reviewer; NULL: there is no run */
    const struct tool_names *tools;  /* that the program may call; NULL: none */
    const struct beside *beside;     /* what else runs with it; NULL: nothing that is read */
    bool cancelled;                  /* the review was given up */
    json_t *usage;                   /* of the review, by component; NULL for none */
    bool asks_tools;                 /* run other languages' tools to check the syntax */
    const struct language *language; /* examine_language's, or the caller's */
    const char *python;              /* the version that the language's name has, or NULL */
    unsigned target;                 /* of the interpreter; 0: unknown */
    struct python_text *text;        /* the code's tree, once it was needed */
    struct python_text own;
};

void examine_init(struct examination *e, const struct run_request *q, const struct policy *policy);
/* The language that the request names, else the one of the extension, shebang or prelude, else a
 * guess among the languages that the policy allows. -1 with *err when the name is unknown. The
 * verdict has whether the policy allows the language. */
int examine_language(struct examination *e, struct err *err);
/* The tree of the code; NULL when it is not Python, and then e->text has the error. */
const struct python_tree *examine_tree(struct examination *e);
/* The verdict of the guard, and of the request's reviewer; this is the only caller of both. */
void examine(struct examination *e, struct verdict *ret);
/* Language, verdict and the findings of tools. -1 as examine_language. */
int examine_program(struct examination *e, struct verdict *ret, struct err *err);
void examine_done(struct examination *e);

/* Fills in the result's verdict and, if that refuses, the other fields of a refusal (see
 * result_refused). A cancelled review gives no verdict: the result is cancelled. */
void examine_for(struct examination *e, struct result *result);

/* The program's name in messages: its file, "<stdin>" or "<string>". */
const char *check_shown_name(const struct run_request *q);

/* glovebox_check and POST /v1/check: examine_program, by the request's policy. cancel_fd ends a
 * review (-1 for none). Failures of ours are in ret->error. */
void session_check(const struct run_request *q, bool asks_tools, int cancel_fd, struct result *ret);

#endif
