/* SPDX-License-Identifier: Apache-2.0 */
#include "server/server.h"

#include "jail/pool.h"

struct pool *server_pool(const struct server *server)
{
    const struct pool_options options = {0};
    struct pool *pool;
    struct err err;

    if (pool_open(&options, &pool, &err) == 0)
        return pool;
    server_say(server, "no jails are kept ready: %s", err.msg);
    return NULL;
}
