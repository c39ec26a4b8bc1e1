/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include "base/mem.h"
#include "tap.h"

#define FFFD "\xEF\xBF\xBD"

/* The well-formed and ill-formed sequences at the edges of table 3-7 of the Unicode standard. */
static const struct {
    struct str text;
    size_t valid; /* bytes of the longest valid prefix */
    size_t count;
    const char *clean;
} cases[] = {
    {{"", 0}, 0, 0, ""},
    {{"ascii", 5}, 5, 5, "ascii"},
    {{"\xC2\x80", 2}, 2, 1, "\xC2\x80"},
    {{"\xDF\xBF", 2}, 2, 1, "\xDF\xBF"},
    {{"\xE0\xA0\x80", 3}, 3, 1, "\xE0\xA0\x80"},
    {{"\xED\x9F\xBF", 3}, 3, 1, "\xED\x9F\xBF"},
    {{"\xEE\x80\x80", 3}, 3, 1, "\xEE\x80\x80"},
    {{"\xF0\x90\x80\x80", 4}, 4, 1, "\xF0\x90\x80\x80"},
    {{"\xF4\x8F\xBF\xBF", 4}, 4, 1, "\xF4\x8F\xBF\xBF"},
    {{"\x80", 1}, 0, 1, FFFD},          /* a tail alone */
    {{"\xC0\xAF", 2}, 0, 2, FFFD FFFD}, /* overlong '/' */
    {{"\xC1\xBF", 2}, 0, 2, FFFD FFFD},
    {{"\xE0\x9F\xBF", 3}, 0, 3, FFFD FFFD FFFD},          /* overlong */
    {{"\xED\xA0\x80", 3}, 0, 3, FFFD FFFD FFFD},          /* a surrogate */
    {{"\xF0\x8F\xBF\xBF", 4}, 0, 4, FFFD FFFD FFFD FFFD}, /* overlong */
    {{"\xF4\x90\x80\x80", 4}, 0, 4, FFFD FFFD FFFD FFFD}, /* above U+10FFFF */
    {{"\xF5\x80\x80\x80", 4}, 0, 4, FFFD FFFD FFFD FFFD},
    {{"\xFF", 1}, 0, 1, FFFD},
    {{"a\xC3", 2}, 1, 2, "a" FFFD}, /* cut off */
    {{"a\xE2\x82", 3}, 1, 3, "a" FFFD FFFD},
    {{"a\xF0\x9F\x98", 4}, 1, 4, "a" FFFD FFFD FFFD},
    {{"\xC3\x28", 2}, 0, 2, FFFD "("}, /* a head without its tail */
    {{"\xE2\x28\xA1", 3}, 0, 3, FFFD "(" FFFD},
    {{"x\xC3\xA9y\xFFz", 6}, 4, 5, "x\xC3\xA9y" FFFD "z"},
};

static void test_cases(void)
{
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO_BUF struct buf b = {0};
        buf_init(&b, 100);
        EQ_INT(utf8_valid_prefix(cases[i].text), cases[i].valid);
        EQ_INT(utf8_valid(cases[i].text), cases[i].valid == cases[i].text.n);
        EQ_INT(utf8_count(cases[i].text), cases[i].count);
        EQ_INT(utf8_add_clean(&b, cases[i].text), 0);
        EQ_STR(b.p, cases[i].clean);
        OK(utf8_valid(buf_str(&b)), "what is clean is valid");
    }
}

/* Against the definition: decode by arithmetic, for all that fits two bytes and the heads of three.
 */
static bool valid_two(unsigned char a, unsigned char b)
{
    if (a < 0x80)
        return b < 0x80;
    return a >= 0xC2 && a < 0xE0 && (b & 0xC0) == 0x80;
}

static void test_all_pairs(void)
{
    int wrong = 0;

    for (unsigned a = 0; a < 256; a++)
        for (unsigned b = 0; b < 256; b++) {
            char bytes[2] = {(char)a, (char)b};
            wrong +=
                utf8_valid((struct str){bytes, 2}) != valid_two((unsigned char)a, (unsigned char)b);
        }
    EQ_INT(wrong, 0);
}

/* Every code point but the surrogates, written by the book. */
static void test_all_characters(void)
{
    int wrong = 0;

    for (unsigned c = 0; c < 0x110000; c++) {
        char u[4];
        size_t n;
        if (c < 0x80) {
            n = 1;
            u[0] = (char)c;
        } else if (c < 0x800) {
            n = 2;
            u[0] = (char)(0xC0 | c >> 6);
        } else if (c < 0x10000) {
            n = 3;
            u[0] = (char)(0xE0 | c >> 12);
        } else {
            n = 4;
            u[0] = (char)(0xF0 | c >> 18);
        }
        for (size_t i = 1; i < n; i++)
            u[i] = (char)(0x80 | (c >> (6 * (n - 1 - i)) & 0x3F));
        bool surrogate = c >= 0xD800 && c < 0xE000;
        wrong += utf8_valid((struct str){u, n}) == surrogate;
        wrong += !surrogate && utf8_count((struct str){u, n}) != 1;
    }
    EQ_INT(wrong, 0);
}

static void test_cut(void)
{
    struct str s = STR("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z"); /* 1 + 2 + 3 + 4 + 1 bytes */
    static const size_t want[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11, 11};

    for (size_t n = 0; n < ARRAY_LEN(want); n++)
        OK(utf8_cut(s, n) == want[n], "cut at %zu", n);
    struct str tails = STR("\x80\x80\x80\x80\x80\x80\x80\x80");
    EQ_INT(utf8_cut(tails, 6), 6);
    EQ_INT(utf8_cut(STR(""), 0), 0);
    EQ_INT(utf8_cut(STR(""), 5), 0);
}

static void test_ceiling(void)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 4);
    EQ_INT(utf8_add_clean(&b, STR("ab\xFF")), -1);
    EQ_STR(b.p, "ab");
    EQ_INT(base64_add(&b, STR("x")), -1);
}

static void test_base64(void)
{
    /* RFC 4648, section 10 */
    static const char *const vectors[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
    };
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 100);
    for (size_t i = 0; i < ARRAY_LEN(vectors); i++) {
        buf_clear(&b);
        EQ_INT(base64_add(&b, str_from(vectors[i][0])), 0);
        EQ_STR(b.p, vectors[i][1]);
    }
    buf_clear(&b);
    EQ_INT(base64_add(&b, (struct str){"\0\xFF\xFE\xFB\xEF\xBE", 6}), 0);
    EQ_STR(b.p, "AP/+++++");
}

int main(void)
{
    RUN(test_cases());
    RUN(test_all_pairs());
    RUN(test_all_characters());
    RUN(test_cut());
    RUN(test_ceiling());
    RUN(test_base64());
    return tap_done();
}
