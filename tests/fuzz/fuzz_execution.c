/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as what a code interpreter says of a cell, a line for each event, and as its traceback.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "e2b/execution.h"
#include "far/e2b_relay_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check_trace(struct str trace)
{
    AUTO_BUF struct buf out = {0};

    buf_init(&out, 64 * (trace.n + 1));
    relay_put_trace(&out, trace, 1, "<cell 1>");
    assert(!out.overflow);
    assert(!out.n || out.p[out.n - 1] == '\n');
}

static void check_event(const struct execution_event *event)
{
    json_t *data = execution_data(event), *value;
    const char *media_type;

    json_object_foreach(data, media_type, value) assert(value && !json_is_null(value));
    json_decref(data);
    assert(event->stream == 1 || event->stream == 2);
    (void)execution_is_value(event);
    check_trace(event->trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str rest = {(const char *)data, n}, line;
    struct execution_event event;
    struct err err;

    check_trace(rest);
    while (str_next(&rest, '\n', &line)) {
        if (execution_event_read(line, &event, &err) < 0) {
            assert(err.kind == ERR_GUEST && !event.line);
            continue;
        }
        check_event(&event);
        execution_event_done(&event);
    }
    return 0;
}
