/* SPDX-License-Identifier: Apache-2.0 */
#include "net/stream_piece.h"

#include "tap.h"

static void test_head(void)
{
    AUTO_BUF struct buf b = {0};
    int stream = 0;
    uint32_t n = 0;

    buf_init(&b, STREAM_PIECE_HEAD);
    EQ_INT(stream_piece_put_head(&b, 2, 0x01020304), 0);
    OK(memcmp(b.p, "\2\0\0\0\1\2\3\4", STREAM_PIECE_HEAD) == 0, "the bytes of a head");
    OK(stream_piece_head(buf_str(&b), &stream, &n), "which is read");
    EQ_INT(stream, 2);
    EQ_INT(n, 0x01020304);
    OK(stream_piece_put_head(&b, 1, 0) < 0, "a buffer without room for a head");
}

static void test_no_head(void)
{
    int stream = 7;
    uint32_t n = 7;

    OK(!stream_piece_head(STR("\1\0\0\0\0\0\0"), &stream, &n), "half a head");
    OK(!stream_piece_head(STR("\3\0\0\0\0\0\0\1"), &stream, &n), "a stream that is none");
    OK(!stream_piece_head(STR("HTTP/1.1"), &stream, &n), "another protocol");
    OK(stream == 7 && n == 7, "outputs stay unchanged");
}

int main(void)
{
    RUN(test_head());
    RUN(test_no_head());
    return tap_done();
}
