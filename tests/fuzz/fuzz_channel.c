/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as what the judge's driver writes: cut anywhere, the reports are the same.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "judge/channel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct seen {
    size_t reports, bytes;
};

static void count(void *ctx, const struct report *report)
{
    struct seen *seen = ctx;

    seen->reports++;
    seen->bytes += report->number + report->payload.n + report->out.n + report->err.n;
    assert(strlen(report->how) < sizeof report->how && report->us >= 0);
}

static struct seen feed(const uint8_t *data, size_t n, size_t step)
{
    struct seen seen = {0};
    struct channel channel = {.report = count, .ctx = &seen};

    channel_init(&channel, 1 << 16);
    for (size_t i = 0; i < n; i += step)
        channel_feed(&channel, (struct str){(const char *)data + i, n - i < step ? n - i : step});
    channel_done(&channel);
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct seen whole = feed(data, n, n ? n : 1), small = feed(data, n, 3);

    if (n < 1 << 16)
        assert(whole.reports == small.reports && whole.bytes == small.bytes);
    return 0;
}
