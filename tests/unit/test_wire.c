/* SPDX-License-Identifier: Apache-2.0 */
#include "base/wire.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "tap.h"

static void write_record(struct buf *b)
{
    wire_put_u32(b, 0x01020304);
    wire_put_u64(b, 0x1122334455667788);
    wire_put_str(b, (struct str){"a\0b", 3});
    wire_put_cstr(b, "text");
    wire_put_cstr(b, NULL);
    wire_put_u32(b, 2);
    wire_put_u32(b, 7);
    wire_put_u32(b, UINT32_MAX);
}

static void test_round_trip(void)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 1000);
    write_record(&b);
    EQ_INT(b.n, 4 + 8 + 4 + 3 + 4 + 4 + 4 + 4 + 4 + 4);
    OK(memcmp(b.p, "\x04\x03\x02\x01\x88\x77", 6) == 0, "little-endian, the same on every host");

    struct wire w = {.rest = buf_str(&b)};
    EQ_INT(wire_u32(&w), 0x01020304);
    EQ_INT(wire_u64(&w), 0x1122334455667788);
    OK(str_eq(wire_str(&w), (struct str){"a\0b", 3}), "a string with NUL in it");
    OK(!wire_ok(&w), "not at the end yet");
    AUTO_FREE char *text = wire_cstr(&w);
    EQ_STR(text, "text");
    AUTO_FREE char *empty = wire_cstr(&w);
    EQ_STR(empty, "");
    EQ_INT(wire_count(&w, 4), 2);
    EQ_INT(wire_u32(&w), 7);
    EQ_INT(wire_u32(&w), UINT32_MAX);
    OK(wire_ok(&w), "all read");
    EQ_INT(wire_u32(&w), 0);
    OK(!wire_ok(&w), "reading past the end fails");
}

/* A record cut at any place is refused, and nothing outside it is read (the copy is exact, so that
 * a sanitizer sees the least step too far). */
static void test_every_cut(void)
{
    int accepted = 0;
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 1000);
    write_record(&b);
    for (size_t n = 0; n < b.n; n++) {
        AUTO_FREE char *part = xmalloc(n);
        if (n)
            memcpy(part, b.p, n);
        struct wire w = {.rest = {part, n}};
        wire_u32(&w);
        wire_u64(&w);
        wire_str(&w);
        free(wire_cstr(&w));
        free(wire_cstr(&w));
        uint32_t count = wire_count(&w, 4);
        for (uint32_t i = 0; i < count; i++)
            wire_u32(&w);
        accepted += wire_ok(&w);
        accepted += count > 2;
    }
    EQ_INT(accepted, 0);
}

static void test_refusals(void)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 100);
    wire_put_u32(&b, UINT32_MAX);
    (void)buf_adds(&b, "short");
    struct wire w = {.rest = buf_str(&b)};
    EQ_INT(wire_str(&w).n, 0);
    OK(w.bad, "a string longer than what is left");
    EQ_INT(wire_count(&w, 1), 0);

    w = (struct wire){.rest = buf_str(&b)};
    EQ_INT(wire_count(&w, 1), 0);
    OK(w.bad, "a count of more than can be there");

    buf_clear(&b);
    wire_put_u32(&b, 5);
    (void)buf_adds(&b, "12345");
    w = (struct wire){.rest = buf_str(&b)};
    EQ_INT(wire_count(&w, 1), 5);
    w = (struct wire){.rest = buf_str(&b)};
    EQ_INT(wire_count(&w, 0), 5);
    w = (struct wire){.rest = buf_str(&b)};
    EQ_INT(wire_count(&w, 2), 0);
    OK(w.bad, "five of two bytes each are not in five bytes");

    buf_clear(&b);
    wire_put_str(&b, (struct str){"a\0b", 3});
    w = (struct wire){.rest = buf_str(&b)};
    AUTO_FREE char *cut = wire_cstr(&w);
    EQ_STR(cut, "a");
    OK(w.bad, "NUL in a C string");
    OK(!wire_ok(&w), "and it stays refused");

    /* Failure sticks even when later reads would fit. */
    buf_clear(&b);
    wire_put_u32(&b, 1);
    w = (struct wire){.rest = buf_str(&b)};
    EQ_INT(wire_u64(&w), 0);
    (void)wire_u32(&w);
    OK(!wire_ok(&w), "a failure is not forgotten");
}

static void test_ceiling(void)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 6);
    wire_put_u32(&b, 1);
    EQ_INT(b.overflow, false);
    wire_put_str(&b, STR("long"));
    EQ_INT(b.overflow, true);
    EQ_INT(b.n, 4);
}

int main(void)
{
    RUN(test_round_trip());
    RUN(test_every_cut());
    RUN(test_refusals());
    RUN(test_ceiling());
    return tap_done();
}
