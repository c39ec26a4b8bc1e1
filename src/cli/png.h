/* SPDX-License-Identifier: Apache-2.0
 *
 * PNG files that a guest made: read into pixels, or taken down to what a picture needs. Nothing in
 * them is believed; every length and checksum is checked, and a picture may have PNG_SIDE_MAX
 * pixels in each direction. All colour types, depths and both orders of rows are read. Colour
 * profiles, gamma, texts and animations are not looked at.
 */
#ifndef CLI_PNG_H
#define CLI_PNG_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define PNG_SIDE_MAX 4096u

struct png_picture {
    uint32_t width, height;
    uint8_t *rgba; /* four bytes a pixel, row by row */
};

/* ERR_GUEST when it is damaged, ERR_LIMIT when it is too large; *ret is then as it was. */
int png_decode(struct str png, struct png_picture *ret, struct err *err);
void png_done(struct png_picture *picture);

/* Appends the same picture with IHDR, PLTE, tRNS, IDAT and IEND only, for programs whose own
 * decoders are not to meet the rest. The pixels are not read: png_decode has to have said yes. */
int png_strip(struct str png, struct buf *out, struct err *err);

#endif
