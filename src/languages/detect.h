/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LANGUAGES_DETECT_H
#define LANGUAGES_DETECT_H

#include "base/str.h"

/* What language a program looks like: "python" (also when nothing tells), "javascript", "bash",
 * "r" or "go". A constant. */
const char *detect_language(struct str code);

#endif
