/* SPDX-License-Identifier: Apache-2.0 */
#include "server/server.h"

#include "backends/pool.h"

struct backend_pool *server_pool(const struct server *server)
{
    /* By default an eighth of the machine's, as without a ceiling. */
    const struct backend_pool_options options = {.memory_max =
                                                     server->config->settings.guests_memory / 4};
    struct backend_pool *pool;
    struct err err;

    if (backend_pool_open(&options, &pool, &err) == 0)
        return pool;
    server_say(server, "no jails are kept ready: %s", err.msg);
    return NULL;
}
