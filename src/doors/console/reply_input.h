/* SPDX-License-Identifier: Apache-2.0
 *
 * The only input of a command that converts text.
 */
#ifndef CONSOLE_REPLY_INPUT_H
#define CONSOLE_REPLY_INPUT_H

#include "base/buf.h"
#include "base/err.h"
#include "options/opt.h"

#define REPLY_INPUT_MAX ((size_t)64 << 20)

/* Reads the named file, or standard input for "-" or without a name. `what` describes the input in
 * errors. */
int reply_input_read(const struct opt_args *args, const char *what, struct buf *ret,
                     struct err *err);

#endif
