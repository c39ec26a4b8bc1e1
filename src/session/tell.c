/* SPDX-License-Identifier: Apache-2.0 */
#include "session/tell.h"

void tell(const struct teller *t, struct run_event event)
{
    event.result = t->result;
    if (t->watch->event)
        t->watch->event(t->watch->ctx, &event);
}

/* With all_output, the events have all output; only the result has a limit. */
void tell_output(const struct teller *t, int stream, const char *p, size_t n)
{
    struct capture *c = stream == 1 ? &t->result->out : &t->result->err;
    uint64_t before = c->total, left = before < c->limit ? c->limit - before : 0;
    size_t shown = t->watch->all_output || left > n ? n : (size_t)left;

    capture_add(c, p, n);
    if (shown)
        tell(t, (struct run_event){.kind = RUN_OUTPUT, .stream = stream, .text = {p, shown}});
    if (before <= c->limit && capture_truncated(c))
        tell_limit(t, LIMIT_OUTPUT);
}

bool tell_room(const struct teller *t, int stream, struct pollfd *ret)
{
    return !t->watch->room || t->watch->room(t->watch->ctx, stream, ret);
}

void tell_warnings(const struct teller *t, size_t from)
{
    struct str rest = str_slice(buf_str(&t->result->warnings), from, t->result->warnings.n), line;

    while (str_next_line(&rest, &line))
        tell(t, (struct run_event){.kind = RUN_WARNING, .text = line});
}

void tell_denied(const struct teller *t, const char *name, uint64_t count)
{
    tell(t, (struct run_event){.kind = RUN_DENIED, .name = name, .count = count});
}

void tell_limit(const struct teller *t, enum jail_limit_hit hit)
{
    t->result->limits_hit |= hit;
    tell(t, (struct run_event){.kind = RUN_LIMIT, .name = limit_name(hit)});
}

void tell_why(const struct teller *t)
{
    if (t->result->cancelled && !t->result->error.kind && t->watch->why_cancelled)
        t->watch->why_cancelled(t->watch->ctx, &t->result->error);
}

void tell_files(const struct teller *t)
{
    for (size_t i = 0; i < t->result->files.count; i++)
        tell(t, (struct run_event){.kind = RUN_FILE, .file = &t->result->files.entries[i]});
}
