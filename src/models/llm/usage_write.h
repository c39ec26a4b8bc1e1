/* SPDX-License-Identifier: Apache-2.0
 *
 * Records the usage of a flow, for `glovebox usage`. Every front door through which a model is
 * asked calls this once for each llm or run.
 */
#ifndef LLM_USAGE_WRITE_H
#define LLM_USAGE_WRITE_H

#include "base/err.h"
#include "llm/usage.h"

struct usage_of {
    const char *log;    /* as run_request.log: NULL for the default one, "off" for none */
    const char *run_id; /* the run that the usage belongs to; NULL or "" for none */
    const char *provider, *model;
};

/* Writes a row for each component to the run log. */
int usage_write(const struct usage_of *what, const struct llm_usage_table *table, struct err *err);

#endif
