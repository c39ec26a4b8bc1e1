/* SPDX-License-Identifier: Apache-2.0 */
#include "server/losses.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"

enum { AGAIN_MS = 60000, CALM_MS = 3000 };

void losses_add(struct losses *l, uint64_t count, const char *why)
{
    int64_t now = clock_mono_ms();

    l->total += count;
    l->since += count;
    l->failed_ms = now;
    if (l->failing && now < l->said_ms + AGAIN_MS)
        return;
    l->failing = true;
    l->said_ms = now;
    fprintf(stderr, "glovebox serve: %s; lost %s: %" PRIu64 ", and more until %s works again\n",
            why, l->rows, l->since, l->log);
}

static void losses_report(struct losses *l, const char *how)
{
    fprintf(stderr, "glovebox serve: %s %s; lost %s: %" PRIu64 "\n", l->log, how, l->rows,
            l->since);
    l->failing = false;
    l->since = 0;
}

bool losses_end(struct losses *l)
{
    if (!l->failing || clock_mono_ms() < l->failed_ms + CALM_MS)
        return false;
    losses_report(l, "works again");
    return true;
}

void losses_close(struct losses *l)
{
    if (l->failing)
        losses_report(l, "is closed");
}
