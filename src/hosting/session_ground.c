/* SPDX-License-Identifier: Apache-2.0 */
#include "hosting/session_ground.h"

#include <stdlib.h>

#include "base/mem.h"

struct session_ground *session_ground_new(void *settings, void (*drop_settings)(void *settings))
{
    struct session_ground *g = xcalloc(1, sizeof *g);

    atomic_init(&g->references, 1);
    g->settings = settings;
    g->drop_settings = drop_settings;
    request_parts_init(&g->parts);
    session_request_init(&g->request);
    tool_set_init(&g->tools);
    return g;
}

struct session_ground *session_ground_hold(struct session_ground *ground)
{
    atomic_fetch_add(&ground->references, 1);
    return ground;
}

void session_ground_drop(struct session_ground *g)
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

static int bind_data(const struct session_ground *g, struct session *session, struct err *err)
{
    return g->data ? session_set(session, g->data, err) : 0;
}

int session_ground_open(const struct session_ground *g, struct session **ret, struct err *err)
{
    if (session_open(&g->request, ret, err) < 0)
        return -1;
    if (bind_data(g, *ret, err) == 0)
        return 0;
    session_close(mem_take(ret));
    return -1;
}

int session_ground_restart(const struct session_ground *g, struct session *session, struct err *err)
{
    return session_restart(session, err) < 0 ? -1 : bind_data(g, session, err);
}
