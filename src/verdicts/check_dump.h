/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox check --dump-ast`: the tree of a Python program.
 */
#ifndef VERDICTS_CHECK_DUMP_H
#define VERDICTS_CHECK_DUMP_H

#include "session/check.h"

enum check_dump {
    CHECK_DUMP_DONE,
    CHECK_DUMP_REFUSED, /* it does not compile: its error was printed, as a finding of the guard */
    CHECK_DUMP_FAILED,  /* there is no tree: *err says why */
};

/* Prints the tree to standard output. `shown` is the program's name in findings. */
enum check_dump check_dump(struct examination *e, const char *shown, bool attributes,
                           struct err *err);

#endif
