/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules of a session's network: opened wide for an installation, for instance, and then locked.
 * Answered in the loop, because a cell that runs must not delay it.
 */
#include <jansson.h>
#include <stddef.h>

#include "base/mem.h"
#include "formats/json_get.h"
#include "routes/cell_parts.h"
#include "routes/routes.h"

struct network_fields {
    const char *net;
};
const struct setting network_rows[] = {
    {.field = "net",
     .opt = {.kind = OPT_STRING, .offset = offsetof(struct network_fields, net)},
     .code = CODE_NONE,
     .required = V_ANY,
     .meaning =
         "none, or allow:HOST,... as for a new session, at ports that its first rules named"},
    {.field = NULL},
};

static int set_network(struct call *call, struct session_entry *e, struct err *err)
{
    static const struct ask_form form = {.own = network_rows};
    struct network_fields fields = {0};
    json_t *doc = NULL;

    if (json_read(call->x->body, &doc, err) < 0)
        return -1;
    int result = ask_read(&form, doc, call_rules(call), &fields, err);
    if (result == 0)
        result = request_network(fields.net, call_rules(call), err);
    if (result == 0)
        result = session_set_network(e->session, fields.net, err);
    json_decref(doc);
    return result;
}

void handle_session_network(struct call *call)
{
    struct session_entry *e = session_of(call);
    struct err err;

    if (!e)
        return;
    if (set_network(call, e, &err) < 0)
        call_fail(call, &err);
    else
        call_answer(call, 200, NULL, xasprintf("{\"id\":\"%s\",\"done\":true}", e->id));
}

void handle_session_network_show(struct call *call)
{
    struct session_entry *e = session_of(call);

    if (!e)
        return;
    AUTO_FREE char *net = session_network(e->session);
    json_t *doc = json_pack("{s:s, s:s}", "id", e->id, "net", net);
    call_answer(call, 200, NULL, json_dumps(doc, JSON_COMPACT));
    json_decref(doc);
}
