/* SPDX-License-Identifier: Apache-2.0
 *
 * Routes for monitoring: /healthz, /readyz, /metrics, /openapi.json. All are answered in the loop.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "routes/openapi.h"
#include "routes/routes.h"
#include "server/metrics.h"
#include "server/workers.h"

enum { METRICS_MAX = 4 << 20 };

void handle_health(struct call *call)
{
    call_answer(call, 200, NULL, xstrdup("{\"status\":\"ok\"}\n"));
}

void handle_ready(struct call *call)
{
    struct workers_stats w;

    workers_stats(call->server->workers, &w);
    if (call->server->state != SERVER_SERVING)
        call_refuse(call, 503, NULL, "limit", "the daemon is stopping");
    else if (!w.free && w.queued >= (size_t)call->server->config->settings.queue)
        call_refuse(call, 503, "Retry-After: 1\r\n", "limit", "the queue is full");
    else
        call_answer(call, 200, NULL, xstrdup("{\"status\":\"ready\"}\n"));
}

/* The figures cover all owners. */
bool call_may_read_figures(struct call *call)
{
    if (call->operator|| token_list_names(&call->server->config->tokens) <= 1 ||
        strcmp(call->owner, "metrics") == 0)
        return true;
    call_refuse(
        call, 403, NULL, "policy",
        "there are several tokens, and these figures cover all clients: they are for the Unix "
        "socket, and for a token with the name 'metrics'");
    return false;
}

void handle_metrics(struct call *call)
{
    struct buf text;

    if (!call_may_read_figures(call))
        return;
    buf_init(&text, METRICS_MAX);
    metrics_write(call->server, &text);
    call_answer(call, 200, "text/plain; version=0.0.4; charset=utf-8", buf_take(&text));
}

void handle_openapi(struct call *call)
{
    struct server *server = call->server;

    if (!server->openapi)
        server->openapi = openapi_text();
    http_answer(call->x, &(struct http_answer){.status = 200,
                                               .body = server->openapi,
                                               .size = strlen(server->openapi),
                                               .lent = true});
}
