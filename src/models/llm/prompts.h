/* SPDX-License-Identifier: Apache-2.0
 *
 * The prompts for models, from prompts/NAME.md. Each {{WORD}} in a prompt is replaced by a value.
 */
#ifndef LLM_PROMPTS_H
#define LLM_PROMPTS_H

#include "base/buf.h"
#include "base/err.h"

extern const char prompt_analyze_md[], prompt_builtin_md[], prompt_fix_md[], prompt_generate_md[],
    prompt_math_md[], prompt_review_md[], prompt_solve_md[], prompt_transform_md[];

struct prompt_value {
    const char *word, *value;
};

/* Appends the prompt NAME with its values filled in; `values` ends with an empty row. It is the
 * file NAME.md in `folder` (NULL: the folder "prompts" beside the user's config file) if there is
 * one, else the built-in text. -1 with ERR_USAGE for an unknown {{WORD}}. */
int prompt_make(const char *name, const char *folder, const struct prompt_value *values,
                struct buf *ret, struct err *err);

/* Appends a name that is not ours (of a file, a module, a tool): in double quotes, on one line,
 * printable, cut after 100 characters. Every name in a prompt is written by this function, for a
 * model could read a name with line ends as instructions unless it is between the marks around a
 * program or data. */
void prompt_add_name(struct buf *b, struct str name);

#endif
