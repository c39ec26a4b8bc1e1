/* SPDX-License-Identifier: Apache-2.0 */
#include "result/capture.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "tap.h"

/* What is kept of `text` under a limit when it comes in pieces; the caller frees. */
static char *kept(const char *text, size_t limit, size_t piece)
{
    AUTO_BUF struct buf out = {0};
    struct capture c;
    size_t n = strlen(text);

    capture_init(&c, limit);
    for (size_t at = 0; at < n; at += piece)
        capture_add(&c, text + at, n - at < piece ? n - at : piece);
    buf_init(&out, 1 << 20);
    capture_text(&c, &out);
    capture_done(&c);
    return buf_take(&out);
}

static void test_limits(void)
{
    static const struct {
        const char *text;
        size_t limit;
        const char *want;
    } rows[] = {
        {"", 10, ""},
        {"0123456789", 10, "0123456789"},
        {"0123456789a", 10, "01234\n...(truncated: 1 of 11 bytes left out)...\n6789a"},
        {"0123456789abcdefghij", 10, "01234\n...(truncated: 10 of 20 bytes left out)...\nfghij"},
        {"0123456789", 3, "0\n...(truncated: 7 of 10 bytes left out)...\n89"},
        {"0123", 1, "\n...(truncated: 3 of 4 bytes left out)...\n3"},
        {"0123", 0, "\n...(truncated: 4 of 4 bytes left out)...\n"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (size_t piece = 1; piece < 12; piece += 5) {
            AUTO_FREE char *got = kept(rows[i].text, rows[i].limit, piece);
            EQ_STR(got, rows[i].want);
        }
    }
}

/* Whatever the pieces, what is kept is the same. */
static void test_pieces(void)
{
    char text[1001];
    int differ = 0;

    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i % 23);
    text[1000] = '\0';
    AUTO_FREE char *once = kept(text, 100, sizeof text);
    for (size_t piece = 1; piece < 200; piece++) {
        AUTO_FREE char *got = kept(text, 100, piece);
        differ += strcmp(once, got) != 0;
    }
    EQ_INT(differ, 0);
}

static void test_characters(void)
{
    /* Three bytes each: no limit falls between two of them. */
    const char *text = "€€€€€€€€€€";

    for (size_t limit = 8; limit < 12; limit++) {
        AUTO_FREE char *got = kept(text, limit, 7);
        OK(utf8_valid(str_from(got)), "a limit of %zu cuts no character", limit);
    }
}

static void test_edge(void)
{
    struct capture c;

    capture_init(&c, 10);
    capture_add(&c, "0123456789", 10);
    OK(!capture_truncated(&c), "exactly the limit is all of it");
    capture_add(&c, "abc", 3);
    OK(capture_truncated(&c), "more is too much");
    EQ_INT(c.total, 13);
    capture_done(&c);
}

/* Where a line more or less does not matter, none is cut; the sizes still add up. */
static void test_lines(void)
{
    AUTO_BUF struct buf text = {0}, want = {0};

    buf_init(&text, 1 << 20);
    buf_init(&want, 1 << 20);
    for (int i = 0; i < 10000; i++)
        (void)buf_addf(&text, "line %04d\n", i);
    /* 819 and 819 whole lines fit into half of 16 KiB each. */
    (void)buf_add(&want, text.p, 8190);
    (void)buf_addf(&want, "\n...(truncated: %d of 100000 bytes left out)...\n", 100000 - 2 * 8190);
    (void)buf_add(&want, text.p + 100000 - 8190, 8190);
    for (size_t piece = 100; piece < 200000; piece *= 7) {
        AUTO_FREE char *got = kept(text.p, 16384, piece);
        EQ_STR(got, want.p);
    }
}

/* Head and tail are found by their sizes, also in a stream that has our own line in it. */
static void test_sizes(void)
{
    static const char text[] = "a\n...(truncated: 1 of 2 bytes left out)...\nbcdefghijklmnop";
    AUTO_BUF struct buf out = {0}, complete = {0};
    struct capture c;

    buf_init(&out, 1 << 20);
    buf_init(&complete, 1 << 20);
    capture_init(&c, sizeof text - 1);
    capture_add(&c, text, sizeof text - 1);
    struct capture_kept kept = capture_text(&c, &complete);
    EQ_INT(kept.head, sizeof text - 1);
    EQ_INT(kept.tail, 0);
    capture_add(&c, "€z", 4);
    kept = capture_text(&c, &out);
    EQ_INT(kept.head, (sizeof text - 1) / 2);
    EQ_INT(kept.tail, sizeof text - 1 - (sizeof text - 1) / 2);
    OK(memcmp(out.p, text, kept.head) == 0, "the head");
    OK(memcmp(out.p + out.n - 4, "€z", 4) == 0, "the tail");
    capture_done(&c);
}

/* A guest that never stops writing costs no more memory than the limit. */
static void test_flood(void)
{
    AUTO_FREE char *chunk = xcalloc(1, 65536);
    struct capture c;

    capture_init(&c, 1000);
    for (int i = 0; i < 1000; i++)
        capture_add(&c, chunk, 65536);
    EQ_INT(c.total, 65536000);
    EQ_INT(c.head.n, 1000);
    OK(c.head.cap <= 1024 && c.tail_size == 500, "it stays small");
    capture_done(&c);
}

int main(void)
{
    RUN(test_limits());
    RUN(test_pieces());
    RUN(test_characters());
    RUN(test_edge());
    RUN(test_lines());
    RUN(test_sizes());
    RUN(test_flood());
    return tap_done();
}
