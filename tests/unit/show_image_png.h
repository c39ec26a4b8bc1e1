/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes PNG files of every kind, with every filter, and says what is to be read from them.
 */
#ifndef SHOW_IMAGE_PNG_H
#define SHOW_IMAGE_PNG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/mem.h"

struct sample_png {
    unsigned width, height, depth, kind;
    bool interlaced, transparent;
};

static const unsigned sample_passes[8][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8},
                                             {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2},
                                             {0, 1, 1, 2}, {0, 0, 1, 1}};

static void put_u32(struct buf *b, uint32_t v)
{
    char bytes[4] = {(char)(v >> 24), (char)(v >> 16), (char)(v >> 8), (char)v};

    (void)buf_add(b, bytes, 4);
}

static void put_chunk(struct buf *b, const char *name, const void *data, size_t n)
{
    put_u32(b, (uint32_t)n);
    size_t from = b->n;
    (void)buf_adds(b, name);
    (void)buf_add(b, data, n);
    put_u32(b, (uint32_t)crc32(0, (const Bytef *)b->p + from, (uInt)(n + 4)));
}

static unsigned sample_channels(unsigned kind)
{
    return kind == 2 ? 3 : kind == 4 ? 2 : kind == 6 ? 4 : 1;
}

/* Some value for each place, which fills the depth (a palette has 2 or 5 colours). */
static unsigned sample_value(const struct sample_png *s, unsigned x, unsigned y, unsigned channel)
{
    unsigned v = (x * 7919 + y * 104729 + channel * 31337 + x * y * 17) & 0xFFFF;

    if (s->kind == 3)
        return v % (s->depth == 1 ? 2 : s->depth == 2 ? 4 : 5);
    return v % 3 ? v >> (16 - s->depth) : 1;
}

static void sample_palette(unsigned index, uint8_t *rgb)
{
    rgb[0] = (uint8_t)(index * 50);
    rgb[1] = (uint8_t)(255 - index * 30);
    rgb[2] = (uint8_t)(index * index * 7);
}

/* tRNS: the first two colours of a palette, or the colour whose samples are all 1. */
static void sample_pixel(const struct sample_png *s, unsigned x, unsigned y, uint8_t *rgba)
{
    unsigned n = sample_channels(s->kind), full = (1u << s->depth) - 1, ones = 0, v[4];

    for (unsigned c = 0; c < n; c++) {
        v[c] = sample_value(s, x, y, c);
        ones += v[c] == 1;
    }
    rgba[3] = 255;
    if (s->kind == 3) {
        sample_palette(v[0], rgba);
        rgba[3] = s->transparent && v[0] < 2 ? (uint8_t)(v[0] * 100) : 255;
        return;
    }
    if (s->transparent)
        rgba[3] = ones == n ? 0 : 255;
    for (unsigned c = 0; c < n; c++)
        v[c] = s->depth == 16 ? v[c] >> 8 : v[c] * 255 / full;
    for (unsigned c = 0; c < 3; c++)
        rgba[c] = (uint8_t)v[n < 3 ? 0 : c];
    if (n == 2 || n == 4)
        rgba[3] = (uint8_t)v[n - 1];
}

static uint8_t sample_guess(unsigned filter, int a, int b, int c)
{
    int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);

    if (filter < 3)
        return (uint8_t)(filter == 1 ? a : filter == 2 ? b : 0);
    if (filter == 3)
        return (uint8_t)((a + b) / 2);
    return (uint8_t)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
}

/* A row's bytes before its filter. */
static size_t sample_row(const struct sample_png *s, const unsigned *pass, unsigned y, uint8_t *row)
{
    unsigned n = sample_channels(s->kind);
    size_t bit = 0;

    memset(row, 0, 1024);
    for (unsigned x = pass[0]; x < s->width; x += pass[2])
        for (unsigned c = 0; c < n; c++, bit += s->depth) {
            unsigned v = sample_value(s, x, y, c);
            if (s->depth == 16) {
                row[bit / 8] = (uint8_t)(v >> 8);
                row[bit / 8 + 1] = (uint8_t)v;
            } else {
                row[bit / 8] |= (uint8_t)(v << (8 - s->depth - bit % 8));
            }
        }
    return (bit + 7) / 8;
}

static void sample_rows(const struct sample_png *s, const unsigned *pass, struct buf *raw)
{
    uint8_t rows[2][1024] = {0};
    size_t bits = (size_t)s->depth * sample_channels(s->kind), step = bits < 8 ? 1 : bits / 8;
    unsigned count = 0;

    if (pass[0] >= s->width)
        return;
    for (unsigned y = pass[1]; y < s->height; y += pass[3], count++) {
        uint8_t *row = rows[count & 1], *above = rows[~count & 1];
        size_t n = sample_row(s, pass, y, row);
        unsigned filter = count % 5;
        (void)buf_addc(raw, (char)filter);
        for (size_t i = 0; i < n; i++)
            (void)buf_addc(
                raw, (char)(row[i] - sample_guess(filter, i >= step ? row[i - step] : 0, above[i],
                                                  i >= step ? above[i - step] : 0)));
    }
}

static void sample_head(const struct sample_png *s, struct buf *png)
{
    AUTO_BUF struct buf head = {0};
    uint8_t palette[15];
    static const char ones[6] = {0, 1, 0, 1, 0, 1};

    buf_init(&head, 100);
    put_u32(&head, s->width);
    put_u32(&head, s->height);
    char rest[5] = {(char)s->depth, (char)s->kind, 0, 0, (char)s->interlaced};
    (void)buf_add(&head, rest, 5);
    put_chunk(png, "IHDR", head.p, head.n);
    put_chunk(png, "tEXt", "Comment\0hello", 13);
    for (unsigned i = 0; i < 5; i++)
        sample_palette(i, palette + 3 * (size_t)i);
    if (s->kind == 3)
        put_chunk(png, "PLTE", palette, s->depth == 1 ? 6 : s->depth == 2 ? 12 : 15);
    if (s->transparent)
        put_chunk(png, "tRNS", s->kind == 3 ? "\0\x64" : ones, s->kind == 2 ? 6 : 2);
}

/* The pixels are cut into several IDAT chunks, one of them empty. */
static void sample_write(const struct sample_png *s, struct buf *png)
{
    AUTO_BUF struct buf raw = {0};
    uint8_t packed[1 << 16];
    uLongf n = sizeof packed;

    buf_init(&raw, 1 << 20);
    for (size_t i = s->interlaced ? 0 : 7; i < (s->interlaced ? 7 : 8); i++)
        sample_rows(s, sample_passes[i], &raw);
    (void)buf_add(png, "\x89PNG\r\n\x1a\n", 8);
    sample_head(s, png);
    if (compress2(packed, &n, (const Bytef *)raw.p, raw.n, 6) != Z_OK)
        abort();
    put_chunk(png, "IDAT", packed, n / 2);
    put_chunk(png, "IDAT", "", 0);
    put_chunk(png, "IDAT", packed + n / 2, n - n / 2);
    put_chunk(png, "tIME", "\x07\xe8\1\1\0\0\0", 7);
    put_chunk(png, "IEND", "", 0);
}

#endif
