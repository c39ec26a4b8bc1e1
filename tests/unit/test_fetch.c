/* SPDX-License-Identifier: Apache-2.0 */
#include "net/fetch.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "tap.h"

static void test_orders(void)
{
    struct fetch_order back, order = {.method = STR("POST"),
                                      .url = STR("https://models.example/v1"),
                                      .socket = STR(""),
                                      .header_lines = STR("raw"),
                                      .header_n = 1,
                                      .idle_ms = 7,
                                      .whole_ms = 1ull << 40,
                                      .body = {"a\0b", 3}};
    AUTO_BUF struct buf b = {0};
    int accepted = 0;

    buf_init(&b, 1000);
    fetch_order_put(&b, &order);
    OK(fetch_order_get(buf_str(&b), &back), "an order is read back");
    OK(str_eq(back.url, order.url) && str_eq(back.body, order.body), "its texts");
    OK(back.header_n == 1 && back.idle_ms == 7 && back.whole_ms == 1ull << 40, "its numbers");
    for (size_t n = 0; n < b.n; n++)
        accepted += fetch_order_get((struct str){b.p, n}, &back);
    EQ_INT(accepted, 0);
    (void)buf_addc(&b, 'x');
    OK(!fetch_order_get(buf_str(&b), &back), "nothing may follow");
}

static void test_frames(void)
{
    unsigned char length[4];
    struct str record;
    size_t taken = 0;

    fetch_frame_length(0x01020304, length);
    OK(memcmp(length, "\4\3\2\1", 4) == 0, "the length, little-endian");
    EQ_INT(fetch_frame_next((struct str){"\3\0\0", 3}, 10, &record, &taken), 0);
    EQ_INT(fetch_frame_next((struct str){"\3\0\0\0ab", 6}, 10, &record, &taken), 0);
    EQ_INT(fetch_frame_next((struct str){"\3\0\0\0abcd", 8}, 10, &record, &taken), 1);
    OK(str_is(record, "abc") && taken == 7, "a whole frame");
    EQ_INT(fetch_frame_next((struct str){"\13\0\0\0", 4}, 10, &record, &taken), -1);
}

static void test_headers(void)
{
    struct str lines =
        STR("Retry-After: 1\r\nX: a:b \r\nno colon\r\n: none\r\nretry-AFTER:  2\r\n\r\n");

    OK(str_is(fetch_header(lines, "Retry-After"), "2"), "the last one, whatever its case");
    OK(str_is(fetch_header(lines, "x"), "a:b"), "a value with a colon");
    EQ_INT(fetch_header(lines, "none").n, 0);
    EQ_INT(fetch_header(STR(""), "x").n, 0);
}

/* What the caller learns when the program is `path`. */
static enum err_kind ask(const char *path, const char *const *headers, struct err *err)
{
    const struct fetch_request request = {
        .method = "GET", .url = "http://127.0.0.1/", .headers = headers};
    struct fetch_event event;
    struct fetch *fetch = NULL;
    bool cancelled;

    *err = (struct err){0};
    setenv("GLOVEBOX_FETCH", path, 1);
    if (fetch_open(&fetch, err) == 0 && fetch_send(fetch, &request, err) == 0)
        OK(fetch_next(fetch, 0, -1, &event, &cancelled, err) < 0, "no event from %s", path);
    fetch_close(fetch);
    return err->kind;
}

static void test_bad_programs(void)
{
    struct err err;

    EQ_INT(ask("/nowhere/fetch", NULL, &err), ERR_UNSUPPORTED);
    OK(strstr(err.msg, "/nowhere/fetch") && strstr(err.msg, "GLOVEBOX_FETCH"), "%s", err.msg);
    EQ_INT(ask("/bin/true", NULL, &err), ERR_SYSTEM);
    OK(strstr(err.msg, "exited unexpectedly"), "%s", err.msg);
    /* It sends our own frame back, whose first word is no kind of frame from it. */
    EQ_INT(ask("/bin/cat", NULL, &err), ERR_BUG);
    const char *const split[] = {"X-Key: a\r\nX-Other: b", NULL};
    EQ_INT(ask("/bin/cat", split, &err), ERR_USAGE);
    OK(strstr(err.msg, "X-Key") && !strstr(err.msg, "a\r"), "%s", err.msg);
}

/* From a program that never answers (cat waits for more of its input). */
static void test_waits(void)
{
    struct fetch_event event;
    struct fetch *fetch = NULL;
    bool cancelled = true;
    struct err err = {0};
    int ends[2];

    setenv("GLOVEBOX_FETCH", "/bin/cat", 1);
    OK(fetch_open(&fetch, &err) == 0 && pipe(ends) == 0, "started");
    EQ_INT(fetch_next(fetch, 1, -1, &event, &cancelled, &err), -1);
    OK(err.kind == ERR_TIMEOUT && !cancelled, "a deadline that has passed: %s", err.msg);
    close(ends[1]);
    EQ_INT(fetch_next(fetch, 0, ends[0], &event, &cancelled, &err), -1);
    OK(err.kind == ERR_TIMEOUT && cancelled, "cancelled: %s", err.msg);
    close(ends[0]);
    fetch_close(fetch);
}

int main(void)
{
    RUN(test_orders());
    RUN(test_frames());
    RUN(test_headers());
    RUN(test_bad_programs());
    RUN(test_waits());
    return tap_done();
}
