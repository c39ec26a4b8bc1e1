/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LANGUAGES_DETECT_H
#define LANGUAGES_DETECT_H

#include "base/str.h"
#include "python/text.h"

/* What language a program looks like: "python" (also when nothing tells), "javascript", "bash",
 * "r" or "go". A constant. Afterwards `text` has the tree of a program that is not too long. */
const char *detect_language(struct str code, struct python_text *text);

#endif
