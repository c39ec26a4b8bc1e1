/* SPDX-License-Identifier: Apache-2.0 */
#include "routes/session_json.h"

#include "formats/encoded.h"

static const char *const states[] = {
    [SESSION_IDLE] = "idle", [SESSION_BUSY] = "busy", [SESSION_DEAD] = "dead"};

json_t *session_json(const struct session_entry *e, const struct session_info *i)
{
    json_t *o = json_pack("{s:s, s:o, s:s, s:s, s:o}", "id", e->id, "name",
                          json_text_or_null(str_from(e->name)), "language", i->language, "state",
                          states[i->state], "parent", json_text_or_null(str_from(i->parent)));

    json_object_set_new(o, "cells", json_integer(i->cells));
    json_object_set_new(o, "created_ms", json_integer((json_int_t)i->created_ms));
    json_object_set_new(o, "used_ms", json_integer((json_int_t)i->used_ms));
    json_object_set_new(o, "idle_ms", json_integer((json_int_t)e->idle_ms));
    json_object_set_new(o, "memory_bytes", json_integer((json_int_t)i->memory_bytes));
    json_object_set_new(o, "cpu_ms", json_real((double)i->cpu_us / 1000));
    session_wall(e->session, o);
    json_object_set_new(o, "why", json_text_or_null(str_from(i->why)));
    return o;
}
