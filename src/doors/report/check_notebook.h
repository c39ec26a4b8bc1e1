/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox check notebook.ipynb`: the guard reads each code cell with the names of earlier cells.
 */
#ifndef REPORT_CHECK_NOTEBOOK_H
#define REPORT_CHECK_NOTEBOOK_H

#include "run/check.h"
#include "text/notebook.h"

struct notebook_check {
    const struct run_request *request; /* the settings that all programs of the command share */
    const struct policy *policy;
    struct str prelude;
    unsigned stages;
};

/* Returns one verdict on all cells, which the caller frees; each finding has its "cell". NULL with
 * *err when the language of the notebook's kernel is unknown. */
json_t *check_notebook(const struct notebook_check *how, const struct notebook *nb,
                       struct err *err);

#endif
