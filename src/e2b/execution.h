/* SPDX-License-Identifier: Apache-2.0
 *
 * What the code interpreter of a sandbox says while it runs a cell: lines of JSON, each an object
 * with a "type". It is as hostile as the cell.
 */
#ifndef E2B_EXECUTION_H
#define E2B_EXECUTION_H

#include <jansson.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum { EXECUTION_LINE_MAX = 32 << 20 };

enum execution_kind {
    EXECUTION_OTHER, /* a sign of life, or what later versions add */
    EXECUTION_COUNT, /* the cell has begun: count */
    EXECUTION_OUTPUT,
    EXECUTION_RESULT,
    EXECUTION_ERROR,
    EXECUTION_END,
};

/* Texts are views of the line, which execution_event_done releases. */
struct execution_event {
    enum execution_kind kind;
    int64_t count;
    int stream;                    /* 1 or 2 */
    struct str text;               /* of an output */
    struct str name, value, trace; /* of an error */
    json_t *line;
};

/* -1 with ERR_GUEST, and there is nothing to release. */
int execution_event_read(struct str text, struct execution_event *ret, struct err *err);
void execution_event_done(struct execution_event *event);

/* A result's representations, an object of media types: pictures first, text last. A new reference.
 */
json_t *execution_data(const struct execution_event *event);
/* Whether it is the value of the cell's last expression. */
bool execution_is_value(const struct execution_event *event);

#endif
