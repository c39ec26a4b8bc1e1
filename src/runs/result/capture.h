/* SPDX-License-Identifier: Apache-2.0
 *
 * One output stream of a guest, kept up to a limit: the first half of it from the beginning and the
 * rest from the end, with a line between them that states how much is missing.
 */
#ifndef RESULT_CAPTURE_H
#define RESULT_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct capture {
    struct buf head; /* everything, until the limit is exceeded */
    char *tail;      /* a ring, allocated when needed */
    size_t limit, tail_size, tail_at;
    uint64_t total;
};

void capture_init(struct capture *c, size_t limit);
void capture_done(struct capture *c);
void capture_add(struct capture *c, const char *p, size_t n);
bool capture_truncated(const struct capture *c);

/* How many bytes of a stream's beginning and end were kept. All bytes of a complete stream are
 * head. */
struct capture_kept {
    size_t head, tail;
};
/* Appends the kept text, cut between lines, or between characters if the limit is small. The line
 * between head and tail is for people: code uses the returned numbers. */
struct capture_kept capture_text(const struct capture *c, struct buf *out);

#endif
