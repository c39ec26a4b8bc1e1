/* SPDX-License-Identifier: Apache-2.0
 *
 * Code and results as parts of a model's message, as google/adk and the Gemini API have them:
 *
 *     {"role": "model", "parts": [{"text": "..."}, {"executable_code": {"language", "code"}},
 *                                 {"code_execution_result": {"outcome", "output"}}]}
 *
 * Names with capitals (executableCode) are read too, and written where the message has them.
 */
#ifndef TEXT_PARTS_H
#define TEXT_PARTS_H

#include <jansson.h>

#include "text/blocks.h"

/* The code that is to be run next: of the first code part without a result after it, else the
 * first block in the text parts. `content` is cut behind it, and text before it becomes one part
 * with the first text part's other members. The string is a new reference; NULL, and `content` as
 * it was, when there is no code. */
json_t *parts_extract_code(json_t *content, const struct block_pair *pairs, size_t n);

/* The last code part becomes text between `code`'s delimiters; a result that is all of the message
 * becomes text between `result`'s, and the message the user's. */
void parts_to_text(json_t *content, const struct block_pair *code, const struct block_pair *result);

/* OUTCOME_OK or OUTCOME_FAILED. */
json_t *parts_result(bool failed, struct str output);

#endif
