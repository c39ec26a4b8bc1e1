/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a PNG that a guest displays: what is left of one that can be read is the same
 * picture, and can be drawn in sixels. Checksums are put right first.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

/* The command line's files are not in the library. */
#include "terminal/png.c"
#include "terminal/show_image.c"
#include "terminal/sixel.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void mend(char *p, size_t n)
{
    for (size_t at = 8; n >= 12 && at <= n - 12;) {
        uint32_t size = u32_at(p + at);
        if (size > n - at - 12)
            return;
        uint32_t sum = (uint32_t)crc32(0, (const Bytef *)p + at + 4, size + 4);
        for (unsigned i = 0; i < 4; i++)
            p[at + 8 + size + i] = (char)(sum >> (24 - 8 * i));
        at += 12 + (size_t)size;
    }
}

static void look_at(struct str png, const struct png_picture *picture)
{
    AUTO_BUF struct buf plain = {0}, out = {0};
    struct png_picture again;
    struct err err;

    buf_init(&plain, 1 << 20);
    buf_init(&out, 16 << 20);
    if (png_strip(png, &plain, &err) == 0) {
        assert(plain.n <= png.n + 12);
        assert(png_decode(buf_str(&plain), &again, &err) == 0);
        assert(again.width == picture->width && again.height == picture->height);
        assert(!memcmp(again.rgba, picture->rgba, (size_t)4 * again.width * again.height));
        png_done(&again);
    }
    struct show_terminal terminal = {.how = SHOW_SIXEL, .width = 100, .height = 100};
    assert(show_image_put(&terminal, png, &out, &err) == 0 || err.kind == ERR_LIMIT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct png_picture picture;
    struct err err = {0};

    if (n > 1 << 16)
        return 0;
    (void)show_image_answer((struct str){n ? (const char *)data : "", n});
    AUTO_FREE char *copy = xmalloc(n + 1);
    if (n)
        memcpy(copy, data, n);
    mend(copy, n);
    /* Large ones take long, and are read as small ones are. */
    if (n < 24 || u32_at(copy + 16) > 300 || u32_at(copy + 20) > 300)
        return 0;
    struct str png = {copy, n};
    if (png_decode(png, &picture, &err) < 0) {
        assert(err.kind == ERR_GUEST || err.kind == ERR_LIMIT);
        return 0;
    }
    look_at(png, &picture);
    png_done(&picture);
    return 0;
}
