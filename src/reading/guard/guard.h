/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a program, and decides whether it may run, and why not. It never runs anything, and it is
 * not the wall: it refuses early and explains.
 *
 * Stages in order: input (size, NUL, encoding), syntax, imports, patterns, review. The first stage
 * that refuses ends the check. The caller makes the review (guard_reviewed). The tree is walked
 * once (program_walk.c); patterns.c lists the rules for each kind of node. resolve.h finds what an
 * expression refers to ("os.system", however the program reached it), and fold.h computes
 * constants; both have budgets, so hostile text costs linear time. library.def, written by
 * tools/make-library, lists what modules of the standard library have imported under names of their
 * own, and which of their private functions run code. rules_handed.c reports a powerful module that
 * is passed to where the guard does not follow it. program_sure.c finds which uses of a name mean a
 * builtin; remember.c finds the statements of a cell that later cells must be read with.
 *
 * For other languages than Python only the first stage runs; run/syntax_probe.h lets their own
 * interpreters check the syntax.
 */
#ifndef GUARD_GUARD_H
#define GUARD_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "policy/policy.h"
#include "policy/rule_info.h"
#include "python/python.h"

struct finding {
    const char *rule; /* its id: "import-forbidden", "exec-call", "syntax" */
    enum severity severity;
    int points;
    bool refuses; /* the finding is a reason for the refusal */
    char *message;
    char *hint;                  /* what to do instead; NULL for none */
    char *name;                  /* what the finding is about: "os.system", "eval", "__class__"; or
                                    NULL */
    char *module;                /* the module that it is or belongs to: "os"; otherwise NULL */
    char *call;                  /* the function that is called there: "os.system"; NULL if none
                                    is */
    char *label;                 /* the profile's name for it: "Eval usage"; NULL for none */
    uint32_t line, end_line;     /* from 1; 0 unknown */
    uint32_t prelude_line;       /* if the finding is about the prelude, its line there; otherwise
                                    0 */
    uint32_t column, end_column; /* in characters, from 1; the end is exclusive */
    char *excerpt;               /* the text of the line; a very long line is cut (see
                                    excerpt_column) */
    uint32_t excerpt_column; /* where the finding starts in the excerpt, from 1, in characters */
};

/* True if the hint is about the finding's own text: false for the one that its rule always has. */
bool finding_has_own_hint(const struct finding *finding);

/* The output and exception in the result of a refused run, for profiles that imitate another
 * system. A NULL member is not set. */
struct verdict_texts {
    char *stderr_text, *exception_type, *exception_message;
    bool has_exit_code;
    int exit_code;
    size_t
        about; /* the number, from 1, of the finding in these texts; 0: all findings that refuse */
};

struct verdict {
    bool allowed;
    enum guard_stage stage;   /* the stage that refused, or, if allowed, the last that ran */
    char *reason;             /* one line, or the imitated system's message; "" for none */
    int risk;                 /* the points of all findings */
    struct finding *findings; /* in the order of the text */
    size_t n, room;
    size_t left_out; /* findings beyond GUARD_MAX_FINDINGS */
    struct verdict_texts texts;
    /* Of an allowed cell: statements for the `earlier` of later cells, each followed by a NUL.
     * `ended`: if the cell runs to its end; `failed`: if it fails. */
    struct buf ended, failed;
};

enum { GUARD_MAX_FINDINGS = 1000 };

struct guard_input {
    struct str code;
    struct str prelude;   /* our own text that runs before the code, with two line ends between.
                             Syntax and imports are checked in both together, input and patterns
                             only in the code */
    struct str earlier;   /* statements of earlier cells, as lines between the two: read, but not
                             judged again */
    struct str given;     /* names that may have any value before the code runs, each followed by a
                             NUL; "*": all names */
    const char *language; /* "python", "javascript", ... */
    unsigned stages;      /* bits, 1 << GUARD_SYNTAX; 0: GUARD_ALL_STAGES */
    unsigned target;      /* Python 3.N; 0: the newest */
    bool cell;            /* a cell of a session: `await` is allowed outside of functions */
    struct python_text *text; /* NULL, or the caller's text, which may hold the code's tree: used if
                                 it fits this check, and then it keeps the tree */
};

/* Always fills in the verdict; free it with verdict_done. */
void guard_check(const struct policy *policy, const struct guard_input *input, struct verdict *ret);
struct guard_review {
    bool secure;
    bool answered;      /* false: the reviewer gave no verdict, and the reason says why */
    const char *reason; /* one line */
};

/* Adds the outcome of a review to the verdict about an allowed program. */
void guard_reviewed(const struct policy *policy, const struct guard_review *review,
                    struct verdict *v);
/* For a verdict about a text beside the program: adds the text's name to the reason and the
 * findings, whose lines are not the program's. */
void guard_about(const char *what, struct verdict *v);
/* Makes the verdict a refusal, because `what` can run and cannot be read: `unread` is the
 * reason. */
void guard_unread(const char *what, const char *unread, struct verdict *v);
void verdict_done(struct verdict *v);

#endif
