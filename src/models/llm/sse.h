/* SPDX-License-Identifier: Apache-2.0
 *
 * Server-sent events, parsed as they arrive: in chunks of any size, with CR, LF or CRLF, with
 * comments, `data:` with or without a space. Only the data are used; several data lines of one
 * event are joined with line ends.
 */
#ifndef LLM_SSE_H
#define LLM_SSE_H

#include "base/buf.h"
#include "base/err.h"

struct sse {
    struct buf line, data;
    bool after_cr; /* the next LF belongs to the line end */
    bool has_data;
    int (*event)(void *ctx, struct str data, struct err *err);
    void *ctx;
};

void sse_init(struct sse *sse, size_t event_max, int (*event)(void *, struct str, struct err *),
              void *ctx);
void sse_done(struct sse *sse);
/* Calls back for each complete event. -1 with ERR_LIMIT for an event that is too long, or with the
 * error that the callback set; then only sse_done may follow. */
int sse_feed(struct sse *sse, struct str bytes, struct err *err);
/* Call it at the end of the stream. An event counts even if the empty line after it is missing. */
int sse_end(struct sse *sse, struct err *err);

#endif
