/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns: calls are served in the order in which they came.
 */
#include <sys/eventfd.h>

#include "base/clock.h"
#include "session/session_impl.h"

int say_closed(struct err *err)
{
    return err_set(err, ERR_USAGE, "the session is closed");
}

int turn_take(struct session *s, struct err *err)
{
    pthread_mutex_lock(&s->lock);
    uint64_t ticket = s->tickets++;
    s->users++;
    while (s->serving != ticket && !s->closing)
        pthread_cond_wait(&s->turn, &s->lock);
    bool mine = !s->closing;
    if (mine) {
        if (s->info.state == SESSION_IDLE)
            s->info.state = SESSION_BUSY;
    } else {
        s->users--;
        pthread_cond_broadcast(&s->turn);
    }
    pthread_mutex_unlock(&s->lock);
    return mine ? 0 : say_closed(err);
}

void turn_give(struct session *s)
{
    pthread_mutex_lock(&s->lock);
    s->serving++;
    s->users--;
    if (s->info.state == SESSION_BUSY)
        s->info.state = SESSION_IDLE;
    s->info.used_ms = clock_wall_ms();
    pthread_cond_broadcast(&s->turn);
    pthread_mutex_unlock(&s->lock);
}

void session_stop(struct session *s)
{
    pthread_mutex_lock(&s->lock);
    s->closing = true;
    if (s->running)
        link_wake(&s->running->link);
    if (s->review_fd >= 0)
        (void)eventfd_write(s->review_fd, 1);
    pthread_cond_broadcast(&s->turn);
    pthread_mutex_unlock(&s->lock);
}

int64_t session_end_if_idle(struct session *s, int64_t idle_ms)
{
    pthread_mutex_lock(&s->lock);
    int64_t left = s->info.used_ms + idle_ms - clock_wall_ms();
    bool unused = s->info.state == SESSION_IDLE && s->serving == s->tickets && !s->closing;
    if (unused && left <= 0) { /* as turn_take does when no call is before it */
        s->tickets++;
        s->users++;
    }
    pthread_mutex_unlock(&s->lock);
    if (unused && left > 0)
        return left;
    if (!unused)
        return idle_ms > 1000 ? idle_ms : 1000;
    guest_end(s, ERR_LIMIT, "it was not used for the time of --idle");
    turn_give(s);
    return idle_ms;
}

void turn_close(struct session *s)
{
    pthread_mutex_lock(&s->lock);
    while (s->users)
        pthread_cond_wait(&s->turn, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

void info_note_usage(struct session *s, const struct backend_usage *use)
{
    s->info.memory_bytes = use->memory_now;
    s->info.cpu_us = (int64_t)(use->cpu_ns / 1000);
}

bool session_interrupt(struct session *s)
{
    pthread_mutex_lock(&s->lock);
    bool running = s->running != NULL;
    if (running) {
        s->interrupt = true;
        link_wake(&s->running->link);
    }
    bool reviewed = s->review_fd >= 0 && eventfd_write(s->review_fd, 1) == 0;
    pthread_mutex_unlock(&s->lock);
    return running || reviewed;
}

void session_info(struct session *s, struct session_info *ret)
{
    struct backend_usage use;

    pthread_mutex_lock(&s->lock);
    /* No call has the turn or gets it now: take a new measurement; else use the last one. */
    if (s->serving == s->tickets && s->guest->live) {
        backend_look(s->guest->handle); /* its threads may continue between cells */
        backend_usage(s->guest->handle, &use);
        info_note_usage(s, &use);
    }
    *ret = s->info;
    pthread_mutex_unlock(&s->lock);
}
