/* SPDX-License-Identifier: Apache-2.0 */
#include "jail/contained_wire.h"

#include "base/mem.h"

static void put_list(struct buf *b, char *const *list)
{
    uint32_t n = 0;

    while (list[n])
        n++;
    wire_put_u32(b, n);
    for (uint32_t i = 0; i < n; i++)
        wire_put_cstr(b, list[i]);
}

void contained_plan_put(struct buf *b, const struct contained_plan *plan)
{
    wire_put_cstr(b, plan->path);
    put_list(b, plan->argv);
    put_list(b, plan->env);
    wire_put_str(b, plan->folder);
    wire_put_u32(b, plan->has_stdin);
    wire_put_u32(b, plan->has_channel);
    wire_put_u32(b, plan->has_lay);
    wire_put_str(b, plan->channel_file);
    wire_put_u32(b, plan->waits);
    wire_put_u32(b, plan->has_words);
    wire_put_cstr(b, plan->wait_file);
    wire_put_u64(b, plan->disk_bytes);
    wire_put_u64(b, plan->inodes);
    wire_put_u64(b, plan->cpu_ms);
    wire_put_u32(b, plan->open_files);
    wire_put_u32(b, plan->required);
}

bool contained_plan_get(struct str record, struct contained_plan *ret)
{
    struct wire w = {.rest = record};

    ret->path = wire_cstr(&w);
    ret->argv = wire_list(&w);
    ret->env = wire_list(&w);
    ret->folder = wire_str(&w);
    ret->has_stdin = wire_u32(&w);
    ret->has_channel = wire_u32(&w);
    ret->has_lay = wire_u32(&w);
    ret->channel_file = wire_str(&w);
    ret->waits = wire_u32(&w);
    ret->has_words = wire_u32(&w);
    ret->wait_file = wire_cstr(&w);
    ret->disk_bytes = wire_u64(&w);
    ret->inodes = wire_u64(&w);
    ret->cpu_ms = wire_u64(&w);
    ret->open_files = wire_u32(&w);
    ret->required = wire_u32(&w);
    return wire_ok(&w) && ret->path && ret->path[0] && ret->argv[0] && ret->wait_file;
}
