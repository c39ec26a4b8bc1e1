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
    struct arena arena; /* holds the strings that are not part of the text */
    struct str thought;
    struct str code;         /* .p is NULL in a final answer */
    struct str final_answer; /* .p is NULL when there is code */
    size_t code_end; /* with code: where it ends in the text, with its fence or its object */
    bool task_successful;
};

/* Parses the JSON object from the text's first brace to its last; NULL if there is none. Models
 * also escape single quotes, which JSON does not allow; that is accepted. The caller owns the
 * object. */
json_t *codeact_object(struct str text);
/* The offset after that object's last brace. */
size_t codeact_object_end(struct str text);

/* The JSON form {thought, code} or {thought, final_answer, task_successful}, else the text form
 * `Thought:` with `Code:`, or with `Answer:` and `Successful:`. -1 with ERR_GUEST and a message
 * for the model, also when there are both code and an answer. End with codeact_done either way.
 */
int codeact_read(struct str text, struct codeact_reply *ret, struct err *err);
void codeact_done(struct codeact_reply *reply);

#endif
