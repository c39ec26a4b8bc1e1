/* SPDX-License-Identifier: Apache-2.0 */
#include "result/wall_json.h"

#include <pthread.h>
#include <stddef.h>

#include "base/mem.h"
#include "jail/cgroup.h"
#include "result/verdict_json.h"

/* ---- layers ---- */

/* Asking the host is work, and every result of a host without control groups has the answer. */
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

static const char *why_missing(const struct backend_outcome *o, unsigned layer)
{
    for (size_t i = 0; i < o->lost_count; i++)
        if (o->lost[i].layers & LAYER_BIT(layer))
            return o->lost[i].why;
    if (!(o->wanted & LAYER_BIT(layer)))
        return "it was left out: --without, --net host, or a backend without a wall";
    if (CGROUP_LAYERS & LAYER_BIT(layer))
        return why_no_group(layer);
    return "this host does not have it ('glovebox doctor' says more)";
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
            json_array_append_new(list, json_pack("{s:s, s:o}", "layer", jail_layers[i].name, "why",
                                                  json_text(str_from(why_missing(o, i)))));
    return list;
}

json_t *wall_warnings(struct str lines)
{
    json_t *list = json_array();
    struct str line;

    while (str_next_line(&lines, &line))
        json_array_append_new(list, json_text(line));
    return list;
}

void wall_set(json_t *object, const struct backend_outcome *outcome, struct str warnings)
{
    json_object_set_new_nocheck(object, "missing", wall_missing(outcome));
    json_object_set_new_nocheck(object, "warnings", wall_warnings(warnings));
}

/* ---- limits ---- */

json_t *wall_limits(const struct jail_limits *l, uint64_t output_bytes)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:I}", "timeout_ms",
                     (json_int_t)l->wall_ms, "cpu_time_ms", (json_int_t)l->cpu_ms, "memory_bytes",
                     (json_int_t)l->memory_bytes, "disk_bytes", (json_int_t)l->disk_bytes, "inodes",
                     (json_int_t)l->inodes, "pids", (json_int_t)l->pids, "cpus",
                     (double)l->cpu_milli / 1000, "open_files", (json_int_t)l->open_files,
                     "output_limit_bytes", (json_int_t)output_bytes);
}

static uint64_t number(const json_t *object, const char *key)
{
    json_int_t n = json_integer_value(json_object_get(object, key));

    return n > 0 ? (uint64_t)n : 0;
}

void wall_read_limits(const json_t *object, struct jail_limits *ret)
{
    *ret = (struct jail_limits){
        .wall_ms = (int64_t)number(object, "timeout_ms"),
        .cpu_ms = (int64_t)number(object, "cpu_time_ms"),
        .memory_bytes = number(object, "memory_bytes"),
        .disk_bytes = number(object, "disk_bytes"),
        .inodes = number(object, "inodes"),
        .pids = (uint32_t)number(object, "pids"),
        .open_files = (uint32_t)number(object, "open_files"),
        .cpu_milli = (uint32_t)(json_number_value(json_object_get(object, "cpus")) * 1000 + 0.5),
    };
}
