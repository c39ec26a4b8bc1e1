/* SPDX-License-Identifier: Apache-2.0
 *
 * A cell that may be undone. A fork of the guest is made before it. Where it is not yet known
 * whether the cell's work is kept, the cell runs in the guest itself and the fork takes its place
 * if it is not: process id namespaces nest with each fork, and a session that keeps what it tries
 * should not sink deeper each time. What is to be dropped anyway runs in the fork.
 */
#include "session/session_impl.h"

int trial_begin(struct session *s, const struct cell_request *cell, struct guest **ret,
                struct err *err)
{
    *ret = NULL;
    if (cell->attempt == TRY_NOT)
        return 0;
    *ret = guest_fork(s, err);
    if (!*ret)
        return err_wrap(err, "the cell cannot be tried");
    if (cell->attempt == TRY_DROP)
        guest_swap(s, ret);
    return 0;
}

bool trial_decide(struct session *s, const struct cell_request *cell, const struct guest *beside,
                  struct result *ret)
{
    if (!beside)
        return true;
    bool kept = cell->attempt == TRY_KEEP_IF_DONE    ? ret->success
                : cell->attempt == TRY_KEEP_IF_ALIVE ? s->guest->live
                                                     : false;
    ret->cell.attempt = kept ? CELL_KEPT : CELL_DROPPED;
    return kept;
}

void trial_end(struct session *s, struct guest *beside, const struct result *r)
{
    if (!beside)
        return;
    if (r->cell.attempt == CELL_DROPPED)
        guest_swap(s, &beside);
    /* Nobody looked at a fork that was only kept in reserve. */
    if (!s->guest->changes && s->guest->live)
        guest_look(s->guest, NULL, beside);
    guest_free(beside);
}
