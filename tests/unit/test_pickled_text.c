/* SPDX-License-Identifier: Apache-2.0
 *
 * Pickles of one text, as Python writes them, and everything else, which is refused.
 */
#include "formats/pickled_text.h"

#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "tap.h"

enum { LIMIT = 1 << 20 };

/* A literal with its NULs. */
#define BYTES(text) ((struct str){(text), sizeof(text) - 1})

static int read_packed(struct str pickle, size_t limit, struct buf *ret)
{
    unsigned char packed[4096];
    uLongf n = sizeof packed;
    AUTO_BUF struct buf text = {0};
    struct err err;

    buf_init(&text, LIMIT);
    buf_init(ret, limit);
    if (compress(packed, &n, (const Bytef *)pickle.p, pickle.n) != Z_OK ||
        base64_add(&text, (struct str){(const char *)packed, n}) < 0)
        return -2;
    int result = pickled_text_read(buf_str(&text), ret, &err);
    return result < 0 && err.kind != ERR_USAGE ? -2 : result;
}

static void check_pickle(const char *name, struct str pickle, const char *want)
{
    AUTO_BUF struct buf got = {0};
    int result = read_packed(pickle, LIMIT, &got);

    OK(result == (want ? 0 : -1), "%s: %s", name, want ? "read" : "refused");
    EQ_STR(got.n ? got.p : "", want ? want : "");
}

static const struct str whole = {"\x80\x04\x95\x09\0\0\0\0\0\0\0\x8c\x05[1,2]\x94.", 20};

static void test_pickles(void)
{
    check_pickle("protocol 4", whole, "[1,2]");
    check_pickle("protocol 2", BYTES("\x80\x02X\x02\0\0\0[]q\0."), "[]");
    check_pickle("protocol 1", BYTES("X\x02\0\0\0[]q\0."), "[]");
    check_pickle("a long text's length", BYTES("\x80\x04\x8d\x02\0\0\0\0\0\0\0[]\x94."), "[]");
    check_pickle("an empty text", BYTES("\x80\x04\x8c\0\x94."), "");
    check_pickle("two texts",
                 BYTES("\x8c\x01"
                       "a\x8c\x01"
                       "b."),
                 NULL);
    check_pickle("no text", BYTES("\x80\x04."), NULL);
    check_pickle("a function", BYTES("cos\nsystem\n(S'true'\ntR."), NULL);
    check_pickle("a function and a text", BYTES("\x8c\x02[]cos\nsystem\n."), NULL);
    check_pickle("a length too large", BYTES("X\xff\xff\xff\xff[]."), NULL);
    check_pickle("one that overflows", BYTES("\x8d\xff\xff\xff\xff\xff\xff\xff\xff[]."), NULL);
    check_pickle("more after the end", BYTES("\x8c\x02[]..."), NULL);
    check_pickle("nothing", BYTES(""), NULL);
    check_pickle("other bytes", BYTES("[1,2]"), NULL);
}

static void test_cut(void)
{
    size_t read = 0;

    for (size_t n = 0; n < whole.n; n++) {
        AUTO_BUF struct buf got = {0};
        read += read_packed(str_slice(whole, 0, n), LIMIT, &got) != -1;
    }
    EQ_INT(read, 0);
}

static void test_ceiling(void)
{
    AUTO_BUF struct buf got = {0};

    EQ_INT(read_packed(whole, 19, &got), -1); /* the pickle alone has 20 bytes */
}

static void test_around(void)
{
    static const char *const texts[] = {"", "!!!!", "AAAA", "eJw=", "[1]"};

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        AUTO_BUF struct buf got = {0};
        struct err err;
        buf_init(&got, LIMIT);
        EQ_INT(pickled_text_read(str_from(texts[i]), &got, &err), -1);
    }
}

int main(void)
{
    RUN(test_pickles());
    RUN(test_cut());
    RUN(test_ceiling());
    RUN(test_around());
    return tap_done();
}
