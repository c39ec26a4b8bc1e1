/* SPDX-License-Identifier: Apache-2.0
 *
 * A cell that may be undone. A fork of the guest is made before it. If it is not known in advance
 * whether the cell's work is kept, the cell runs in the guest itself, and the fork replaces the
 * guest if the work is dropped: process id namespaces nest with each fork, and a session that keeps
 * its attempts must not nest deeper each time. A cell that is dropped in any case runs in the fork.
 */
#include "session/session_impl.h"

int try_begin(struct session *s, const struct cell_request *cell, struct guest **ret,
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

bool try_decide(struct session *s, const struct cell_request *cell, const struct guest *beside,
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

void try_end(struct session *s, struct guest *beside, const struct result *r)
{
    if (!beside)
        return;
    if (r->cell.attempt == CELL_DROPPED)
        guest_swap(s, &beside);
    /* The workspace of a fork in reserve was not recorded before. */
    if (!s->guest->changes && s->guest->live)
        guest_look(s->guest, NULL, beside);
    guest_free(beside);
}
