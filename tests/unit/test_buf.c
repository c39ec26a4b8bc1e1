/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "tap.h"

static void test_growing(void)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 1 << 20);
    EQ_STR(b.p, "");
    EQ_INT(b.n, 0);
    EQ_INT(buf_add(&b, "", 0), 0);
    EQ_INT(buf_adds(&b, "abc"), 0);
    EQ_INT(buf_addc(&b, '-'), 0);
    EQ_INT(buf_add_str(&b, STR("de")), 0);
    EQ_STR(b.p, "abc-de");
    EQ_INT(b.n, 6);
    EQ_INT(buf_add(&b, "\0z", 2), 0);
    EQ_INT(b.n, 8);
    OK(memcmp(b.p, "abc-de\0z", 9) == 0, "NUL is a byte like others, and one follows");
    OK(str_eq(buf_str(&b), (struct str){"abc-de\0z", 8}), "buf_str shows it all");
    buf_clear(&b);
    EQ_INT(b.n, 0);
    EQ_STR(b.p, "");

    for (int i = 0; i < 100000; i++)
        if (buf_addc(&b, (char)('a' + i % 26)) < 0)
            break;
    EQ_INT(b.n, 100000);
    int wrong = 0;
    for (int i = 0; i < 100000; i++)
        wrong += b.p[i] != 'a' + i % 26;
    EQ_INT(wrong, 0);
    EQ_INT(b.p[b.n], 0);
}

static void test_ceiling(void)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 10);
    EQ_INT(buf_adds(&b, "12345678"), 0);
    EQ_INT(b.overflow, false);
    EQ_INT(buf_adds(&b, "abc"), -1);
    EQ_INT(b.overflow, true);
    EQ_STR(b.p, "12345678");
    EQ_INT(buf_adds(&b, "90"), 0);
    EQ_STR(b.p, "1234567890");
    EQ_INT(buf_addc(&b, 'x'), -1);
    EQ_INT(buf_addf(&b, "%d", 1), -1);
    EQ_INT(buf_add(&b, "x", 0), 0);
    OK(buf_room(&b, 1) == NULL, "no room");
    OK(buf_room(&b, SIZE_MAX) == NULL, "no room for everything");
    EQ_INT(b.n, 10);
    EQ_INT(b.overflow, true);
    buf_clear(&b);
    EQ_INT(b.overflow, false);
    EQ_INT(buf_adds(&b, "again"), 0);

    struct buf none;
    buf_init(&none, 0);
    EQ_INT(buf_addc(&none, 'x'), -1);
    EQ_INT(buf_adds(&none, ""), 0);
    EQ_STR(none.p, "");
    buf_done(&none);
}

static void test_format(void)
{
    char long_text[1001];
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 1 << 20);
    EQ_INT(buf_addf(&b, "%s=%d;", "a", 5), 0);
    EQ_STR(b.p, "a=5;");
    for (size_t n = 250; n < 260; n++) {
        memset(long_text, 'x', n);
        long_text[n] = '\0';
        buf_clear(&b);
        EQ_INT(buf_addf(&b, "%s", long_text), 0);
        EQ_STR(b.p, long_text);
    }
    memset(long_text, 'y', 1000);
    long_text[1000] = '\0';
    EQ_INT(buf_addf(&b, "<%s>", long_text), 0);
    EQ_INT(b.n, 259 + 1002);
}

static void test_room_and_drop(void)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 100);
    char *room = buf_room(&b, 80);
    OK(room == b.p, "room begins at the end of what is there");
    memset(room, 'z', 80);
    buf_grew(&b, 3);
    EQ_STR(b.p, "zzz");
    EQ_INT(buf_adds(&b, "abc"), 0);
    buf_drop(&b, 2);
    EQ_STR(b.p, "zabc");
    buf_drop(&b, 0);
    EQ_STR(b.p, "zabc");
    buf_drop(&b, 99);
    EQ_INT(b.n, 0);
    EQ_STR(b.p, "");
    buf_drop(&b, 1);
    EQ_INT(b.n, 0);
}

static void test_take_and_done(void)
{
    struct buf b;

    buf_init(&b, 7);
    AUTO_FREE char *empty = buf_take(&b);
    EQ_STR(empty, "");
    EQ_INT(buf_adds(&b, "mine"), 0);
    AUTO_FREE char *taken = buf_take(&b);
    EQ_STR(taken, "mine");
    EQ_STR(b.p, "");
    EQ_INT(b.limit, 7);
    EQ_INT(buf_adds(&b, "next"), 0);
    EQ_STR(taken, "mine");
    buf_done(&b);
    EQ_STR(b.p, "");
    EQ_INT(b.limit, 7);
    EQ_INT(buf_adds(&b, "usable"), 0);
    buf_done(&b);
    buf_done(&b);
}

int main(void)
{
    RUN(test_growing());
    RUN(test_ceiling());
    RUN(test_format());
    RUN(test_room_and_drop());
    RUN(test_take_and_done());
    return tap_done();
}
