/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a long answer of a container engine: objects line by line. Cut at each place of its
 * beginning, it gives the same objects; and what an object says is one line that a terminal may
 * show.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "docker/engine_parts.h"
#include "docker/json_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct seen {
    size_t objects, members, bytes;
    bool failed;
};

static void take(void *ctx, const json_t *object)
{
    struct seen *seen = ctx;
    const char *error = json_string_value(json_object_get(object, "error"));
    char shown[ENGINE_PROBLEM_MAX];

    assert(json_is_object(object));
    seen->objects++;
    seen->members += json_object_size(object);
    engine_show(error ? error : "", shown, sizeof shown);
    for (const char *p = shown; *p; p++)
        assert((unsigned char)*p >= ' ' && *p != 0x7F);
    seen->bytes += strlen(shown);
}

static struct seen read_all(struct str first, struct str second)
{
    struct seen seen = {0};
    struct json_stream stream = {.object = take, .ctx = &seen};
    struct err err;

    seen.failed =
        json_stream_add(&stream, first, &err) < 0 || json_stream_add(&stream, second, &err) < 0;
    json_stream_end(&stream);
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str all = {n ? (const char *)data : "", n};
    struct seen whole = read_all(all, STR(""));

    for (size_t cut = 0; cut <= n && cut < 32; cut++) {
        struct seen parts = read_all(str_slice(all, 0, cut), str_slice(all, cut, n));
        assert(parts.objects == whole.objects && parts.members == whole.members &&
               parts.bytes == whole.bytes && parts.failed == whole.failed);
    }
    return 0;
}
