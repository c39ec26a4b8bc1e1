/* SPDX-License-Identifier: Apache-2.0
 *
 * Routes about the daemon itself: GET /, GET /v1/status, POST /v1/stop. All are answered in the
 * loop.
 */
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "formats/encoded.h"
#include "formats/json_write.h"
#include "routes/routes.h"
#include "server/job.h"
#include "server/metrics.h"
#include "server/workers.h"

static const char *const states[] = {
    [SERVER_SERVING] = "serving", [SERVER_DRAINING] = "stopping", [SERVER_CANCELLING] = "stopping"};

json_t *server_status(const struct server *server)
{
    struct session_totals sessions;
    struct workers_stats workers;
    json_t *listening = json_array();

    sessions_totals(server->sessions, &sessions);
    workers_stats(server->workers, &workers);
    for (size_t i = 0; i < server->listener_count; i++)
        json_array_append_new(listening, json_text(str_from(server->listeners[i].name)));
    return json_pack("{s:i, s:s, s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "pid", (int)getpid(),
                     "version", GLOVEBOX_VERSION, "state", states[server->state], "listening",
                     listening, "started_ms", (json_int_t)server->began_wall_ms, "uptime_ms",
                     (json_int_t)(clock_mono_ms() - server->began_ms), "sessions",
                     (json_int_t)sessions.count, "running", (json_int_t)workers.busy, "waiting",
                     (json_int_t)workers.queued, "runs",
                     (json_int_t)metrics_total(server->metrics));
}

static void handle_daemon_answer(struct call *call, json_t *doc)
{
    char *text = json_write(doc, false);

    json_decref(doc);
    call_answer(call, 200, NULL, text);
}

/* For people with a browser or curl, and for a client that checks which program answers at this
 * address. */
void handle_about(struct call *call)
{
    handle_daemon_answer(call, json_pack("{s:s, s:s, s:s, s:s, s:s}", "name", "glovebox", "version",
                                         GLOVEBOX_VERSION, "openapi", "/openapi.json", "help",
                                         "glovebox help http", "docs",
                                         "share/doc/glovebox/docs/http.md"));
}

void handle_status(struct call *call)
{
    if (call_may_read_figures(call))
        handle_daemon_answer(call, server_status(call->server));
}

/* ---- stopping ---- */

struct stop_fields {
    int64_t drain_ms;
};
const struct setting stop_rows[] = {
    {.field = "drain_ms",
     .opt = {.kind = OPT_DURATION, .offset = offsetof(struct stop_fields, drain_ms)},
     .meaning = "time for current runs to end; default: the daemon's --drain"},
    {.field = NULL},
};

static bool may_stop(struct call *call)
{
    if (call_is_own_user(call))
        return true;
    call_refuse(
        call, 403, NULL, "policy",
        "only the daemon's own user may stop it, over its Unix socket; a daemon without one "
        "ends with 'kill PID' ('glovebox serve --status' shows the PID)");
    return false;
}

void handle_stop(struct call *call)
{
    static const struct ask_form form = {.own = stop_rows};
    struct stop_fields fields = {.drain_ms = -1};
    json_t *doc = NULL;
    struct err err;

    if (!may_stop(call))
        return;
    if (json_read(call->x->body, &doc, &err) < 0 ||
        ask_read(&form, doc, call_rules(call), &fields, &err) < 0) {
        json_decref(doc);
        call_fail(call, &err);
        return;
    }
    json_decref(doc);
    server_stop(call->server, fields.drain_ms);
    int64_t left = call->server->drain_until_ms - clock_mono_ms();
    handle_daemon_answer(call, json_pack("{s:b, s:i, s:I}", "stopping", 1, "pid", (int)getpid(),
                                         "drain_ms", (json_int_t)(left > 0 ? left : 0)));
}
