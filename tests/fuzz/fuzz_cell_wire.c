/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as what a session's guest sends: cut anywhere, the frames are the same, and each one's
 * JSON is decoded within its limits or refused.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/cell_wire.h"
#include "run/cell_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct seen {
    size_t frames, bytes, decoded;
    int broken;
};

static void take(struct cell_reader *r, struct seen *seen)
{
    const struct result result = {.language = "python", .cell.number = 1};
    struct cell_frame frame;
    struct err err;

    while (!seen->broken) {
        int got = cell_reader_next(r, &frame, &err);
        seen->broken = got < 0;
        if (got <= 0)
            return;
        seen->frames++;
        seen->bytes += frame.bytes.n + frame.id;
        json_t *value = cell_decode(frame.bytes, &err);
        seen->decoded += value != NULL;
        json_t *bundle = value ? cell_bundle(value) : NULL;
        assert(!bundle || json_is_object(json_object_get(bundle, "data")));
        json_decref(bundle);
        result_exception_free(value ? cell_exception(value, &result, STR("x = 1\n"), NULL) : NULL);
        json_decref(value);
    }
}

static struct seen feed(const uint8_t *data, size_t n, size_t step)
{
    struct seen seen = {0};
    struct cell_reader r;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        abort();
    cell_reader_init(&r);
    for (size_t i = 0; i < n && !seen.broken; i += step) {
        ssize_t put = write(ends[1], data + i, n - i < step ? n - i : step);
        assert(put > 0);
        while (cell_reader_fill(&r, ends[0]) > 0)
            take(&r, &seen);
    }
    cell_reader_done(&r);
    close(ends[0]);
    close(ends[1]);
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > 60000)
        return 0;
    struct seen whole = feed(data, n, n ? n : 1), small = feed(data, n, 7);

    assert(whole.broken == small.broken && whole.frames == small.frames &&
           whole.bytes == small.bytes && whole.decoded == small.decoded);
    return 0;
}
