/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/idle.h"

#include "backends/backend.h"

int backend_pause(struct backend_guest *guest, struct err *err)
{
    return guest->backend->idle->pause(guest, err);
}

void backend_resume(struct backend_guest *guest)
{
    if (guest->backend->idle)
        guest->backend->idle->resume(guest);
}

int backend_activity(struct backend_guest *guest, uint64_t *ret, struct err *err)
{
    return guest->backend->idle->activity(guest, ret, err);
}
