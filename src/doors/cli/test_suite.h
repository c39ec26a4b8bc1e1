/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox test --suite`.
 */
#ifndef CLI_TEST_SUITE_H
#define CLI_TEST_SUITE_H

#include "console/options.h"
#include "judge/judge.h"

/* Returns the exit status, or -1 with *err. *request has the settings of all tasks. */
int test_suite(const struct cli_options *options, const struct judge_request *request,
               struct err *err);

/* True for the name of a file of samples or problems. */
bool test_suite_is_name(const char *name);

#endif
