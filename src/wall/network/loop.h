/* SPDX-License-Identifier: Apache-2.0
 *
 * The event loop of glovebox-net: one thread, epoll, level-triggered.
 */
#ifndef NETWORK_LOOP_H
#define NETWORK_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/* A descriptor that is watched. It is the first member of a larger struct. */
struct watched {
    int fd; /* -1: none */
    bool added;
    uint32_t events;
    /* May be called for events of an earlier descriptor in the same place, so a read or a write
     * may find nothing to do. */
    void (*ready)(struct watched *w, uint32_t events);
};

/* How often `tick` is called while loop_ticks holds. */
#define LOOP_TICK_MS 100

void loop_open(void);
/* Watches for these events from now on, or with 0 for nothing at all: not even for an error. */
void loop_watch(struct watched *w, uint32_t events);
/* Stops watching and closes. */
void loop_forget(struct watched *w);
/* Frees the memory when no event of this round can refer to it any more. */
void loop_free_later(void *p);
/* Runs until `done` returns true. */
void loop_run(bool (*done)(void), bool (*ticks)(void), void (*tick)(void));

#endif
