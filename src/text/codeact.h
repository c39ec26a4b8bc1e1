/* SPDX-License-Identifier: Apache-2.0
 *
 * A reply of kodeagent's CodeAct agent: a thought, and either code to run or the final answer.
 */
#ifndef TEXT_CODEACT_H
#define TEXT_CODEACT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

struct codeact_reply {
    struct arena arena; /* the strings are in it, or pieces of the text */
    struct str thought;
    struct str code;         /* .p is NULL in a final answer */
    struct str final_answer; /* .p is NULL when there is code */
    bool task_successful;
};

/* The JSON object from the text's first brace to its last, or NULL. Models escape single quotes
 * too, which JSON does not know; that is accepted. The caller's. */
json_t *codeact_object(struct str text);

/* The JSON form {thought, code} or {thought, final_answer, task_successful}, else the text form
 * `Thought:` with `Code:`, or with `Answer:` and `Successful:`. -1 with ERR_GUEST and a message
 * for the model, also when there are both code and an answer. End with codeact_done either way.
 */
int codeact_read(struct str text, struct codeact_reply *ret, struct err *err);
void codeact_done(struct codeact_reply *reply);

#endif
