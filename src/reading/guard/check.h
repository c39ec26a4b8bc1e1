/* SPDX-License-Identifier: Apache-2.0
 *
 * A check in progress: the data that every stage and rule reads, and the functions that report a
 * finding.
 */
#ifndef GUARD_CHECK_H
#define GUARD_CHECK_H

#include "guard/guard.h"
#include "policy/policy_parts.h"
#include "program/resolve.h"

/* A finding, with data that does not leave this room. */
struct note {
    struct finding f;
    enum rule rule;
    enum guard_stage stage;
    const char *subject;       /* what the finding is about: "os.system", a name, a module; "" for
                                  nothing */
    const struct node *node;   /* NULL for findings about the text */
    bool is_call;              /* the subject is called at this node */
    uint32_t column, end_byte; /* in bytes, from 0 */
};

struct check {
    const struct policy *policy;
    const struct guard_input *in;
    struct python_text *text; /* &own, or (after the syntax check) the caller's */
    struct python_text own;
    struct program program;
    bool has_program;
    const struct check
        *around; /* the check of the program whose exec or eval runs this text; NULL: none */
    size_t run_texts, run_bytes; /* of the texts in calls of exec and eval that were checked */
    struct resolver resolver;
    struct arena arena;     /* for messages and subjects */
    uint32_t prelude_lines; /* number of lines of the text before the code */
    uint32_t earlier_lines; /* how many of these, the last ones, belong to earlier cells */
    const uint32_t *lines;  /* the offset of each line; NULL until needed */
    size_t n_lines;
    struct {
        uint32_t line, byte, character;
    } counted; /* the position where the last finding ended */

    struct note *notes;
    size_t n, room, left_out;
    unsigned lost; /* modules that are out of sight somewhere: bits, see rules_escaped.c */
    bool lost_known;
    bool annotations_read; /* string annotations were checked as code */
    enum {
        LEADS_NEW,
        LEADS,
        LEADS_NOT
    } globals;    /* LEADS: a variable of the program's leads to a
                     powerful module */
    bool excused; /* the current findings are about a module that is allowed by name: they count,
                     but do not refuse */
    struct {
        int points;
        bool refuses; /* one finding is severe enough to refuse */
        bool listed;  /* such a finding is about a name that the policy lists */
    } stages[GUARD_REVIEW + 1];
};

struct span {
    uint32_t line, column, end_line, end_column; /* as in struct node: bytes from 0 */
};

/* Reports a finding. Its severity comes from the policy's weight for the rule, or for the path that
 * the finding is about. If the rule is off, nothing is reported. The subject, a path or a name of
 * the tree, must live as long as the check. */
void found(struct check *c, enum rule rule, const struct node *n, struct str subject,
           const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The same for a call: the message begins with "call of ". */
void found_call(struct check *c, enum rule rule, const struct node *n, struct str subject,
                const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Reports a finding about a location in the text, with the tree's line numbers. NULL: about the
 * whole text. */
void found_at(struct check *c, enum rule rule, const struct span *span, struct str subject,
              const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* False if the policy has turned the rule off, so that the caller can save the work for it. */
bool rule_is_on(const struct check *c, enum rule rule);

/* The text of line n of the tree. */
struct str check_line(struct check *c, uint32_t n);
/* The source of a node, on one line and shortened, for messages. */
const char *check_source(struct check *c, const struct node *n);

void finding_done(struct finding *f);
/* Frees the check and its findings; only for a check whose findings no verdict has taken over. */
void check_done(struct check *c);
/* Sorts the findings and moves them to the verdict. */
void findings_finish(struct check *c, struct verdict *ret);
/* The next finding that made the stage refuse, in the order of the text; after NULL: the first.
 * NULL if there are no more. */
const struct note *findings_next(const struct check *c, enum guard_stage stage,
                                 const struct note *after);

/* ---- stages; each reports its findings ---- */

void check_input(struct check *c);
void check_syntax(struct check *c);
void check_imports(struct check *c);
void check_patterns(struct check *c);

/* True if the line belongs to an earlier cell. */
static inline bool check_is_earlier(const struct check *c, uint32_t line)
{
    return line <= c->prelude_lines && line + c->earlier_lines > c->prelude_lines;
}

/* Fills in the statements that later cells need (remember.c). */
void remember(struct check *c, struct verdict *v);

/* Checks a text that the call at n runs as code; findings are reported at n. False if the text was
 * not checked: it does not compile, or exceeds a limit. */
bool check_run_text(struct check *c, const struct node *n, struct str text);

/* Puts the profile's messages for a refusal into the verdict. */
void texts_fill(struct check *c, struct verdict *v);

#endif
