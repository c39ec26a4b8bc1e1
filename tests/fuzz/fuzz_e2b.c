/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as the stream of a process in a sandbox: as one piece, and as two that are cut at each
 * place, which must give the same.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "e2b_api/envelope.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct seen {
    unsigned messages, ends, bad;
    size_t bytes;
};

static void read_one(int kind, struct str content, struct seen *seen)
{
    AUTO_BUF struct buf out = {0};
    struct process_event event;
    struct str text;
    struct err err;
    const char *code;
    json_t *owner;

    if (kind == ENVELOPE_END) {
        seen->ends++;
        (void)envelope_end_read(content, &owner, &code, &text);
        assert(code);
        json_decref(owner);
        return;
    }
    buf_init(&out, ENVELOPE_MAX);
    seen->messages++;
    if (process_event_read(content, &event, &out, &err) < 0)
        seen->bad++;
    else
        assert(event.kind == PROCESS_OUTPUT || !out.n);
    seen->bytes += out.n;
}

/* How many bytes were taken. */
static size_t read_all(struct str bytes, struct seen *seen)
{
    struct str content;
    size_t at = 0, taken;
    struct err err;
    int kind;

    while ((kind = envelope_next(str_slice(bytes, at, bytes.n), &content, &taken, &err)) > 0) {
        assert(taken <= bytes.n - at && content.n < taken);
        read_one(kind, content, seen);
        at += taken;
    }
    return at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str all = {(const char *)data, n};
    struct seen whole = {0};

    (void)read_all(all, &whole);
    for (size_t cut = 0; cut <= n && cut < 64; cut++) {
        struct seen parts = {0};
        size_t at = read_all(str_slice(all, 0, cut), &parts);
        (void)read_all(str_slice(all, at, n), &parts);
        assert(memcmp(&whole, &parts, sizeof whole) == 0);
    }
    return 0;
}
