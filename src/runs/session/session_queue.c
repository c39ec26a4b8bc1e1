/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns: calls are served in the order in which they came.
 */
#include <sys/eventfd.h>

#include "backends/idle.h"
#include "base/clock.h"
#include "session/session_impl.h"

int say_closed(struct err *err)
{
    return err_set(err, ERR_USAGE, "the session is closed");
}

static void session_queue_give(struct session *s, bool used)
{
    pthread_mutex_lock(&s->lock);
    s->serving++;
    s->users--;
    if (s->info.state == SESSION_BUSY)
        s->info.state = SESSION_IDLE;
    if (used)
        s->info.used_ms = clock_wall_ms();
    pthread_cond_broadcast(&s->turn);
    pthread_mutex_unlock(&s->lock);
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
    if (!mine)
        return say_closed(err);
    if (s->guest->live)
        backend_resume(s->guest->handle);
    return 0;
}

void turn_give(struct session *s)
{
    session_queue_give(s, true);
}

bool turn_try(struct session *s, int64_t unused_ms, int64_t *ret_again_ms)
{
    pthread_mutex_lock(&s->lock);
    int64_t left = s->info.used_ms + unused_ms - clock_wall_ms();
    bool unused = s->info.state == SESSION_IDLE && s->serving == s->tickets && !s->closing;
    bool mine = unused && left <= 0;
    if (mine) { /* as turn_take does when no call is before it */
        s->tickets++;
        s->users++;
    }
    pthread_mutex_unlock(&s->lock);
    *ret_again_ms = unused && left > 0 ? left : unused_ms > 1000 || mine ? unused_ms : 1000;
    return mine;
}

void turn_pass(struct session *s)
{
    session_queue_give(s, false);
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
    int64_t again_ms;

    if (!turn_try(s, idle_ms, &again_ms))
        return again_ms;
    guest_end(s, ERR_LIMIT, "it was not used for the time of --idle");
    turn_give(s);
    return again_ms;
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

/* False if the guest may have ended. */
static bool read_info(struct session *s, struct session_info *ret)
{
    struct backend_usage use;
    bool pending = false;

    pthread_mutex_lock(&s->lock);
    /* If no call has the turn, none gets it while we hold the lock: measure now. Otherwise use the
     * last measurement. */
    bool idle = s->serving == s->tickets;
    struct backend_guest *guest = s->guest->handle;
    if (idle && s->guest->live) {
        backend_look(guest); /* the guest's threads may run between cells */
        backend_usage(guest, &use);
        info_note_usage(s, &use);
        pending = backend_pending(guest);
    } else if (idle && guest) {
        backend_usage(guest, &use);
        s->info.memory_bytes = use.memory_now;
    }
    *ret = s->info;
    pthread_mutex_unlock(&s->lock);
    return !pending;
}

void session_info(struct session *s, struct session_info *ret)
{
    session_info_until(s, INT64_MAX, ret);
}

void session_info_until(struct session *s, int64_t until_ms, struct session_info *ret)
{
    int64_t ignored;

    if (read_info(s, ret) || clock_mono_ms() > until_ms || !turn_try(s, 0, &ignored))
        return;
    guest_notice_end(s);
    turn_pass(s);
    (void)read_info(s, ret);
}
