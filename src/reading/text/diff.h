/* SPDX-License-Identifier: Apache-2.0
 *
 * The difference between two texts, as `diff -u` and `patch` have it.
 */
#ifndef TEXT_DIFF_H
#define TEXT_DIFF_H

#include "base/buf.h"

struct diff_side {
    const char *name; /* must not contain a line feed, which would end the header */
    struct str text;
};

/* Appends a unified diff with three lines of context; nothing if the texts are equal. If the texts
 * differ in more than some thousand lines, the whole differing middle is replaced. At the buffer's
 * ceiling the diff is cut between lines. */
void diff_add(const struct diff_side *before, const struct diff_side *after, struct buf *out);

#endif
