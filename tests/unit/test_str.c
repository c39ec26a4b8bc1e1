/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include "tap.h"

static const char *text(struct str s)
{
    static char out[4][64];
    static int turn;
    char *here = out[turn++ % 4];

    snprintf(here, sizeof out[0], "%.*s", (int)s.n, s.n ? s.p : "");
    return here;
}

static void test_compare(void)
{
    OK(str_eq(STR("ab"), str_from("ab")), "equal");
    OK(!str_eq(STR("ab"), STR("ac")), "another letter");
    OK(!str_eq(STR("ab"), STR("abc")), "another length");
    OK(str_eq(STR(""), (struct str){NULL, 0}), "nothing is nothing");
    OK(str_eq(str_from(NULL), STR("")), "NULL is the empty string");
    OK(!str_eq((struct str){"a\0b", 3}, (struct str){"a\0c", 3}), "bytes after NUL count");
    OK(str_is(STR("ab"), "ab") && !str_is(STR("ab"), "a") && !str_is(STR("a"), "ab"), "str_is");
    OK(!str_is((struct str){"a\0", 2}, "a"), "a NUL is a difference");
    OK(str_is_nocase(STR("aBc"), "AbC") && !str_is_nocase(STR("aBc"), "ab"), "nocase");
    OK(str_starts(STR("abc"), "ab") && str_starts(STR("abc"), "abc"), "starts");
    OK(str_starts(STR("abc"), "") && !str_starts(STR("ab"), "abc"), "starts, the ends of it");
    OK(str_ends(STR("abc"), "bc") && str_ends(STR("abc"), "") && !str_ends(STR("c"), "bc"), "ends");
}

static void test_find_and_slice(void)
{
    EQ_INT(str_find(STR("hello"), STR("l")), 2);
    EQ_INT(str_find(STR("hello"), STR("lo")), 3);
    EQ_INT(str_find(STR("hello"), STR("lx")), -1);
    EQ_INT(str_find(STR("hello"), STR("")), 0);
    EQ_INT(str_find(STR(""), STR("")), 0);
    EQ_INT(str_find(STR(""), STR("a")), -1);
    EQ_INT(str_find((struct str){NULL, 0}, STR("a")), -1);
    EQ_INT(str_find((struct str){"a\0b", 3}, STR("b")), 2);
    EQ_STR(text(str_slice(STR("hello"), 1, 3)), "el");
    EQ_STR(text(str_slice(STR("hello"), 0, 99)), "hello");
    EQ_STR(text(str_slice(STR("hello"), 3, 2)), "");
    EQ_STR(text(str_slice(STR("hello"), 99, 100)), "");
    EQ_STR(text(str_trim(STR(" \t\r\n\v\f a b \n"))), "a b");
    EQ_STR(text(str_trim(STR("   "))), "");
    EQ_STR(text(str_trim(STR(""))), "");
    EQ_STR(text(str_trim(STR("\xC2\xA0x"))), "\xC2\xA0x");
}

static void test_next(void)
{
    struct str rest = STR("a,,b"), piece;

    OK(str_next(&rest, ',', &piece) && str_is(piece, "a"), "first piece");
    OK(str_next(&rest, ',', &piece) && str_is(piece, ""), "empty piece");
    OK(str_next(&rest, ',', &piece) && str_is(piece, "b"), "last piece");
    OK(!str_next(&rest, ',', &piece), "no more pieces");
    OK(!str_next(&rest, ',', &piece), "still none");
    rest = STR("a,");
    OK(str_next(&rest, ',', &piece) && str_is(piece, "a"), "before the last comma");
    OK(str_next(&rest, ',', &piece) && str_is(piece, ""), "after the last comma");
    OK(!str_next(&rest, ',', &piece), "and no more");
    rest = STR("");
    OK(str_next(&rest, ',', &piece) && str_is(piece, ""), "the empty string is one piece");
    OK(!str_next(&rest, ',', &piece), "one");
}

static void test_next_line(void)
{
    struct str rest = STR("one\r\n\ntwo\rx\nthree"), line;

    OK(str_next_line(&rest, &line) && str_is(line, "one"), "CRLF is cut off");
    OK(str_next_line(&rest, &line) && str_is(line, ""), "an empty line");
    OK(str_next_line(&rest, &line) && str_is(line, "two\rx"), "a CR inside stays");
    OK(str_next_line(&rest, &line) && str_is(line, "three"), "a last line without its end");
    OK(!str_next_line(&rest, &line), "no more lines");
    rest = STR("a\n");
    OK(str_next_line(&rest, &line) && str_is(line, "a"), "a line");
    OK(!str_next_line(&rest, &line), "a line end at the end begins no line");
    rest = STR("");
    OK(!str_next_line(&rest, &line), "no text, no line");
    rest = STR("\n\n");
    OK(str_next_line(&rest, &line) && str_next_line(&rest, &line), "two empty lines");
    OK(!str_next_line(&rest, &line), "not three");
}

static void test_count_lines(void)
{
    static const char *const texts[] = {"", "a", "a\n", "a\n\nb", "\n", "\n\n", "a\rb\r\nc"};
    struct str line;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct str rest = str_from(texts[i]);
        size_t n = 0;
        while (str_next_line(&rest, &line))
            n++;
        EQ_INT(str_count_lines(str_from(texts[i])), n);
    }
}

int main(void)
{
    RUN(test_compare());
    RUN(test_find_and_slice());
    RUN(test_next());
    RUN(test_next_line());
    RUN(test_count_lines());
    return tap_done();
}
