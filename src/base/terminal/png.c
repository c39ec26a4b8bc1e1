/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal/png.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"

#define SIGNATURE "\x89PNG\r\n\x1a\n"

/* The names of chunks, and IHDR's colour types. */
enum {
    IHDR = 0x49484452,
    PLTE = 0x504c5445,
    TRNS = 0x74524e53,
    IDAT = 0x49444154,
    IEND = 0x49454e44,
};
enum kind {
    GREY = 0,
    RGB = 2,
    PALETTE = 3,
    GREY_ALPHA = 4,
    RGB_ALPHA = 6,
};

struct chunk {
    uint32_t name;
    struct str data, all; /* all: includes the chunk's head and checksum */
};

struct reader {
    uint32_t width, height;
    unsigned depth, kind, channels;
    bool interlaced;
    struct str palette, alpha; /* PLTE's and tRNS' bytes */
    struct str rest;           /* chunks from the first IDAT on */
    z_stream z;
};

static uint32_t u32_at(const char *p)
{
    const unsigned char *u = (const unsigned char *)p;

    return (uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | u[3];
}

static int damaged(struct err *err, const char *how)
{
    return err_set(err, ERR_GUEST, "the PNG is damaged: %s", how);
}

/* Cuts the next chunk off *rest. */
static int next_chunk(struct str *rest, struct chunk *ret, struct err *err)
{
    if (rest->n < 12)
        return damaged(err, "it ends too soon");
    uint32_t n = u32_at(rest->p);
    if (n > rest->n - 12 || n > INT32_MAX)
        return damaged(err, "a chunk is longer than the file");
    if (crc32(0, (const Bytef *)rest->p + 4, n + 4) != u32_at(rest->p + 8 + n))
        return damaged(err, "a checksum is wrong");
    ret->name = u32_at(rest->p + 4);
    ret->data = str_slice(*rest, 8, 8 + (size_t)n);
    ret->all = str_slice(*rest, 0, 12 + (size_t)n);
    *rest = str_slice(*rest, 12 + (size_t)n, rest->n);
    return 0;
}

/* ---- what comes before the pixels ---- */

static unsigned channels_of(unsigned kind)
{
    switch (kind) {
    case GREY:
    case PALETTE:
        return 1;
    case GREY_ALPHA:
        return 2;
    case RGB:
        return 3;
    case RGB_ALPHA:
        return 4;
    default:
        return 0;
    }
}

static bool depth_is_right(unsigned kind, unsigned depth)
{
    if (depth == 8)
        return true;
    if (depth == 16)
        return kind != PALETTE;
    return (kind == GREY || kind == PALETTE) && (depth == 1 || depth == 2 || depth == 4);
}

static int png_read_size(struct reader *r, struct str data, struct err *err)
{
    if (data.n != 13)
        return damaged(err, "its header has the wrong size");
    r->width = u32_at(data.p);
    r->height = u32_at(data.p + 4);
    r->depth = (unsigned char)data.p[8];
    r->kind = (unsigned char)data.p[9];
    r->channels = channels_of(r->kind);
    r->interlaced = data.p[12] == 1;
    if (!r->channels || !depth_is_right(r->kind, r->depth) || data.p[10] || data.p[11] ||
        (data.p[12] && !r->interlaced) || !r->width || !r->height)
        return damaged(err, "its header is invalid");
    if (r->width > PNG_SIDE_MAX || r->height > PNG_SIDE_MAX)
        return err_set(err, ERR_LIMIT,
                       "the PNG has %u x %u pixels; the limit is %u in each direction", r->width,
                       r->height, PNG_SIDE_MAX);
    return 0;
}

static int read_transparency(struct reader *r, struct str data, struct err *err)
{
    size_t want = r->kind == GREY ? 2 : r->kind == RGB ? 6 : 0;

    if (r->alpha.n || (r->kind == PALETTE ? data.n > r->palette.n / 3 : data.n != want || !want))
        return damaged(err, "its transparency has the wrong size");
    r->alpha = data;
    return 0;
}

/* Reads every chunk that matters here, up to the first IDAT. */
static int png_read_head(struct reader *r, struct str png, struct err *err)
{
    struct chunk chunk;

    if (png.n < 8 || memcmp(png.p, SIGNATURE, 8) != 0)
        return damaged(err, "it has no PNG signature");
    r->rest = str_slice(png, 8, png.n);
    if (next_chunk(&r->rest, &chunk, err) < 0)
        return -1;
    if (chunk.name != IHDR)
        return damaged(err, "it has no header");
    if (png_read_size(r, chunk.data, err) < 0)
        return -1;
    for (;;) {
        struct str here = r->rest;
        if (next_chunk(&r->rest, &chunk, err) < 0)
            return -1;
        if (chunk.name == IDAT) {
            r->rest = here;
            break;
        }
        if (chunk.name == PLTE) {
            if (!chunk.data.n || chunk.data.n % 3 || chunk.data.n > 768 || r->palette.n)
                return damaged(err, "its palette has the wrong size");
            r->palette = chunk.data;
        } else if (chunk.name == TRNS) {
            if (read_transparency(r, chunk.data, err) < 0)
                return -1;
        } else if (!(chunk.name & 0x20000000)) {
            return damaged(err, "it has an unknown critical chunk");
        }
    }
    return r->kind == PALETTE && !r->palette.n ? damaged(err, "it has no palette") : 0;
}

/* ---- rows ---- */

static int next_data(struct reader *r, struct err *err)
{
    struct chunk chunk;

    if (next_chunk(&r->rest, &chunk, err) < 0)
        return -1;
    if (chunk.name != IDAT)
        return damaged(err, "it has too few pixels");
    r->z.next_in = (z_const Bytef *)chunk.data.p;
    r->z.avail_in = (uInt)chunk.data.n;
    return 0;
}

static int read_bytes(struct reader *r, uint8_t *to, size_t n, struct err *err)
{
    r->z.next_out = to;
    r->z.avail_out = (uInt)n;
    while (r->z.avail_out) {
        if (!r->z.avail_in) {
            if (next_data(r, err) < 0)
                return -1;
            continue;
        }
        int status = inflate(&r->z, Z_NO_FLUSH);
        if (status != Z_OK && (status != Z_STREAM_END || r->z.avail_out))
            return damaged(err, "its pixels cannot be unpacked");
    }
    return 0;
}

static uint8_t paeth(int left, int above, int corner)
{
    int guess = left + above - corner;
    int to_left = abs(guess - left), to_above = abs(guess - above), to_corner = abs(guess - corner);

    if (to_left <= to_above && to_left <= to_corner)
        return (uint8_t)left;
    return (uint8_t)(to_above <= to_corner ? above : corner);
}

static uint8_t predict(unsigned filter, uint8_t left, uint8_t above, uint8_t corner)
{
    switch (filter) {
    case 1:
        return left;
    case 2:
        return above;
    case 3:
        return (uint8_t)((left + above) / 2);
    default:
        return paeth(left, above, corner);
    }
}

/* Undoes a row's filter; `step` is the distance to the pixel on the left. */
static int unfilter(uint8_t *row, const uint8_t *above, size_t n, size_t step, unsigned filter)
{
    if (filter > 4)
        return -1;
    for (size_t i = 0; filter && i < n; i++) {
        uint8_t left = i >= step ? row[i - step] : 0, corner = i >= step ? above[i - step] : 0;
        row[i] = (uint8_t)(row[i] + predict(filter, left, above[i], corner));
    }
    return 0;
}

/* ---- pixels ---- */

static unsigned sample_at(const uint8_t *row, size_t i, unsigned depth)
{
    if (depth == 16)
        return (unsigned)row[2 * i] << 8 | row[2 * i + 1];
    if (depth == 8)
        return row[i];
    size_t bit = i * depth;
    return row[bit / 8] >> (8 - depth - bit % 8) & ((1u << depth) - 1);
}

static uint8_t to_byte(unsigned sample, unsigned depth)
{
    return (uint8_t)(depth == 16 ? sample >> 8 : sample * 255 / ((1u << depth) - 1));
}

static int put_palette(const struct reader *r, unsigned index, uint8_t *to)
{
    if (index >= r->palette.n / 3)
        return -1;
    memcpy(to, r->palette.p + (size_t)index * 3, 3);
    to[3] = index < r->alpha.n ? (uint8_t)r->alpha.p[index] : 255;
    return 0;
}

/* True if this is the colour that tRNS makes transparent. */
static bool is_key(const struct reader *r, const unsigned *samples, unsigned n)
{
    if (r->alpha.n != 2 * (size_t)n)
        return false;
    for (unsigned i = 0; i < n; i++)
        if (sample_at((const uint8_t *)r->alpha.p, i, 16) != samples[i])
            return false;
    return true;
}

static int put_pixel(const struct reader *r, const uint8_t *row, size_t x, uint8_t *to)
{
    unsigned samples[4] = {0}, n = r->channels, colours = n < 3 ? 1 : 3;

    for (unsigned i = 0; i < n; i++)
        samples[i] = sample_at(row, x * n + i, r->depth);
    if (r->kind == PALETTE)
        return put_palette(r, samples[0], to);
    for (unsigned i = 0; i < 3; i++)
        to[i] = to_byte(samples[colours == 1 ? 0 : i], r->depth);
    if (n == 2 || n == 4)
        to[3] = to_byte(samples[n - 1], r->depth);
    else
        to[3] = is_key(r, samples, n) ? 0 : 255;
    return 0;
}

/* The positions of the pixels of a pass; an interlaced picture has seven passes. */
struct pass {
    unsigned x, y, dx, dy;
};
static const struct pass whole = {0, 0, 1, 1};
static const struct pass adam7[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                    {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

/* `rows` has room for two rows, each after its filter byte, and is zeroed. */
static int read_pass(struct reader *r, const struct pass *pass, uint8_t *rows, size_t room,
                     uint8_t *rgba, struct err *err)
{
    uint8_t *row = rows, *above = rows + room, *other;

    if (pass->x >= r->width)
        return 0;
    size_t columns = (r->width - pass->x + pass->dx - 1) / pass->dx;
    size_t bits = (size_t)r->channels * r->depth, n = (columns * bits + 7) / 8;
    for (size_t y = pass->y; y < r->height; y += pass->dy) {
        if (read_bytes(r, row, n + 1, err) < 0)
            return -1;
        if (unfilter(row + 1, above + 1, n, bits < 8 ? 1 : bits / 8, row[0]) < 0)
            return damaged(err, "a row has an unknown filter");
        for (size_t i = 0; i < columns; i++)
            if (put_pixel(r, row + 1, i, rgba + (y * r->width + pass->x + i * pass->dx) * 4) < 0)
                return damaged(err, "a colour is not in its palette");
        other = row;
        row = above;
        above = other;
    }
    return 0;
}

static int read_passes(struct reader *r, uint8_t *rgba, struct err *err)
{
    size_t room = (size_t)r->width * r->channels * r->depth / 8 + 2;
    AUTO_FREE uint8_t *rows = xmalloc(2 * room);

    for (size_t i = 0; i < (r->interlaced ? ARRAY_LEN(adam7) : 1); i++) {
        memset(rows, 0, 2 * room);
        if (read_pass(r, r->interlaced ? &adam7[i] : &whole, rows, room, rgba, err) < 0)
            return -1;
    }
    return 0;
}

int png_decode(struct str png, struct png_picture *ret, struct err *err)
{
    struct reader r = {0};

    if (png_read_head(&r, png, err) < 0)
        return -1;
    if (inflateInit(&r.z) != Z_OK)
        return err_set(err, ERR_SYSTEM, "zlib cannot be initialized");
    AUTO_FREE uint8_t *rgba = xcalloc((size_t)r.width * r.height, 4);
    int status = read_passes(&r, rgba, err);
    (void)inflateEnd(&r.z);
    if (status < 0)
        return -1;
    *ret = (struct png_picture){r.width, r.height, mem_take(&rgba)};
    return 0;
}

void png_done(struct png_picture *picture)
{
    free(picture->rgba);
    *picture = (struct png_picture){0};
}

int png_strip(struct str png, struct buf *out, struct err *err)
{
    static const char end[] = "\0\0\0\0IEND\xae\x42\x60\x82";
    struct chunk chunk;
    bool begun = false;

    if (png.n < 8)
        return damaged(err, "it has no PNG signature");
    struct str rest = str_slice(png, 8, png.n);
    (void)buf_add(out, SIGNATURE, 8);
    while (!begun || rest.n) {
        if (next_chunk(&rest, &chunk, err) < 0)
            return -1;
        if (begun && chunk.name != IDAT)
            break;
        begun = chunk.name == IDAT;
        if (begun || chunk.name == IHDR || chunk.name == PLTE || chunk.name == TRNS)
            (void)buf_add_str(out, chunk.all);
    }
    (void)buf_add(out, end, sizeof end - 1);
    return out->overflow ? err_set(err, ERR_LIMIT, "the PNG is too large") : 0;
}
