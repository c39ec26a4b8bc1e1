/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a text JSON? Read once, nothing is built, so that any size will do.
 */
#ifndef TEXT_JSON_CHECK_H
#define TEXT_JSON_CHECK_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

enum { JSON_CHECK_DEPTH = 200 };

struct json_facts {
    bool has_special; /* NaN, Infinity or -Infinity, which Python reads and others do not */
};

/* As Python's json module reads it, in UTF-8 without a byte order mark. -1 with ERR_USAGE and "line
 * 3, column 7: what is wrong". */
int json_check(struct str text, struct json_facts *ret, struct err *err);

#endif
