/* SPDX-License-Identifier: Apache-2.0
 *
 * How a model's programs and their results are written: one row for each style.
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
    const char *observation; /* the text before a result */
    const char *unclosed;    /* a tag to add where a stop string ended the reply; or NULL */
    const char *const *stop; /* or NULL */
    const char *form;        /* for the model: how a program is written */
    const char *finish;      /* for the model: how the answer is given */
    int64_t steps;
    bool one_shot;           /* a program that succeeds ends the task */
    bool answers_in_objects; /* an answer is a field of the reply, never the reply itself */
    bool structured;         /* the request has a schema for the reply */
};

/* The first row is our own style. The table ends with an empty row. */
extern const struct solve_style solve_styles[];
/* `choice` is an index of setting_styles. Its first entry is "auto": the style of the policy
 * profile, or our own if the profile has none. The other entries are the names of the rows, in
 * order. */
const struct solve_style *solve_style_find(int choice, const char *profile);
/* The schema of {thought, code}, for a structured style. The caller owns it. */
json_t *solve_style_schema(void);

#endif
