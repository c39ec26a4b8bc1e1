/* SPDX-License-Identifier: Apache-2.0
 *
 * A long answer of the engine: a line with a JSON object for each step of its work.
 */
#ifndef DOCKER_JSON_STREAM_H
#define DOCKER_JSON_STREAM_H

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"

struct json_stream {
    void (*object)(void *ctx, const json_t *object); /* lent */
    void *ctx;
    struct buf line;
};

enum { JSON_STREAM_LINE_MAX = 1 << 20 };

/* Reads whole lines of the bytes so far. A line that is no object is skipped. ERR_GUEST for one
 * that is too long. */
int json_stream_add(struct json_stream *stream, struct str bytes, struct err *err);
/* The last line, if no line end came. */
void json_stream_end(struct json_stream *stream);

#endif
