/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a program and says whether it may run, and why. It never runs anything, and it is not the
 * wall: it refuses early and explains.
 *
 * Stages in order: input (size, NUL, encoding), syntax, imports, patterns, review. The first that
 * refuses ends the check. The review is made by a reader of the caller's choice (guard_reviewed).
 * Text in other languages than Python gets the first stage only; what their own interpreters say of
 * their syntax is asked by src/session/.
 */
#ifndef GUARD_GUARD_H
#define GUARD_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "guard/policy.h"
#include "python/text.h"

enum guard_stage { GUARD_INPUT, GUARD_SYNTAX, GUARD_IMPORTS, GUARD_PATTERNS, GUARD_REVIEW };
#define GUARD_ALL_STAGES 0xfu /* without the review */

enum severity { SEVERITY_INFO, SEVERITY_LOW, SEVERITY_MEDIUM, SEVERITY_HIGH, SEVERITY_CRITICAL };

struct finding {
    const char *rule; /* its id: "import-forbidden", "exec-call", "syntax" */
    enum severity severity;
    int points;
    bool refuses; /* it is why the program is refused, or one of the reasons */
    char *message;
    char *hint;                  /* what to do instead; NULL for none */
    char *name;                  /* what it is about: "os.system", "eval", "__class__"; or NULL */
    char *module;                /* the module it is or lies in: "os"; NULL for other things */
    char *call;                  /* what is called there: "os.system"; NULL where nothing is */
    char *label;                 /* the profile's own words for it: "Eval usage"; NULL for none */
    uint32_t line, end_line;     /* from 1; 0 unknown */
    uint32_t prelude_line;       /* of the prelude, where that is what is wrong; else 0 */
    uint32_t column, end_column; /* in characters, from 1; the end is the first one behind */
    char *excerpt;           /* the line's text, cut where it is very long (see excerpt_column) */
    uint32_t excerpt_column; /* where the finding starts in the excerpt, from 1, in characters */
};

/* What the result of a refused run says in place of output, where a profile has texts of its own
 * (the systems it stands in for had). Members that are NULL are not set. */
struct verdict_texts {
    char *stderr_text, *exception_type, *exception_message;
    bool has_exit_code;
    int exit_code;
    size_t about; /* the finding that they are about, from 1; 0: all that refuse */
};

struct verdict {
    bool allowed;
    enum guard_stage stage;   /* that refused; when allowed, the last that ran */
    char *reason;             /* one line, or what the profile prescribes; "" when there is none */
    int risk;                 /* the points of all findings */
    struct finding *findings; /* in the order of the text */
    size_t n, room;
    size_t left_out; /* findings beyond GUARD_MAX_FINDINGS */
    struct verdict_texts texts;
    /* Of an allowed cell: statements for the `earlier` of later ones, each with a NUL behind it,
     * for when it goes to its end and for when it fails. */
    struct buf ended, failed;
};

enum { GUARD_MAX_FINDINGS = 1000 };

struct guard_input {
    struct str code;
    struct str prelude;   /* our side's text that runs before it, with "\n\n" between: syntax and
                             imports are checked on both together, input and patterns on code alone */
    struct str earlier;   /* of earlier cells, lines between the two: known, but not judged again */
    const char *language; /* "python", "javascript", ... */
    unsigned stages;      /* bits, 1 << GUARD_SYNTAX; 0: GUARD_ALL_STAGES */
    unsigned target;      /* Python 3.N; 0: the newest */
    bool cell;            /* of a session: `await` may stand outside of functions */
    struct python_text *text; /* the caller's, with the code's tree in it or to be, which is used
                                 where it fits the check; or NULL */
};

/* Always gives a verdict; end with verdict_done. */
void guard_check(const struct policy *policy, const struct guard_input *input, struct verdict *ret);
struct guard_review {
    bool secure;
    bool answered;      /* false: the reviewer gave no verdict, and the reason says why */
    const char *reason; /* one line */
};

/* Adds the outcome of a review to the verdict of an allowed program. */
void guard_reviewed(const struct policy *policy, const struct guard_review *review,
                    struct verdict *v);
/* The verdict is about a text beside the program: its name goes into the reason and the findings,
 * whose lines are not the program's. */
void guard_about(const char *what, struct verdict *v);
/* The verdict becomes a refusal, because `what` can run and cannot be read: it is `unread`. */
void guard_unread(const char *what, const char *unread, struct verdict *v);
void verdict_done(struct verdict *v);

const char *guard_stage_name(enum guard_stage stage); /* "input", "syntax", ... */
/* Bits from "input,syntax"; 0 with *err set when a name is unknown. */
unsigned guard_stages_from(struct str names, struct err *err);
const char *severity_name(enum severity s); /* "info" ... "critical" */

/* ---- the rules, for --list-rules and --explain ---- */

struct rule_info {
    const char *id;
    enum guard_stage stage;
    enum severity severity; /* as built in; a profile may weigh otherwise */
    int points;
    const char *summary;     /* half a line */
    const char *explanation; /* a paragraph: what it is, why it matters, an example, what to do */
};

size_t guard_rule_count(void);
const struct rule_info *guard_rule(size_t i);
const struct rule_info *guard_rule_find(struct str id); /* NULL */

#endif
