/* SPDX-License-Identifier: Apache-2.0
 *
 * The totals of suites, on standard output: of each, and their sum if there are several.
 */
#ifndef REPORT_SUITE_TOTALS_H
#define REPORT_SUITE_TOTALS_H

#include "judge/suite.h"

enum { SUITE_K_MAX = 16 };

struct suite_report {
    const char *const *paths; /* of the suites */
    size_t path_n, problems;  /* problems: in the file of --problems; 0 without it */
    const char *pass_at;      /* the text of --k, or NULL */
    const char *results;      /* the file of --results, or NULL */
    bool json;
    int64_t begin_ns;
};

/* Reads the text of --k. Returns the number of values, or -1. */
int suite_totals_ks(const char *text, size_t ks[SUITE_K_MAX], struct err *err);
/* Sets the totals' numbers of samples, too. */
void suite_totals_report(const struct suite_report *report, struct suite_totals *totals);

#endif
