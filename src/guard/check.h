/* SPDX-License-Identifier: Apache-2.0
 *
 * A check that is under way: the data that every stage and rule reads, and the functions that
 * report a finding.
 */
#ifndef GUARD_CHECK_H
#define GUARD_CHECK_H

#include "guard/policy_parts.h"
#include "guard/resolve.h"

/* A finding with what is not for the outside. */
struct note {
    struct finding f;
    enum rule rule;
    enum guard_stage stage;
    const char *subject;       /* what it is about: "os.system", a name, a module; "" for none */
    const struct node *node;   /* NULL for findings about the text */
    bool is_call;              /* the subject is called there */
    uint32_t column, end_byte; /* in bytes, from 0 */
};

struct check {
    const struct policy *policy;
    const struct guard_input *in;
    struct python_text *text; /* `own`, or the caller's once the syntax is checked */
    struct python_text own;
    struct program program;
    bool has_program;
    const struct check
        *around; /* the check of the program whose exec or eval runs this text; NULL: none */
    size_t run_texts, run_bytes; /* of such texts that were looked into */
    struct resolver resolver;
    struct arena arena;     /* for messages and subjects */
    uint32_t prelude_lines; /* of the text that stand before the code */
    uint32_t earlier_lines; /* the last of them, which belong to earlier cells */
    const uint32_t *lines;  /* where each line starts; NULL until it is needed */
    size_t n_lines;
    struct {
        uint32_t line, byte, character;
    } counted; /* where the last finding ended */

    struct note *notes;
    size_t n, room, left_out;
    unsigned lost; /* modules that are out of sight somewhere: bits of rules_escaped.c */
    bool lost_known;
    enum { LEADS_NEW, LEADS, LEADS_NOT } globals; /* whether they hold a powerful module */
    bool excused; /* what is found now is allowed by name: it counts, but does not refuse */
    struct {
        int points;
        bool refuses; /* a finding is bad enough by itself */
        bool listed;  /* and it is about a name that the policy lists */
    } stages[GUARD_REVIEW + 1];
};

struct span {
    uint32_t line, column, end_line, end_column; /* as in struct node: bytes from 0 */
};

/* Reports a finding. Its severity comes from the weight that the policy gives the rule, or the path
 * that the finding is about; a rule that is off reports nothing. The subject must live as long as
 * the check: a path, a name of the tree. */
void found(struct check *c, enum rule rule, const struct node *n, struct str subject,
           const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The same for a call: "call of " goes in front of the message. */
void found_call(struct check *c, enum rule rule, const struct node *n, struct str subject,
                const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* About a place in the text, lines as in the tree. NULL: about the whole. */
void found_at(struct check *c, enum rule rule, const struct span *span, struct str subject,
              const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* False when the policy has turned it off, so that nothing need be worked out for it. */
bool rule_is_on(const struct check *c, enum rule rule);

/* The text of line n of the tree. */
struct str check_line(struct check *c, uint32_t n);
/* What a node looks like in the program, on one line and not too long, for messages. */
const char *check_source(struct check *c, const struct node *n);

void finding_done(struct finding *f);
/* For a check whose findings no verdict takes over. */
void check_done(struct check *c);
/* Sorts what was found and hands it to the verdict. */
void findings_finish(struct check *c, struct verdict *ret);
/* The findings that made a stage refuse, in the order of the text; NULL after the last. */
const struct note *findings_next(const struct check *c, enum guard_stage stage,
                                 const struct note *after);

/* ---- stages; each reports its findings ---- */

void check_input(struct check *c);
void check_syntax(struct check *c);
void check_imports(struct check *c);
void check_patterns(struct check *c);

/* Whether a line belongs to an earlier cell. */
static inline bool check_is_earlier(const struct check *c, uint32_t line)
{
    return line <= c->prelude_lines && line + c->earlier_lines > c->prelude_lines;
}

/* Fills in what later cells should know of this one (remember.c). */
void remember(struct check *c, struct verdict *v);

/* Checks a text that the call at n runs as code; findings are reported at n. False when the text
 * was not read: it does not compile, or is larger than the limit. */
bool check_run_text(struct check *c, const struct node *n, struct str text);

/* Puts into the verdict what the policy's profile says of a refusal. */
void texts_fill(struct check *c, struct verdict *v);

#endif
