/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LANGUAGES_DETECT_H
#define LANGUAGES_DETECT_H

#include "base/str.h"
#include "python/text.h"

/* The language that a program looks like: "python" (also without any sign), "javascript", "bash",
 * "r" or "go". A constant. Afterwards `text` has the tree of a program that is not too long. */
const char *detect_language(struct str code, struct python_text *text);

#endif
