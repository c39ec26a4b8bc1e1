/* SPDX-License-Identifier: Apache-2.0
 *
 * The report of `glovebox test` for people, case by case. It is made only from the judge's document
 * (judge_document), which --json prints and the daemon sends.
 */
#ifndef REPORT_TEST_REPORT_H
#define REPORT_TEST_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct test_report {
    FILE *out;
    bool colour, quiet; /* quiet: only the failed cases */
};

/* Prints a row of `test_results`. */
void test_report_case(const struct test_report *report, const json_t *row);
void test_report_end(const struct test_report *report, const json_t *document);

#endif
