/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_LOOP_H
#define BACKENDS_LOOP_H

#include "backends/backend.h"

/* Runs a job through the jail helper to its end: start, stream, enforce limits, clean up. What
 * makes it the jail or the host backend is only which layers the job asks for. */
int loop_run(const struct backend_job *job, const struct backend_sink *sink,
             struct backend_outcome *ret, struct err *err);

#endif
