/* SPDX-License-Identifier: Apache-2.0
 *
 * A model's reply that is a program and nothing else, without a fence around it.
 */
#ifndef TEXT_WHOLE_PROGRAM_H
#define TEXT_WHOLE_PROGRAM_H

#include <stdbool.h>

#include "base/str.h"

/* Whether the text is Python, and does something: "Sorry" and "Note: 42" are Python as well. */
bool whole_python(struct str text);

#endif
