/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/pump.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

#define CHUNK 65536

static int open_pipe(int *ret_ours, int *ret_theirs, bool we_write, struct err *err)
{
    int ends[2];

    if (fd_pipe_for_guest(ends, err) < 0)
        return -1;
    *ret_ours = ends[we_write];
    *ret_theirs = ends[!we_write];
    if (fd_nonblock(*ret_ours, true) < 0)
        return err_sys(err, "prepare a pipe");
    return 0;
}

int pump_init(struct pump *pump, int source, const struct backend_sink *sink, struct err *err)
{
    *pump = (struct pump){
        .source = source, .sink = sink, .in = -1, .out = {-1, -1}, .theirs = {-1, -1, -1}};
    if (source >= 0 && open_pipe(&pump->in, &pump->theirs[0], true, err) < 0)
        return -1;
    for (int i = 0; i < 2; i++)
        if (open_pipe(&pump->out[i], &pump->theirs[i + 1], false, err) < 0)
            return -1;
    return 0;
}

void pump_adopt(struct pump *pump, int source, const int ours[3], const struct backend_sink *sink)
{
    *pump = (struct pump){.source = source,
                          .sink = sink,
                          .in = ours[0],
                          .out = {ours[1], ours[2]},
                          .theirs = {-1, -1, -1}};
    if (source < 0)
        fd_close(&pump->in);
}

void pump_started(struct pump *pump)
{
    for (int i = 0; i < 3; i++)
        fd_close(&pump->theirs[i]);
}

/* The guest's stream; or, while the receiver has no room, the receiver's descriptor, even after the
 * guest closed the stream: the receiver may still hold bytes back. */
static struct pollfd output_poll(struct pump *pump, int i)
{
    struct pollfd poll = {.fd = pump->out[i], .events = POLLIN};

    pump->held_up[i] = pump->sink->room && !pump->sink->room(pump->sink->ctx, i + 1, &poll);
    return poll;
}

void pump_polls(struct pump *pump, struct pollfd polls[PUMP_POLLS])
{
    bool full = pump->waiting_n > 0;

    for (int i = 0; i < 2; i++)
        polls[i] = output_poll(pump, i);
    polls[2] = (struct pollfd){.fd = full ? -1 : pump->source, .events = POLLIN};
    /* Without anything to write we still want to notice that the guest closed its input. */
    polls[3] = (struct pollfd){.fd = pump->in, .events = full ? POLLOUT : 0};
}

/* Returns how many bytes came. */
static size_t take_output(struct pump *pump, int i)
{
    char chunk[CHUNK];
    ssize_t got;

    if (pump->out[i] < 0)
        return 0;
    do
        got = read(pump->out[i], chunk, sizeof chunk);
    while (got < 0 && errno == EINTR);
    if (got > 0 && pump->sink->output)
        pump->sink->output(pump->sink->ctx, i + 1, chunk, (size_t)got);
    if (got == 0 || (got < 0 && errno != EAGAIN))
        fd_close(&pump->out[i]);
    return got > 0 ? (size_t)got : 0;
}

static void end_input(struct pump *pump)
{
    fd_close(&pump->in);
    pump->source = -1;
}

static void take_input(struct pump *pump)
{
    if (!pump->waiting)
        pump->waiting = xmalloc(CHUNK);
    ssize_t got = read(pump->source, pump->waiting, CHUNK);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        end_input(pump);
        return;
    }
    pump->waiting_at = 0;
    pump->waiting_n = got > 0 ? (size_t)got : 0;
}

static void give_input(struct pump *pump)
{
    struct fd_quiet quiet;

    fd_quiet_begin(&quiet);
    ssize_t done = write(pump->in, pump->waiting + pump->waiting_at, pump->waiting_n);
    fd_quiet_end(&quiet);

    if (done < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (done < 0) { /* the guest has closed its input */
        end_input(pump);
        pump->waiting_n = 0;
        return;
    }
    pump->waiting_at += (size_t)done;
    pump->waiting_n -= (size_t)done;
}

void pump_step(struct pump *pump, const struct pollfd polls[PUMP_POLLS])
{
    for (int i = 0; i < 2; i++)
        if (polls[i].revents && !pump->held_up[i])
            (void)take_output(pump, i);
    if (polls[3].revents & POLLERR)
        end_input(pump);
    if (pump->source >= 0 && polls[2].revents)
        take_input(pump);
    if (pump->in >= 0 && pump->waiting_n)
        give_input(pump);
}

/* Passes on the current content of the pipes and no more: a living guest may continue to write. The
 * receiver gets it even if it has no room, because it is at most the content of two pipes. */
void pump_drain(struct pump *pump)
{
    for (int i = 0; i < 2; i++) {
        int left = 0;
        if (pump->out[i] < 0 || ioctl(pump->out[i], FIONREAD, &left) < 0)
            continue;
        while (left > 0) {
            size_t got = take_output(pump, i);
            if (!got)
                break;
            left -= (int)got;
        }
    }
}

void pump_done(struct pump *pump)
{
    pump_started(pump);
    fd_close(&pump->in);
    fd_close(&pump->out[0]);
    fd_close(&pump->out[1]);
    free(pump->waiting);
    pump->waiting = NULL;
}
