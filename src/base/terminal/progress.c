/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "terminal/colours.h"

enum { WIDTH = 30 };

#define PATIENCE_NS 1000000000
#define FRAME_NS    100000000
#define LINE_NS     30000000000

void progress_begin(struct progress *p, const char *what, size_t total)
{
    *p = (struct progress){.what = what,
                           .total = total,
                           .begin_ns = clock_mono_ns(),
                           .on = total > 1 && terminal_draws(stderr)};
}

void progress_begin_rated(struct progress *p, const char *what, size_t total)
{
    *p = (struct progress){.what = what,
                           .total = total,
                           .begin_ns = clock_mono_ns(),
                           .on = terminal_draws(stderr),
                           .rated = true};
    p->drawn_ns = p->begin_ns;
}

static void draw_bar(struct progress *p)
{
    size_t filled = p->done * WIDTH / p->total;

    fprintf(stderr, "\r%s [", p->what);
    for (size_t i = 0; i < WIDTH; i++)
        fputc(i < filled ? '#' : '.', stderr);
    fprintf(stderr, "] %zu of %zu\033[K", p->done, p->total);
    fflush(stderr);
    p->drawn = true;
}

static void put_rated(const struct progress *p, int64_t now)
{
    double seconds = (double)(now - p->begin_ns) / 1e9;
    double rate = (double)(p->done - p->before) / (seconds > 0 ? seconds : 1);

    fprintf(stderr, "%s: %zu", p->what, p->done);
    if (p->total)
        fprintf(stderr, " of %zu", p->total);
    fprintf(stderr, ", %zu passed, %.1f a second", p->passed, rate);
    if (p->total > p->done && rate > 0) {
        long left = (long)((double)(p->total - p->done) / rate);
        fprintf(stderr, ", %ld:%02ld left", left / 60, left % 60);
    }
}

/* True if it is time for the next frame, or, without a terminal, the next line. */
static bool is_due(struct progress *p, int64_t now)
{
    bool live = p->on && now - p->begin_ns >= PATIENCE_NS && now - p->drawn_ns >= FRAME_NS;

    if (!live && !(p->rated && !p->on && now - p->drawn_ns >= LINE_NS))
        return false;
    p->drawn_ns = now;
    return true;
}

void progress_step(struct progress *p)
{
    p->done++;
    if (p->on && is_due(p, clock_mono_ns()))
        draw_bar(p);
}

void progress_count(struct progress *p, bool passed, bool before)
{
    int64_t now = clock_mono_ns();

    p->done++;
    p->passed += passed;
    p->before += before;
    if (before || !is_due(p, now))
        return;
    if (p->on)
        fputc('\r', stderr);
    put_rated(p, now);
    fputs(p->on ? "\033[K" : "\n", stderr);
    fflush(stderr);
    p->drawn = p->on;
}

void progress_clear(struct progress *p)
{
    if (!p->drawn)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    p->drawn = false;
}
