/* SPDX-License-Identifier: Apache-2.0 */
#include "network/loop.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"

enum { ROUND = 128 };

static int epoll = -1;
static void **graveyard;
static size_t buried, graves;

void loop_open(void)
{
    epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0)
        abort();
}

void loop_watch(struct watched *w, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.ptr = w};

    if (w->fd < 0 || (w->added ? w->events == events : !events))
        return;
    int what = !w->added ? EPOLL_CTL_ADD : events ? EPOLL_CTL_MOD : EPOLL_CTL_DEL;
    if (epoll_ctl(epoll, what, w->fd, &e) < 0)
        abort(); /* no memory is left for it, or a fault of ours */
    w->added = events != 0;
    w->events = events;
}

/* Other processes may have the same socket, so closing does not end the watching. */
void loop_forget(struct watched *w)
{
    if (w->fd >= 0 && w->added)
        (void)epoll_ctl(epoll, EPOLL_CTL_DEL, w->fd, NULL);
    w->added = false;
    fd_close(&w->fd);
}

void loop_free_later(void *p)
{
    if (buried == graves)
        graveyard = mem_grow(graveyard, &graves, sizeof *graveyard);
    graveyard[buried++] = p;
}

static void bury(void)
{
    while (buried)
        free(graveyard[--buried]);
}

void loop_run(bool (*done)(void), bool (*ticks)(void), void (*tick)(void))
{
    struct epoll_event events[ROUND];
    int64_t next_ms = 0;

    while (!done()) {
        int n = epoll_wait(epoll, events, ROUND, ticks() ? LOOP_TICK_MS : -1);
        if (n < 0 && errno != EINTR)
            abort();
        for (int i = 0; i < n; i++) {
            struct watched *w = events[i].data.ptr;
            if (w->fd >= 0)
                w->ready(w, events[i].events);
        }
        if (ticks() && clock_mono_ms() >= next_ms) {
            tick();
            next_ms = clock_mono_ms() + LOOP_TICK_MS;
        }
        bury();
    }
}
