/* SPDX-License-Identifier: Apache-2.0
 *
 * The one input of a command that turns text into text.
 */
#ifndef CONSOLE_REPLY_INPUT_H
#define CONSOLE_REPLY_INPUT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/opt.h"

#define REPLY_INPUT_MAX ((size_t)64 << 20)

/* Opens the named file, or standard input for "-" and for no name. `what` describes the input. */
int reply_input_read(const struct opt_args *args, const char *what, struct buf *ret,
                     struct err *err);

#endif
