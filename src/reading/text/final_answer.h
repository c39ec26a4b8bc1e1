/* SPDX-License-Identifier: Apache-2.0
 *
 * In smolagents, final_answer is a function. Models often use the same name for a variable, which
 * then hides the function.
 */
#ifndef TEXT_FINAL_ANSWER_H
#define TEXT_FINAL_ANSWER_H

#include <stdbool.h>

#include "base/buf.h"

/* Appends the code. If it both calls final_answer and assigns to that name, the variable is renamed
 * to final_answer_variable; attributes, keywords, strings, calls, and functions with a parameter of
 * that name stay. False, and the code unchanged, if there is nothing to rename or the code is not
 * Python. */
bool final_answer_fix(struct str code, struct buf *out);

#endif
