/* SPDX-License-Identifier: Apache-2.0
 *
 * The difference between two texts, as `diff -u` and `patch` have it.
 */
#ifndef TEXT_DIFF_H
#define TEXT_DIFF_H

#include "base/buf.h"

struct diff_side {
    const char *name; /* a line feed in it would end the header: the caller's to avoid */
    struct str text;
};

/* Appends a unified diff with three lines of context; nothing for equal texts. Texts that differ in
 * more than some thousand lines are compared no further: their differing middle is replaced as a
 * whole. At the buffer's ceiling the diff is cut between lines. */
void diff_add(const struct diff_side *before, const struct diff_side *after, struct buf *out);

#endif
