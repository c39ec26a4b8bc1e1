/* SPDX-License-Identifier: Apache-2.0 */
#include "run/reporter.h"

#include "base/fd.h"
#include "run/cell_decode.h"

void reporter_event(const struct reporter *t, struct run_event event)
{
    event.result = t->result;
    if (t->watch->event)
        t->watch->event(t->watch->ctx, &event);
}

void reporter_bundle(const struct reporter *t, json_t *bundle)
{
    if (!t->result->results)
        t->result->results = json_array();
    json_array_append_new(t->result->results, bundle);
    reporter_event(t, (struct run_event){.kind = RUN_DISPLAY, .bundle = bundle});
}

int reporter_display(const struct reporter *t, struct displays *d, struct str bytes,
                     struct err *err)
{
    bool room = bytes.n <= DISPLAYS_BYTES_MAX - d->bytes &&
                json_array_size(t->result->results) < DISPLAYS_MAX;
    json_t *value = room ? cell_decode(bytes, err) : NULL;
    size_t values = cell_count_values(value);
    bool fits = room && values <= CELL_VALUES_MAX - d->values;
    json_t *bundle = fits ? cell_bundle(value) : NULL;

    json_decref(value);
    if (room && !value)
        return -1;
    d->dropped += !fits;
    if (!bundle)
        return fits;
    d->bytes += bytes.n;
    d->values += values;
    reporter_bundle(t, bundle);
    return 0;
}

/* With all_output, the events have all output; without it, only the part that the result keeps. */
void reporter_output(const struct reporter *t, int stream, const char *p, size_t n)
{
    struct capture *c = stream == 1 ? &t->result->out : &t->result->err;
    uint64_t before = c->total, left = before < c->limit ? c->limit - before : 0;
    size_t shown = t->watch->all_output || left > n ? n : (size_t)left;

    capture_add(c, p, n);
    if (shown)
        reporter_event(
            t, (struct run_event){.kind = RUN_OUTPUT, .stream = stream, .text = {p, shown}});
    if (before <= c->limit && capture_truncated(c))
        reporter_limit(t, LIMIT_OUTPUT);
}

bool reporter_room(const struct reporter *t, int stream, struct pollfd *ret)
{
    return !t->watch->room || t->watch->room(t->watch->ctx, stream, ret);
}

void reporter_warnings(const struct reporter *t, size_t from)
{
    struct str rest = str_slice(buf_str(&t->result->warnings), from, t->result->warnings.n), line;

    while (str_next_line(&rest, &line))
        reporter_event(t, (struct run_event){.kind = RUN_WARNING, .text = line});
}

void reporter_denied(const struct reporter *t, const char *name, uint64_t count)
{
    reporter_event(t, (struct run_event){.kind = RUN_DENIED, .name = name, .count = count});
}

void reporter_limit(const struct reporter *t, enum jail_limit_hit hit)
{
    t->result->limits_hit |= hit;
    reporter_event(t, (struct run_event){.kind = RUN_LIMIT, .name = limit_name(hit)});
}

void reporter_cancel_reason(const struct reporter *t)
{
    if (t->result->cancelled && !t->result->error.kind && t->watch->why_cancelled)
        t->watch->why_cancelled(t->watch->ctx, &t->result->error);
}

void reporter_files(const struct reporter *t, struct err *err)
{
    struct result *r = t->result;

    if (err->kind) {
        r->success = false;
        r->cancelled |= fd_readable(t->watch->cancel_fd);
        err_wrap(err, "cannot copy the files out");
        if (!r->cancelled)
            r->error = *err;
    }
    for (size_t i = 0; i < r->files.count; i++)
        reporter_event(t, (struct run_event){.kind = RUN_FILE, .file = &r->files.entries[i]});
}
