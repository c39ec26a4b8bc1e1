/* SPDX-License-Identifier: Apache-2.0
 *
 * Plain little-endian records between our own processes. Writing appends to a struct buf; reading
 * has a sticky failure, so that a decoder reads everything and asks `wire_ok` once. Nothing is
 * trusted: every length is checked against what is left.
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
/* A copy the caller frees; refuses NUL inside. */
char *wire_cstr(struct wire *w);
/* A count of things that take at least `least` bytes each: refused when they cannot all be there.
 */
uint32_t wire_count(struct wire *w, uint32_t least);
/* All was read, nothing is left over. */
bool wire_ok(const struct wire *w);

#endif
