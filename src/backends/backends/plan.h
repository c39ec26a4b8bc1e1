/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PLAN_H
#define BACKENDS_PLAN_H

#include "backends/backend.h"
#include "jail/spec.h"

/* Fills in a jail spec from a job: root, ids, limits, arguments. `box_host` is the path of the
 * guest's disk on the host if there can be no private root. */
void plan_jail(const struct backend_job *job, const char *box_host, struct jail_spec *ret);

#endif
