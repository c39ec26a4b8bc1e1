/* SPDX-License-Identifier: Apache-2.0
 *
 * PNG files that a guest made: decoded into pixels, or reduced to the chunks that a picture needs.
 * Nothing in them is trusted; every length and checksum is checked, and a picture may have
 * PNG_SIDE_MAX pixels in each direction. All colour types, depths and both orders of rows are read.
 * Colour profiles, gamma, texts and animations are ignored.
 */
#ifndef TERMINAL_PNG_H
#define TERMINAL_PNG_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define PNG_SIDE_MAX 4096u

struct png_picture {
    uint32_t width, height;
    uint8_t *rgba; /* four bytes a pixel, row by row */
};

/* ERR_GUEST when it is damaged, ERR_LIMIT when it is too large; *ret is then unchanged. */
int png_decode(struct str png, struct png_picture *ret, struct err *err);
void png_done(struct png_picture *picture);

/* Appends the same picture with IHDR, PLTE, tRNS, IDAT and IEND only, so that other programs'
 * decoders never read the other chunks. Does not read the pixels: png_decode must have succeeded
 * first. */
int png_strip(struct str png, struct buf *out, struct err *err);

#endif
