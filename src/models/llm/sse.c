/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/sse.h"

#include <string.h>

void sse_init(struct sse *sse, size_t event_max, int (*event)(void *, struct str, struct err *),
              void *ctx)
{
    *sse = (struct sse){.event = event, .ctx = ctx};
    buf_init(&sse->line, event_max);
    buf_init(&sse->data, event_max);
}

void sse_done(struct sse *sse)
{
    buf_done(&sse->line);
    buf_done(&sse->data);
}

static int too_long(struct err *err)
{
    return err_set(err, ERR_LIMIT, "one event of the stream is too long");
}

static int sse_dispatch(struct sse *sse, struct err *err)
{
    if (!sse->has_data)
        return 0;
    sse->has_data = false;
    int status = sse->event(sse->ctx, buf_str(&sse->data), err);
    buf_clear(&sse->data);
    return status;
}

static int sse_take_line(struct sse *sse, struct err *err)
{
    struct str line = buf_str(&sse->line);

    if (str_starts(line, "\xef\xbb\xbf"))
        line = str_slice(line, 3, line.n);
    if (line.n == 0)
        return sse_dispatch(sse, err);
    if (!str_starts(line, "data:") && !str_is(line, "data"))
        return 0;
    line = str_slice(line, strlen("data:"), line.n);
    line = str_slice(line, str_starts(line, " "), line.n);
    if ((sse->has_data && buf_addc(&sse->data, '\n') < 0) || buf_add_str(&sse->data, line) < 0)
        return too_long(err);
    sse->has_data = true;
    return 0;
}

/* Returns the number of bytes before the next line end. */
static size_t line_part(struct str bytes, bool *ret_ended)
{
    size_t n = 0;

    while (n < bytes.n && bytes.p[n] != '\n' && bytes.p[n] != '\r')
        n++;
    *ret_ended = n < bytes.n;
    return n;
}

int sse_feed(struct sse *sse, struct str bytes, struct err *err)
{
    bool ended;

    while (bytes.n) {
        if (sse->after_cr && bytes.p[0] == '\n')
            bytes = str_slice(bytes, 1, bytes.n);
        sse->after_cr = false;
        size_t n = line_part(bytes, &ended);
        if (buf_add(&sse->line, bytes.p, n) < 0)
            return too_long(err);
        if (!ended)
            return 0;
        sse->after_cr = bytes.p[n] == '\r';
        bytes = str_slice(bytes, n + 1, bytes.n);
        if (sse_take_line(sse, err) < 0)
            return -1;
        buf_clear(&sse->line);
    }
    return 0;
}

int sse_end(struct sse *sse, struct err *err)
{
    if (sse->line.n && sse_take_line(sse, err) < 0)
        return -1;
    buf_clear(&sse->line);
    return sse_dispatch(sse, err);
}
