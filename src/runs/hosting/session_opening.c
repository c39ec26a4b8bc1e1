/* SPDX-License-Identifier: Apache-2.0 */
#include "hosting/session_opening.h"

#include <stdlib.h>

#include "base/mem.h"

struct session_opening *session_opening_new(void *settings, void (*drop_settings)(void *settings))
{
    struct session_opening *g = xcalloc(1, sizeof *g);

    atomic_init(&g->references, 1);
    g->settings = settings;
    g->drop_settings = drop_settings;
    request_parts_init(&g->parts);
    session_request_init(&g->request);
    tool_set_init(&g->tools);
    return g;
}

struct session_opening *session_opening_hold(struct session_opening *opening)
{
    atomic_fetch_add(&opening->references, 1);
    return opening;
}

void session_opening_drop(struct session_opening *g)
{
    if (!g || atomic_fetch_sub(&g->references, 1) != 1)
        return;
    request_parts_done(&g->parts);
    tool_set_done(&g->tools);
    json_decref(g->doc);
    if (g->drop_settings)
        g->drop_settings(g->settings);
    free(g);
}

static int bind_data(const struct session_opening *g, struct session *session, struct err *err)
{
    return g->data ? session_set(session, g->data, err) : 0;
}

int session_opening_open(const struct session_opening *g, const struct run_watch *watch,
                         struct session **ret, struct err *err)
{
    struct session_request request = g->request;

    request.opening = watch;
    if (session_open(&request, ret, err) < 0)
        return -1;
    if (bind_data(g, *ret, err) == 0)
        return 0;
    session_close(mem_take(ret));
    return -1;
}

int session_opening_restart(const struct session_opening *g, struct session *session,
                            struct err *err)
{
    return session_restart(session, err) < 0 ? -1 : bind_data(g, session, err);
}
