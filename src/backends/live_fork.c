/* SPDX-License-Identifier: Apache-2.0
 *
 * Forks of a guest (live.h).
 */
#include "backends/live_parts.h"

int live_fork(struct live *origin, const struct backend_job *job, const struct backend_sink *sink,
              struct backend_outcome *ret, struct live **ret_live, struct err *err)
{
    (void)job;
    (void)sink;
    (void)ret;
    (void)ret_live;
    return err_set(err, ERR_UNSUPPORTED, "%s", origin->out->no_fork);
}

int live_forked(struct live *fork, struct err *err)
{
    (void)fork;
    return err_set(err, ERR_BUG, "there is no fork");
}
