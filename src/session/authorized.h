/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SESSION_AUTHORIZED_H
#define SESSION_AUTHORIZED_H

#include <jansson.h>

#include "request/request.h"

/* The modules that must be installed because --allow-imports names them: smolagents refuses to
 * start without them (row P6). An empty list with other profiles. The caller owns it. */
json_t *authorized_json(const struct run_request *q);
/* Appends Python code that raises smolagents' error when a module is missing, or nothing. */
void authorized_python(const struct run_request *q, struct buf *out);

#endif
