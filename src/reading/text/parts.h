/* SPDX-License-Identifier: Apache-2.0
 *
 * Code and results as parts of a model's message, as google/adk and the Gemini API have them:
 *
 *     {"role": "model", "parts": [{"text": "..."}, {"executable_code": {"language", "code"}},
 *                                 {"code_execution_result": {"outcome", "output"}}]}
 *
 * Names in camel case (executableCode) are accepted, too, and are written if the message uses them.
 */
#ifndef TEXT_PARTS_H
#define TEXT_PARTS_H

#include <jansson.h>

#include "text/blocks.h"

/* Returns the code to run next: that of the first code part without a result after it, otherwise
 * the first block in the text parts. `content` is cut after the code; the text before it becomes
 * one part, with the other members of the first text part. The string is a new reference. NULL,
 * with `content` unchanged, if there is no code. */
json_t *parts_extract_code(json_t *content, const struct block_pair *pairs, size_t n);

/* Turns the last part, if it is code, into text between `code`'s delimiters. If a result is the
 * only part, it becomes text between `result`'s delimiters, and the message's role becomes "user".
 */
void parts_to_text(json_t *content, const struct block_pair *code, const struct block_pair *result);

/* Returns a result part, with OUTCOME_OK or OUTCOME_FAILED. */
json_t *parts_result(bool failed, struct str output);

#endif
