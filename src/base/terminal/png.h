/* SPDX-License-Identifier: Apache-2.0
 *
 * Decodes a guest's PNG files into pixels, or reduces them to the chunks that a picture needs. The
 * files are not trusted: every length and checksum is checked, and each side has at most
 * PNG_SIDE_MAX pixels. All colour types and depths are read, interlaced or not. Colour profiles,
 * gamma, texts and animations are ignored.
 */
#ifndef TERMINAL_PNG_H
#define TERMINAL_PNG_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define PNG_SIDE_MAX 4096u

struct png_picture {
    uint32_t width, height;
    uint8_t *rgba; /* four bytes for each pixel, row by row */
};

/* -1 with ERR_GUEST if the file is damaged, ERR_LIMIT if it is too large; *ret is then unchanged.
 */
int png_decode(struct str png, struct png_picture *ret, struct err *err);
void png_done(struct png_picture *picture);

/* Appends the same picture with its IHDR, PLTE, tRNS, IDAT and IEND chunks only, so that the
 * decoders of other programs never read the other chunks. Call it only after png_decode has
 * succeeded: the pixels are not read here. */
int png_strip(struct str png, struct buf *out, struct err *err);

#endif
