/* SPDX-License-Identifier: Apache-2.0
 *
 * Pixels as sixels, for terminals that support them: at most 256 colours, chosen so that colours
 * far from all others are kept (the lines of a chart, not the shades of its edges).
 */
#ifndef TERMINAL_SIXEL_H
#define TERMINAL_SIXEL_H

#include "terminal/png.h"

#define SIXEL_SIDE_MAX 2048u

/* Appends the control sequence. The picture is scaled down to at most this width and height; 0
 * means SIXEL_SIDE_MAX, and so does a larger value. Pixels that are more than half transparent keep
 * the terminal's background. */
int sixel_put(const struct png_picture *picture, uint32_t max_width, uint32_t max_height,
              struct buf *out, struct err *err);

#endif
