/* SPDX-License-Identifier: Apache-2.0 */
#include "jail/message.h"

#include <string.h>

#include "base/wire.h"

static void message_copy_text(char *out, size_t n, struct str text)
{
    size_t take = text.n < n ? text.n : n - 1;

    memcpy(out, text.p, take);
    out[take] = '\0';
}

static void read_lost(struct wire *w, struct jail_state *s)
{
    layer_mask layers = wire_u32(w);
    struct str why = wire_str(w);

    if (s->lost_count == JAIL_LOST_MAX)
        return;
    struct jail_lost *lost = &s->lost[s->lost_count++];
    lost->layers = layers & LAYERS_ALL;
    message_copy_text(lost->why, sizeof lost->why, why);
}

static void read_started(struct wire *w, struct jail_state *s)
{
    s->held = wire_u32(w) & LAYERS_ALL;
    s->started = true;
}

static void read_ready(struct wire *w, struct jail_state *s)
{
    s->held = wire_u32(w) & LAYERS_ALL;
}

static void read_denial(struct wire *w, struct jail_denial *d)
{
    message_copy_text(d->name, sizeof d->name, wire_str(w));
    d->count = wire_u64(w);
}

static void read_end(struct wire *w, struct jail_state *s)
{
    struct jail_denial beyond;

    s->status = (int)wire_u32(w);
    s->alone = wire_u32(w) == 1;
    s->user_us = (int64_t)wire_u64(w);
    s->system_us = (int64_t)wire_u64(w);
    s->max_rss_kib = (int64_t)wire_u64(w);
    s->denied_count = 0;
    for (uint32_t left = wire_count(w, 12); left; left--) {
        bool room = s->denied_count < JAIL_DENIED_MAX;
        read_denial(w, room ? &s->denied[s->denied_count++] : &beyond);
    }
}

static void read_exit(struct wire *w, struct jail_state *s)
{
    read_end(w, s);
    s->exited = true;
}

/* If the guest was killed at a limit, MSG_EXIT never comes, so these counts are all there is. */
static void read_denied(struct wire *w, struct jail_state *s, struct jail_event *ret)
{
    struct jail_denial d;

    read_denial(w, &d);
    memcpy(ret->name, d.name, sizeof ret->name);
    ret->count = d.count;
    if (s->denied_count < JAIL_DENIED_MAX)
        s->denied[s->denied_count++] = d;
}

static void read_error(struct wire *w, struct jail_event *ret)
{
    uint32_t kind = wire_u32(w);

    ret->error.kind = kind > ERR_NONE && kind <= ERR_BUG ? (enum err_kind)kind : ERR_SYSTEM;
    ret->error.sys = (int)wire_u32(w);
    message_copy_text(ret->error.msg, sizeof ret->error.msg, wire_str(w));
}

static enum jail_event_kind message_read_body(enum jail_message kind, struct wire *w,
                                              struct jail_state *s, struct jail_event *ret)
{
    switch (kind) {
    case MSG_BORN:
    case MSG_NETWORK:
        return JAIL_NOTHING;
    case MSG_LOST:
        read_lost(w, s);
        return JAIL_NOTHING;
    case MSG_STARTED:
        read_started(w, s);
        return JAIL_STARTED;
    case MSG_DENIED:
        read_denied(w, s, ret);
        return JAIL_DENIED;
    case MSG_EXIT:
        read_exit(w, s);
        return JAIL_EXITED;
    case MSG_LEAVING:
        read_end(w, s);
        return JAIL_LEAVING;
    case MSG_ERROR:
        read_error(w, ret);
        return JAIL_FAILED;
    case MSG_READY:
        read_ready(w, s);
        return JAIL_READY;
    case MSG_LEFT:
        return JAIL_LEFT;
    case MSG_ENDS:
        return wire_u32(w) == END_LATE ? JAIL_LATE : JAIL_ORPHANED;
    case MSG_WAITED:
        s->forks_us += wire_u64(w);
        return JAIL_NOTHING;
    case MSG_FORK:
    case MSG_GATE:
    case MSG_LEAVE:
    case MSG_LET:
    case MSG_GO:
    case MSG_MAKE:
    case MSG_END:
    case MSG_INTERRUPT: /* only the library sends these */
    default:
        w->bad = true;
        return JAIL_NOTHING;
    }
}

enum jail_message message_read(struct str bytes, struct jail_state *state, struct jail_event *ret)
{
    struct wire w = {.rest = bytes};
    struct jail_state next = *state;

    *ret = (struct jail_event){.kind = JAIL_NOTHING};
    enum jail_message kind = (enum jail_message)wire_u32(&w);
    ret->kind = message_read_body(kind, &w, &next, ret);
    if (wire_ok(&w)) {
        *state = next;
    } else {
        *ret = (struct jail_event){.kind = JAIL_FAILED};
        err_set(&ret->error, ERR_BUG, "the jail's helper sent a damaged message of kind %d",
                (int)kind);
    }
    return kind;
}
