/* SPDX-License-Identifier: Apache-2.0 */
#include "docker/json_stream.h"

static void pass(struct json_stream *stream)
{
    json_t *object = json_loadb(stream->line.p, stream->line.n, JSON_ALLOW_NUL, NULL);

    if (json_is_object(object))
        stream->object(stream->ctx, object);
    json_decref(object);
    buf_clear(&stream->line);
}

int json_stream_add(struct json_stream *stream, struct str bytes, struct err *err)
{
    while (bytes.n) {
        long end = str_find(bytes, STR("\n"));
        size_t n = end < 0 ? bytes.n : (size_t)end;
        if (!stream->line.limit)
            buf_init(&stream->line, JSON_STREAM_LINE_MAX);
        if (buf_add_str(&stream->line, str_slice(bytes, 0, n)) < 0)
            return err_set(err, ERR_GUEST, "a line of the engine's answer is too long");
        if (end < 0)
            return 0;
        pass(stream);
        bytes = str_slice(bytes, n + 1, bytes.n);
    }
    return 0;
}

void json_stream_end(struct json_stream *stream)
{
    if (stream->line.n)
        pass(stream);
    buf_done(&stream->line);
}
