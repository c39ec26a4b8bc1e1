/* SPDX-License-Identifier: Apache-2.0
 *
 * Pixels as sixels, for terminals that draw those: at most 256 colours, chosen so that those that
 * are far from all others are kept (the lines of a chart, not the shades of its edges).
 */
#ifndef CLI_SIXEL_H
#define CLI_SIXEL_H

#include "cli/png.h"

#define SIXEL_SIDE_MAX 2048u

/* Appends the control sequence. The picture is made smaller until it is at most so wide and high;
 * 0 means SIXEL_SIDE_MAX, and more is that as well. What is more than half transparent is left as
 * the terminal has it. */
int sixel_put(const struct png_picture *picture, uint32_t max_width, uint32_t max_height,
              struct buf *out, struct err *err);

#endif
