/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

enum { WIDTH = 30 };

#define PATIENCE_NS 1000000000
#define FRAME_NS    100000000

void progress_begin(struct progress *p, const char *what, size_t total)
{
    const char *term = getenv("TERM");

    *p = (struct progress){
        .what = what,
        .total = total,
        .begin_ns = clock_mono_ns(),
        .on = total > 1 && isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0,
    };
}

static void draw(struct progress *p)
{
    size_t filled = p->done * WIDTH / p->total;

    fprintf(stderr, "\r%s [", p->what);
    for (size_t i = 0; i < WIDTH; i++)
        fputc(i < filled ? '#' : '.', stderr);
    fprintf(stderr, "] %zu of %zu\033[K", p->done, p->total);
    fflush(stderr);
    p->drawn = true;
}

void progress_step(struct progress *p)
{
    p->done++;
    if (!p->on)
        return;
    int64_t now = clock_mono_ns();
    if (now - p->begin_ns < PATIENCE_NS || now - p->drawn_ns < FRAME_NS)
        return;
    p->drawn_ns = now;
    draw(p);
}

void progress_clear(struct progress *p)
{
    if (!p->drawn)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    p->drawn = false;
}
