/* SPDX-License-Identifier: Apache-2.0
 *
 * smolagents' final_answer is a function; models like to name a variable so as well, which hides
 * it.
 */
#ifndef TEXT_FINAL_ANSWER_H
#define TEXT_FINAL_ANSWER_H

#include <stdbool.h>

#include "base/buf.h"

/* Appends the code. Where it both calls final_answer and assigns to that name, the variable is
 * called final_answer_variable: attributes, keywords, strings and calls stay, and so do functions
 * with a parameter of that name. False, and the code as it is, when there is nothing to do or the
 * code is not Python. */
bool final_answer_fix(struct str code, struct buf *out);

#endif
