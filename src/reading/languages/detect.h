/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LANGUAGES_DETECT_H
#define LANGUAGES_DETECT_H

#include "base/str.h"
#include "python/python.h"

/* The language that a program looks like: "python" (also if there is no sign), "javascript",
 * "bash", "r" or "go". Returns a constant. Afterwards `text` holds the program's tree, unless the
 * program is too long. */
const char *detect_language(struct str code, struct python_text *text);

#endif
