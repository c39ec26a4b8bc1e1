/* SPDX-License-Identifier: Apache-2.0
 *
 * The statements of earlier cells that bound names: from `ended` and `failed` of struct verdict to
 * `earlier` of struct guard_input for later cells.
 */
#ifndef GUARD_EARLIER_H
#define GUARD_EARLIER_H

#include "base/buf.h"
#include "base/str.h"

enum { EARLIER_MAX = 32 << 10 }; /* bytes; the oldest statements are dropped first */

/* Adds records to `names`, where each is followed by a NUL; call buf_init(names, EARLIER_MAX)
 * first. A record that is already there is not added again. */
void earlier_learn(struct buf *names, struct str records);
/* Appends all records, each as a line. */
void earlier_text(const struct buf *names, struct buf *ret);

#endif
