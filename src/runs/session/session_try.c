/* SPDX-License-Identifier: Apache-2.0
 *
 * A cell that may be undone. A fork of the guest is made before it. A cell that may be kept runs in
 * the guest itself; if it is dropped, the fork replaces the guest. The reason: process id
 * namespaces nest with each fork, and a session that keeps its attempts must not nest deeper each
 * time. A cell that is always dropped runs in the fork.
 *
 * An origin can reach its fork, and the cell may be hostile. So the fork in reserve is sealed
 * before the cell runs. To drop the cell, its guest is killed first. If the seal is broken then,
 * the session cannot return to its earlier state: the attempt is lost, and the session is over.
 */
#include "base/fd.h"
#include "base/mem.h"
#include "session/session_impl.h"

int try_begin(struct session *s, const struct cell_request *cell, struct guest **ret,
              struct err *err)
{
    *ret = NULL;
    if (cell->attempt == TRY_NOT)
        return 0;
    *ret = guest_fork(s, err);
    if (*ret && cell->attempt == TRY_DROP) {
        guest_swap(s, ret);
        return 0;
    }
    if (*ret && backend_seal((*ret)->handle, err) == 0)
        return 0;
    if (*ret)
        guest_free(mem_take(ret));
    return err_wrap(err, "the cell cannot be tried");
}

static int check_copy(const struct guest *copy, struct err *err)
{
    if (backend_unseal(copy->handle, err) < 0)
        return -1;
    return fd_readable(copy->link.from)
               ? err_set(err, ERR_GUEST, "another process sent a message in its name")
               : 0;
}

/* Kills the cell's guest, and checks whether the other one can replace it. */
static enum cell_attempt drop(struct session *s, const struct cell_request *cell,
                              const struct guest *beside, struct result *r)
{
    struct err why;

    guest_kill(s->guest);
    if (cell->attempt == TRY_DROP || check_copy(beside, &why) == 0)
        return CELL_DROPPED;
    AUTO_FREE char *text =
        xasprintf("cell %u cannot be undone, because the cell could reach the copy "
                  "of the session from before it (%.80s)",
                  r->cell.number, why.msg);
    guest_end(s, ERR_GUEST, text);
    r->cell.ended = CELL_DIED;
    return CELL_LOST;
}

bool try_decide(struct session *s, const struct cell_request *cell, const struct guest *beside,
                struct result *ret)
{
    if (!beside)
        return true;
    bool kept = cell->attempt == TRY_KEEP_IF_DONE    ? ret->success
                : cell->attempt == TRY_KEEP_IF_ALIVE ? s->guest->live
                                                     : false;
    ret->cell.attempt = kept ? CELL_KEPT : drop(s, cell, beside, ret);
    return kept;
}

void try_end(struct session *s, struct guest *beside, const struct result *r)
{
    if (!beside)
        return;
    if (r->cell.attempt == CELL_DROPPED)
        guest_swap(s, &beside);
    /* Until now, the workspace of the fork in reserve was not recorded. */
    if (!s->guest->changes && s->guest->live)
        guest_look(s->guest, NULL, beside);
    guest_free(beside);
}
