/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox test --compare-results OLD NEW`: two files of results, sample by sample.
 */
#ifndef REPORT_COMPARE_RESULTS_H
#define REPORT_COMPARE_RESULTS_H

#include <stdbool.h>

#include "base/err.h"

/* Prints the comparison to standard output. Returns the exit status: 0, or 1 if a sample that had
 * passed did not pass again; -1 with *err if a file cannot be read or has no results. */
int compare_results(const char *old_path, const char *new_path, bool as_json, struct err *err);

#endif
