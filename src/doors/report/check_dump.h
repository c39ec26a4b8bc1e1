/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox check --dump-ast`: the tree of a Python program.
 */
#ifndef REPORT_CHECK_DUMP_H
#define REPORT_CHECK_DUMP_H

#include "run/check.h"

enum check_dump {
    CHECK_DUMP_DONE,
    /* the program does not compile: its error was printed as a finding of the guard */
    CHECK_DUMP_REFUSED,
    CHECK_DUMP_FAILED, /* no tree could be made: *err has the reason */
};

/* Prints the tree to standard output. `shown` is the program's name in findings. */
enum check_dump check_dump(struct examination *e, const char *shown, bool attributes,
                           struct err *err);

#endif
