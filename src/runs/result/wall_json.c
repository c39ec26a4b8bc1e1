/* SPDX-License-Identifier: Apache-2.0 */
#include "result/wall_json.h"

#include <pthread.h>
#include <stddef.h>

#include "backends/backend.h"
#include "base/mem.h"
#include "limits/cgroup.h"
#include "network/rows.h"
#include "result/verdict_json.h"

/* ---- layers ---- */

/* Computed once: examining the host takes time, and every result of a host without control groups
 * needs this. */
static struct cgroup_place places[CGROUP_PLACES];
static pthread_once_t places_once = PTHREAD_ONCE_INIT;

static void describe_places(void)
{
    cgroup_describe(places);
}

static const char *why_no_group(unsigned layer)
{
    (void)pthread_once(&places_once, describe_places);
    for (size_t i = 0; i < CGROUP_PLACES; i++)
        if ((unsigned)places[i].layer == layer && places[i].why[0])
            return places[i].why;
    return "there is no control group for it";
}

/* Returns why the jail could not get the layer; NULL if it has the layer or did not request it. */
static const char *why_lost(const struct backend_outcome *o, unsigned layer)
{
    for (size_t i = 0; i < o->lost_count; i++)
        if (o->lost[i].layers & LAYER_BIT(layer))
            return o->lost[i].why;
    return NULL;
}

/* Returns why the layer does not hold. The caller frees. */
static char *why_missing(const struct backend_outcome *o, unsigned layer)
{
    layer_mask bit = LAYER_BIT(layer);

    if (o->backend && !(o->backend->layers & bit))
        return xasprintf("backend %s never has it", o->backend->name);
    if (o->absent & bit)
        return xstrdup(o->absent_why);
    if (!(o->wanted & bit))
        return xasprintf("it was left out: --without%s",
                         layer == LAYER_NETNS ? ", or --net host" : "");
    if (CGROUP_LAYERS & bit)
        return xstrdup(why_no_group(layer));
    return xstrdup("this host does not have it ('glovebox doctor' prints more)");
}

/* The parts of the host that Landlock and the filter do not hide from the guest. */
#define READABLE "; names, sizes, times and attributes of the host's files can be read"

static json_t *missing_layer(const struct backend_outcome *o, unsigned layer)
{
    const char *lost = why_lost(o, layer);
    AUTO_FREE char *reason = lost ? xstrdup(lost) : why_missing(o, layer);
    bool readable = layer == LAYER_ROOT && (o->held & LAYER_BIT(LAYER_LANDLOCK));
    AUTO_FREE char *why = xasprintf("%s%s", reason, readable ? READABLE : "");

    return json_pack("{s:s, s:o, s:b}", "layer", jail_layers[layer].name, "why",
                     json_text(str_from(why)), "lost", lost != NULL);
}

json_t *wall_isolation(layer_mask held)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < LAYER_COUNT; i++)
        if (held & LAYER_BIT(i))
            json_array_append_new(list, json_string_nocheck(jail_layers[i].name));
    return list;
}

json_t *wall_missing(const struct backend_outcome *o)
{
    layer_mask missing = o->held ? LAYERS_ALL & ~o->held : o->started ? LAYERS_ALL : o->lacking;
    json_t *list = json_array();

    for (unsigned i = 0; i < LAYER_COUNT; i++)
        if (missing & LAYER_BIT(i))
            json_array_append_new(list, missing_layer(o, i));
    return list;
}

json_t *wall_denied(const struct backend_outcome *o)
{
    json_t *list = json_array();

    for (size_t i = 0; i < o->denied_count; i++)
        json_array_append_new(list, json_pack("{s:o, s:I}", "name",
                                              json_text(str_from(o->denied[i].name)), "count",
                                              (json_int_t)o->denied[i].count));
    return list;
}

static json_t *text_or_null(const char *text)
{
    return *text ? json_text(str_from(text)) : json_null();
}

json_t *wall_network(const struct net_rows *rows)
{
    json_t *list = json_array();

    for (const struct net_row *r = rows->list; r < rows->list + rows->n; r++)
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:b, s:o, s:I, s:I, s:I}", "host",
                            json_text(str_from(r->host)), "port",
                            r->port ? json_integer(r->port) : json_null(), "address",
                            text_or_null(r->address), "allowed", r->allowed, "reason",
                            text_or_null(r->reason), "count", (json_int_t)r->count, "bytes_in",
                            (json_int_t)r->bytes_in, "bytes_out", (json_int_t)r->bytes_out));
    return list;
}

uint64_t wall_network_refused(const struct net_rows *rows)
{
    uint64_t refused = 0;

    for (size_t i = 0; i < rows->n; i++)
        refused += rows->list[i].allowed ? 0 : rows->list[i].count;
    return refused;
}

void wall_set(json_t *object, const struct backend_outcome *outcome, struct str warnings)
{
    json_object_set_new_nocheck(object, "missing", wall_missing(outcome));
    json_object_set_new_nocheck(object, "warnings", json_lines(warnings));
}
