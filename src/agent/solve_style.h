/* SPDX-License-Identifier: Apache-2.0
 *
 * How a model's programs and what came of them are written: a row per system.
 */
#ifndef AGENT_SOLVE_STYLE_H
#define AGENT_SOLVE_STYLE_H

#include "llm/llm.h"
#include "text/format.h"
#include "text/reply.h"

struct solve_style {
    const char *name;
    const char *profile; /* the policy profile that it belongs to; NULL: none */
    enum reply_profile reply;
    enum format_profile format;
    const char *observation; /* what stands before a result */
    const char *unclosed;    /* a tag that is added where a stop text ended the reply; or NULL */
    const char *const *stop; /* or NULL */
    const char *form;        /* for the model: how a program is written */
    const char *finish;      /* and how the answer is given */
    int64_t steps;
    bool one_shot;           /* a program that succeeds ends the task */
    bool answers_in_objects; /* an answer is a field of the reply, never the reply itself */
    bool structured;         /* the reply is demanded by a schema */
};

/* The first row is ours. Ends with an empty row. */
extern const struct solve_style solve_styles[];
/* The names, in the order of the rows and after "auto"; and a NULL. */
extern const char *const solve_style_names[];
/* Of enum solve_calls (solve.h). */
extern const char *const solve_calls_names[];
/* `choice` is an index of the names; "auto" is the style of the policy profile, else ours. */
const struct solve_style *solve_style_find(int choice, const char *profile);
/* {thought, code}, for a structured style. The caller's. */
json_t *solve_style_schema(void);

#endif
