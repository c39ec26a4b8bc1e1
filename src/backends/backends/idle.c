/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/idle.h"

#include "backends/backend.h"

int backend_pause(struct backend_guest *guest, struct err *err)
{
    return guest->backend->idle->pause(guest, err);
}

void backend_resume(struct backend_guest *guest)
{
    if (guest->backend->idle && guest->backend->idle->resume)
        guest->backend->idle->resume(guest);
}

int backend_observe(struct backend_guest *guest, struct backend_observed *ret, struct err *err)
{
    const struct backend_idle *idle = guest->backend->idle;

    *ret = (struct backend_observed){0};
    return idle && idle->observe ? idle->observe(guest, ret, err) : 0;
}

int backend_commit(struct backend_guest *guest, const char *image, const char *owner,
                   struct err *err)
{
    const struct backend *backend = guest->backend;
    const char *why_not = backend_need(backend, CAN_COMMIT).why_not;

    if (why_not)
        return err_set(err, ERR_UNSUPPORTED, "backend %s %s", backend->name, why_not);
    return backend->idle->commit(guest, image, owner, err);
}
