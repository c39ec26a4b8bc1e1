/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON in both directions: texts from a service or a sandbox have ceilings, and texts for them are
 * UTF-8.
 */
#ifndef E2B_API_JSON_H
#define E2B_API_JSON_H

#include <jansson.h>

#include "base/err.h"
#include "base/str.h"

/* Returns a new reference; NULL with ERR_GUEST. `what` names the message, such as "a line". */
json_t *e2b_json_read(struct str text, size_t flags, const char *what, struct err *err);
/* -1 with ERR_USAGE for a string that JSON cannot hold: the protocol would lose or change it. */
int e2b_json_check(const char *what, const char *text, struct err *err);
/* As e2b_json_check, for each string of a NULL-terminated list. */
int e2b_json_check_all(const char *what, const char *const *texts, struct err *err);

#endif
