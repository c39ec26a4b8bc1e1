/* SPDX-License-Identifier: Apache-2.0
 *
 * The report of `glovebox test` for people, case by case.
 */
#ifndef CLI_TEST_REPORT_H
#define CLI_TEST_REPORT_H

#include <stdio.h>

#include "judge/judge.h"

struct test_report {
    FILE *out;
    bool colour, quiet; /* quiet: only the failed cases */
};

void test_report_case(const struct test_report *report, const struct case_result *r);
void test_report_end(const struct test_report *report, const struct judge_result *r);

#endif
