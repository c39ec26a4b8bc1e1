/* SPDX-License-Identifier: Apache-2.0
 *
 * The statements of earlier cells that bound names (`ended` and `failed` of struct verdict), for
 * the verdicts on later cells (`earlier` of struct guard_input).
 */
#ifndef GUARD_EARLIER_H
#define GUARD_EARLIER_H

#include "base/buf.h"
#include "base/str.h"

enum { EARLIER_MAX = 32 << 10 }; /* bytes; the oldest statements are dropped first */

/* `names` keeps records with a NUL behind each; begin with buf_init(names, EARLIER_MAX). A known
 * record is not added again. */
void earlier_learn(struct buf *names, struct str records);
/* Appends the text: a line each. */
void earlier_text(const struct buf *names, struct buf *ret);

#endif
