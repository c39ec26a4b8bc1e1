/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal/sixel.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
    COLOURS = 256,
    BINS = 1 << 15, /* five bits of each of red, green and blue */
    CLEAR = 0xFFFF, /* the palette index for pixels that are not drawn */
    BAND = 6,       /* rows that go into one character */
};

struct bin {
    uint64_t count, red, green, blue;
};

/* A group of neighbouring bins that becomes one colour. */
struct group {
    size_t from, to; /* in the array of used bins */
    unsigned axis;   /* the axis of the widest spread, as its shift in a bin's number */
    unsigned spread;
    uint64_t count;
};

struct sixel {
    uint32_t width, height;
    uint16_t *pixels; /* first the bin of each pixel, later its colour, or CLEAR */
    struct bin *bins;
    uint32_t *used; /* the bins with pixels */
    size_t used_count;
    struct group groups[COLOURS];
    size_t group_count;
};

/* ---- size ---- */

static uint32_t at_most(uint32_t most)
{
    return most && most < SIXEL_SIDE_MAX ? most : SIXEL_SIDE_MAX;
}

static void choose_size(struct sixel *s, const struct png_picture *from, uint32_t wide,
                        uint32_t high)
{
    s->width = from->width;
    s->height = from->height;
    if (s->width > at_most(wide)) {
        s->height = (uint32_t)((uint64_t)s->height * at_most(wide) / s->width);
        s->width = at_most(wide);
    }
    if (s->height > at_most(high)) {
        s->width = (uint32_t)((uint64_t)s->width * at_most(high) / s->height);
        s->height = at_most(high);
    }
    s->width += !s->width;
    s->height += !s->height;
}

/* The bin of the mean of the pixels that become one pixel. */
static uint16_t mean(struct sixel *s, const struct png_picture *from, uint32_t x, uint32_t y)
{
    uint64_t sum[3] = {0}, alpha = 0, pixels = 0;
    size_t x0 = (size_t)x * from->width / s->width, x1 = (x + 1ull) * from->width / s->width;
    size_t y0 = (size_t)y * from->height / s->height, y1 = (y + 1ull) * from->height / s->height;

    for (size_t j = y0; j < y1 || j == y0; j++)
        for (size_t i = x0; i < x1 || i == x0; i++, pixels++) {
            const uint8_t *p = from->rgba + (j * from->width + i) * 4;
            for (int c = 0; c < 3; c++)
                sum[c] += (uint64_t)p[c] * p[3];
            alpha += p[3];
        }
    if (alpha < 128 * pixels)
        return CLEAR;
    uint64_t red = sum[0] / alpha, green = sum[1] / alpha, blue = sum[2] / alpha;
    uint16_t number = (uint16_t)(red >> 3 << 10 | green >> 3 << 5 | blue >> 3);
    struct bin *bin = &s->bins[number];
    bin->count++;
    bin->red += red;
    bin->green += green;
    bin->blue += blue;
    return number;
}

/* ---- colours ---- */

static void sixel_measure(const struct sixel *s, struct group *g)
{
    g->spread = 0;
    g->count = 0;
    for (unsigned axis = 0; axis <= 10; axis += 5) {
        unsigned low = 31, high = 0;
        for (size_t i = g->from; i < g->to; i++) {
            unsigned v = s->used[i] >> axis & 31;
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
        if (high - low > g->spread) {
            g->spread = high - low;
            g->axis = axis;
        }
    }
    for (size_t i = g->from; i < g->to; i++)
        g->count += s->bins[s->used[i]].count;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Splits a group in the middle of its widest axis. */
static void sixel_split(struct sixel *s, struct group *g, struct group *ret)
{
    for (size_t i = g->from; i < g->to; i++)
        s->used[i] |= (s->used[i] >> g->axis & 31) << 16;
    qsort(s->used + g->from, g->to - g->from, sizeof *s->used, by_value);
    unsigned low = s->used[g->from] >> 16;
    size_t cut = g->from;
    while (cut < g->to && s->used[cut] >> 16 <= low + (g->spread - 1) / 2)
        cut++;
    for (size_t i = g->from; i < g->to; i++)
        s->used[i] &= 0xFFFF;
    *ret = (struct group){.from = cut, .to = g->to};
    g->to = cut;
    sixel_measure(s, g);
    sixel_measure(s, ret);
}

static void choose_colours(struct sixel *s)
{
    for (uint32_t i = 0; i < BINS; i++)
        if (s->bins[i].count)
            s->used[s->used_count++] = i;
    if (!s->used_count)
        return;
    s->groups[0] = (struct group){.to = s->used_count};
    sixel_measure(s, &s->groups[0]);
    for (s->group_count = 1; s->group_count < COLOURS; s->group_count++) {
        struct group *best = &s->groups[0];
        for (size_t i = 1; i < s->group_count; i++) {
            struct group *g = &s->groups[i];
            if (g->spread > best->spread || (g->spread == best->spread && g->count > best->count))
                best = g;
        }
        if (!best->spread)
            return;
        sixel_split(s, best, &s->groups[s->group_count]);
    }
}

/* Writes each colour, in percent, and gives its pixels the colour's number. */
static void put_colours(struct sixel *s, struct buf *out)
{
    AUTO_FREE uint16_t *numbers = xcalloc(BINS, sizeof *numbers);

    for (size_t i = 0; i < s->group_count; i++) {
        struct bin sum = {0};
        for (size_t j = s->groups[i].from; j < s->groups[i].to; j++) {
            const struct bin *bin = &s->bins[s->used[j]];
            numbers[s->used[j]] = (uint16_t)i;
            sum.count += bin->count;
            sum.red += bin->red;
            sum.green += bin->green;
            sum.blue += bin->blue;
        }
        uint64_t full = (sum.count ? sum.count : 1) * 255, half = full / 2;
        (void)buf_addf(out, "#%zu;2;%u;%u;%u", i, (unsigned)((sum.red * 100 + half) / full),
                       (unsigned)((sum.green * 100 + half) / full),
                       (unsigned)((sum.blue * 100 + half) / full));
    }
    for (size_t i = 0; i < (size_t)s->width * s->height; i++)
        if (s->pixels[i] != CLEAR)
            s->pixels[i] = numbers[s->pixels[i]];
}

/* ---- bands ---- */

static void put_run(struct buf *out, char c, size_t n)
{
    if (n > 3)
        (void)buf_addf(out, "!%zu%c", n, c);
    else
        while (n--)
            (void)buf_addc(out, c);
}

/* Writes one colour's part of a band, from its first column to its last. */
static void put_colour(const struct sixel *s, uint32_t y, unsigned colour, const uint32_t *span,
                       struct buf *out)
{
    size_t run = span[0];
    char last = '?';

    (void)buf_addf(out, "#%u", colour);
    for (uint32_t x = span[0]; x <= span[1]; x++) {
        unsigned bits = 0;
        for (uint32_t i = 0; i < BAND && y + i < s->height; i++)
            if (s->pixels[(size_t)(y + i) * s->width + x] == colour)
                bits |= 1u << i;
        char c = (char)('?' + bits);
        if (c != last) {
            put_run(out, last, run);
            last = c;
            run = 0;
        }
        run++;
    }
    put_run(out, last, run);
}

static void put_band(const struct sixel *s, uint32_t y, struct buf *out)
{
    uint32_t spans[COLOURS][2];
    bool seen[COLOURS] = {false}, first = true;

    for (uint32_t i = 0; i < BAND && y + i < s->height; i++)
        for (uint32_t x = 0; x < s->width; x++) {
            uint16_t c = s->pixels[(size_t)(y + i) * s->width + x];
            if (c == CLEAR)
                continue;
            spans[c][0] = seen[c] && spans[c][0] < x ? spans[c][0] : x;
            spans[c][1] = seen[c] && spans[c][1] > x ? spans[c][1] : x;
            seen[c] = true;
        }
    for (unsigned c = 0; c < COLOURS; c++) {
        if (!seen[c])
            continue;
        if (!first)
            (void)buf_addc(out, '$');
        first = false;
        put_colour(s, y, c, spans[c], out);
    }
    (void)buf_addc(out, '-');
}

int sixel_put(const struct png_picture *picture, uint32_t max_width, uint32_t max_height,
              struct buf *out, struct err *err)
{
    struct sixel s = {0};

    choose_size(&s, picture, max_width, max_height);
    AUTO_FREE uint16_t *pixels = xcalloc((size_t)s.width * s.height, sizeof *pixels);
    AUTO_FREE struct bin *bins = xcalloc(BINS, sizeof *bins);
    AUTO_FREE uint32_t *used = xcalloc(BINS, sizeof *used);
    s.pixels = pixels;
    s.bins = bins;
    s.used = used;
    for (uint32_t y = 0; y < s.height; y++)
        for (uint32_t x = 0; x < s.width; x++)
            pixels[(size_t)y * s.width + x] = mean(&s, picture, x, y);
    choose_colours(&s);
    /* 1: pixels that are not drawn keep the terminal's colour. */
    (void)buf_addf(out, "\033P0;1;0q\"1;1;%u;%u", s.width, s.height);
    put_colours(&s, out);
    for (uint32_t y = 0; y < s.height && !out->overflow; y += BAND)
        put_band(&s, y, out);
    (void)buf_adds(out, "\033\\");
    return out->overflow ? err_set(err, ERR_LIMIT, "the picture is too large for the terminal") : 0;
}
