/* SPDX-License-Identifier: Apache-2.0
 *
 * Sixels, drawn again as a terminal would.
 */
#ifndef SHOW_IMAGE_SIXEL_H
#define SHOW_IMAGE_SIXEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct drawn {
    unsigned width, height, colours, x, y, now;
    uint8_t palette[256][3];
    uint8_t *rgba;
};

static unsigned number(const char **p)
{
    unsigned n = 0;

    while (**p >= '0' && **p <= '9')
        n = n * 10 + (unsigned)(*(*p)++ - '0');
    return n;
}

static bool draw_run(struct drawn *d, char c, unsigned count)
{
    unsigned bits = (unsigned)(c - '?');

    for (; count; count--, d->x++)
        for (unsigned i = 0; i < 6; i++)
            if (bits >> i & 1) {
                if (!d->rgba || d->x >= d->width || d->y + i >= d->height)
                    return false;
                uint8_t *p = d->rgba + ((size_t)(d->y + i) * d->width + d->x) * 4;
                memcpy(p, d->palette[d->now], 3);
                p[3] = 255;
            }
    return d->x <= d->width;
}

static void draw_colour(struct drawn *d, const char **p)
{
    d->now = number(p) & 255;
    if (**p != ';')
        return;
    *p += 3; /* ";2;" */
    d->colours++;
    for (unsigned i = 0; i < 3; i++, *p += i < 3)
        d->palette[d->now][i] = (uint8_t)(number(p) * 255 / 100);
}

static bool draw(const char *p, struct drawn *d)
{
    static const char head[] = "\033P0;1;0q\"1;1;";

    if (strncmp(p, head, sizeof head - 1) != 0)
        return false;
    p += sizeof head - 1;
    d->width = number(&p);
    p++;
    d->height = number(&p);
    d->rgba = xcalloc((size_t)d->width * d->height, 4);
    while (*p && *p != '\033') {
        char c = *p++;
        unsigned count = 1;
        if (c == '#') {
            draw_colour(d, &p);
        } else if (c == '$' || c == '-') {
            d->x = 0;
            d->y += c == '-' ? 6 : 0;
        } else {
            if (c == '!') {
                count = number(&p);
                c = *p++;
            }
            if (c < '?' || c > '~' || !draw_run(d, c, count))
                return false;
        }
    }
    return strcmp(p, "\033\\") == 0;
}

#endif
