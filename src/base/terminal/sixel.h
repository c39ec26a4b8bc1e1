/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes pixels as sixels, for terminals that support them. There are at most 256 colours, chosen
 * so that distinct colours are kept: the lines of a chart rather than the shades of its edges.
 */
#ifndef TERMINAL_SIXEL_H
#define TERMINAL_SIXEL_H

#include "terminal/png.h"

#define SIXEL_SIDE_MAX 2048u

/* Appends the control sequence. The picture is scaled down to at most this width and height; 0, or
 * a value above SIXEL_SIDE_MAX, means SIXEL_SIDE_MAX. Pixels that are more than half transparent
 * keep the terminal's background. */
int sixel_put(const struct png_picture *picture, uint32_t max_width, uint32_t max_height,
              struct buf *out, struct err *err);

#endif
