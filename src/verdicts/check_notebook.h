/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox check notebook.ipynb`: the guard reads each code cell with the names of earlier cells.
 */
#ifndef VERDICTS_CHECK_NOTEBOOK_H
#define VERDICTS_CHECK_NOTEBOOK_H

#include "session/check.h"
#include "text/notebook.h"

struct notebook_check {
    const struct run_request *request; /* the part that all programs have in common */
    const struct policy *policy;
    struct str prelude;
    unsigned stages;
};

/* One verdict on all cells, which the caller frees: each finding has its "cell". NULL with *err
 * when the kernel's language is not known. */
json_t *check_notebook(const struct notebook_check *how, const struct notebook *nb,
                       struct err *err);

#endif
