/* SPDX-License-Identifier: Apache-2.0 */
#include "text/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tap.h"

enum { ROOM = 64 << 20 };

static void make(struct str before, struct str after, struct buf *ret)
{
    buf_init(ret, ROOM);
    diff_add(&(struct diff_side){"a", before}, &(struct diff_side){"b", after}, ret);
}

static void test_texts(void)
{
    static const struct {
        const char *before, *after, *want;
    } rows[] = {
        {"", "", ""},
        {"x\n", "x\n", ""},
        {"", "x\n", "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n"},
        {"x\n", "", "--- a\n+++ b\n@@ -1 +0,0 @@\n-x\n"},
        {"x\n", "y\n", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n"},
        {"x", "x\n", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n"},
        {"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
         "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"},
        {"a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n",
         "--- a\n+++ b\n@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n"},
        {"a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
         "--- a\n+++ b\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n "
         "7\n-b\n+B\n"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_BUF struct buf got = {0};
        make(str_from(rows[i].before), str_from(rows[i].after), &got);
        EQ_STR(got.p, rows[i].want);
    }
}

/* Both sides of a diff that leaves no line out. */
static void rebuild(struct str diff, struct buf *before, struct buf *after)
{
    struct str line;

    while (str_next(&diff, '\n', &line)) {
        if (!line.n || strchr("@\\", line.p[0]) || str_starts(line, "--- a") ||
            str_starts(line, "+++ b"))
            continue;
        struct str text = str_slice(line, 1, line.n);
        if (line.p[0] != '+')
            (void)buf_addf(before, "%.*s\n", (int)text.n, text.p);
        if (line.p[0] != '-')
            (void)buf_addf(after, "%.*s\n", (int)text.n, text.p);
    }
}

static void add_random(struct buf *b, unsigned *seed, int lines, int kinds)
{
    for (int i = 0; i < lines; i++)
        (void)buf_addf(b, "%d\n", rand_r(seed) % kinds);
}

/* Texts so short that the context leaves nothing out. */
static void test_random(void)
{
    unsigned seed = 7, wrong = 0;

    for (int i = 0; i < 3000; i++) {
        AUTO_BUF struct buf a = {0}, b = {0}, got = {0}, before = {0}, after = {0};
        buf_init(&a, ROOM);
        buf_init(&b, ROOM);
        buf_init(&before, ROOM);
        buf_init(&after, ROOM);
        add_random(&a, &seed, rand_r(&seed) % 4, 3);
        add_random(&b, &seed, rand_r(&seed) % 4, 3);
        make(buf_str(&a), buf_str(&b), &got);
        rebuild(buf_str(&got), &before, &after);
        if (got.n)
            wrong += strcmp(before.p, a.p) != 0 || strcmp(after.p, b.p) != 0;
        else
            wrong += strcmp(a.p, b.p) != 0;
    }
    OK(wrong == 0, "small random texts: %u wrong", wrong);
}

/* Texts that have too little in common for a diff to leave a line out. */
static void test_long(int lines, int kinds, const char *name)
{
    AUTO_BUF struct buf a = {0}, b = {0}, got = {0}, before = {0}, after = {0};
    unsigned seed = 3;

    buf_init(&a, ROOM);
    buf_init(&b, ROOM);
    buf_init(&before, ROOM);
    buf_init(&after, ROOM);
    add_random(&a, &seed, lines, kinds);
    add_random(&b, &seed, lines, kinds);
    make(buf_str(&a), buf_str(&b), &got);
    rebuild(buf_str(&got), &before, &after);
    OK(got.n && strcmp(before.p, a.p) == 0 && strcmp(after.p, b.p) == 0, "%s", name);
}

static void test_ceiling(void)
{
    AUTO_BUF struct buf got = {0};

    buf_init(&got, 60);
    diff_add(&(struct diff_side){"a", STR("1\n2\n3\n")},
             &(struct diff_side){"b", STR("one and more\ntwo and more\nthree and more\n")}, &got);
    OK(got.n <= 60 && str_ends(buf_str(&got), "\n"), "a diff at its ceiling ends with a line");
}

int main(void)
{
    RUN(test_texts());
    RUN(test_random());
    RUN(test_long(1500, 1000000, "more lines differ than are compared"));
    RUN(test_long(150, 4, "many ways"));
    RUN(test_long(300000, 1000000, "too many lines"));
    RUN(test_ceiling());
    return tap_done();
}
