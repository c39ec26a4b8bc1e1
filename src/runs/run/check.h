/* SPDX-License-Identifier: Apache-2.0
 *
 * The only way into the guard: finds the policy and the program's language, gets the verdict, and
 * fills in the result of a refusal. The program is parsed only once.
 */
#ifndef RUN_CHECK_H
#define RUN_CHECK_H

#include "languages/interpreter.h"
#include "python/python.h"
#include "request/reviewer.h"
#include "result/result.h"
#include "run/beside.h"

/* Returns the request's profile, with the imports that the request allows and forbids. NULL with
 * *err; free with policy_free. */
struct policy *check_open_policy(const struct run_request *q, struct err *err);
/* For callers that have no program yet: -1 with *err if the policy does not allow the language. */
int check_language_allowed(const struct policy *policy, const struct language *language,
                           struct err *err);
/* Finds the language of the request's code: the named one, or the detected one
 * (examine_language). */
int check_find_language(const struct run_request *q, const struct language **ret, struct err *err);
/* Reads the request's prelude; the buffer stays empty without one. 0 or -1. */
int check_read_prelude(const struct run_request *q, struct buf *ret, struct err *err);
/* Returns the N of Python 3.N if the guard knows that version, else 0. */
unsigned check_target_of(unsigned minor);

/* ---- one program ---- */

struct examination {
    const struct run_request *request;  /* its code, file, languages, target */
    const struct policy *policy;        /* NULL: the program is not checked */
    struct str prelude, earlier, given; /* see struct guard_input; adds the request's values */
    unsigned stages;
    bool cell;
    bool runs;          /* it will run on this host, where the interpreter may be an older Python */
    int cancel_fd;      /* readable: cancel the review; -1 for none */
    const char *run_id; /* for the reviewer; NULL: there is no run */
    const struct tool_names *tools;  /* functions that the program may call; NULL: none */
    const struct beside *beside;     /* the other texts that run with it; NULL: none that needs a
                                        check */
    bool cancelled;                  /* the review was cancelled */
    json_t *usage;                   /* of the review's models, by component; NULL for none */
    bool asks_tools;                 /* run other languages' tools to check the syntax */
    const struct language *language; /* set by examine_language or by the caller */
    const char *python;              /* the version in the name of the language, or NULL */
    unsigned target;                 /* of the interpreter; 0: unknown */
    struct python_text *text;        /* the code's tree, if it was needed */
    struct python_text own;
};

void examine_init(struct examination *e, const struct run_request *q, const struct policy *policy);
/* Finds the language: the one that the request names; else that of the extension, shebang or
 * prelude; else a guess among the languages that the policy allows. -1 with *err if the name is
 * unknown. Whether the policy allows the language is part of the verdict. */
int examine_language(struct examination *e, struct err *err);
/* Returns the tree of the code; NULL if it is not Python, with the error in e->text. */
const struct python_tree *examine_tree(struct examination *e);
/* Gets the verdict of the guard and of the request's reviewer. No other function calls either. */
void examine(struct examination *e, struct verdict *ret);
/* Finds the language, the verdict, and the findings of tools. Returns -1 as examine_language
 * does. */
int examine_program(struct examination *e, struct verdict *ret, struct err *err);
void examine_done(struct examination *e);

/* Fills in the result's verdict. If it is a refusal, also fills in the result's other members (see
 * result_refused). After a cancelled review there is no verdict, and the result is cancelled. */
void examine_for(struct examination *e, struct result *result);

/* Returns the program's name in messages: its file, "<stdin>" or "<string>". */
const char *check_shown_name(const struct run_request *q);

/* Runs examine_program by the request's policy, for glovebox_check and POST /v1/check. cancel_fd
 * cancels a review (-1 for none). Failures of ours are in ret->error. */
void check_program(const struct run_request *q, bool asks_tools, int cancel_fd, struct result *ret);

/* Finds the Python that the request's programs get. -1 if there is none. */
int check_find_python(const struct run_request *q, struct interpreter *ret);

#endif
