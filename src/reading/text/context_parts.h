/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that the files of the context share.
 */
#ifndef TEXT_CONTEXT_PARTS_H
#define TEXT_CONTEXT_PARTS_H

#include "text/context.h"

#define KEY_CONTEXT   "_code_execution_context"
#define KEY_ID        "execution_session_id"
#define KEY_PROCESSED "processed_input_files"
#define KEY_SEPARATE  "invocations"
#define KEY_INPUTS    "_code_executor_input_files"
#define KEY_ERRORS    "_code_executor_error_counts"
#define KEY_RESULTS   "_code_execution_results"

/* -1 with ERR_USAGE and the location of the error. */
int context_check_document(const json_t *document, struct err *err);

/* A member, as a borrowed reference; NULL if it is missing or null. */
json_t *context_get(const json_t *object, const char *key);
/* As context_get, but a missing member is created. */
json_t *context_make(json_t *object, const char *key, json_t *(*new_value)(void));
/* The object with the id and the explored files of an invocation, or NULL. */
const json_t *context_scope(const struct context *c, const char *invocation);

#endif
