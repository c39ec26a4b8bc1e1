/* SPDX-License-Identifier: Apache-2.0
 *
 * Plain little-endian records between our own processes. Writing appends to a struct buf; a failed
 * read makes all later reads fail, so that a decoder reads everything and then checks `wire_ok`
 * once. Nothing is trusted: every length is checked against the bytes that are left.
 */
#ifndef BASE_WIRE_H
#define BASE_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

void wire_put_u32(struct buf *b, uint32_t v);
void wire_put_u64(struct buf *b, uint64_t v);
void wire_put_str(struct buf *b, struct str s);
void wire_put_cstr(struct buf *b, const char *s); /* NULL is written as empty */

struct wire {
    struct str rest;
    bool bad;
};

uint32_t wire_u32(struct wire *w);
uint64_t wire_u64(struct wire *w);
struct str wire_str(struct wire *w);
/* A copy, which the caller frees. A string with a NUL inside is a failure. */
char *wire_cstr(struct wire *w);
/* A count of items of at least `least` bytes each: a failure if so many cannot be in the rest. */
uint32_t wire_count(struct wire *w, uint32_t least);
/* A NULL-terminated list: a count, and so many strings. The caller frees the list and each. */
char **wire_list(struct wire *w);
/* True if no read failed and no bytes are left over. */
bool wire_ok(const struct wire *w);

#endif
