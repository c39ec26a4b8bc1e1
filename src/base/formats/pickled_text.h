/* SPDX-License-Identifier: Apache-2.0
 *
 * A pickle of one text, compressed and in base64, as LiveCodeBench publishes cases. In general, a
 * pickle is a program for a machine that can call every function of Python. This reads only the
 * instructions that Python writes for a text, runs nothing, and refuses all others.
 */
#ifndef FORMATS_PICKLED_TEXT_H
#define FORMATS_PICKLED_TEXT_H

#include "base/buf.h"
#include "base/err.h"

/* Appends the text, whose limit is that of `ret`. -1 with ERR_USAGE: it is something else, or too
 * long. */
int pickled_text_read(struct str base64, struct buf *ret, struct err *err);

#endif
