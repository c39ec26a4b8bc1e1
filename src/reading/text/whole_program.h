/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises a reply of a model that is only a program, without a fence around it.
 */
#ifndef TEXT_WHOLE_PROGRAM_H
#define TEXT_WHOLE_PROGRAM_H

#include <stdbool.h>

#include "base/str.h"

/* True if the text is Python that does something. "Sorry" and "Note: 42" are Python, but do
 * nothing. */
bool whole_python(struct str text);

#endif
