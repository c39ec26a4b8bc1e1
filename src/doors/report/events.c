/* SPDX-License-Identifier: Apache-2.0 */
#include "report/events.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "formats/json_write.h"

/* A reader may stop reading (`| less`), and then a write does not return, not even for Ctrl-C. So
 * we write only when there is room, and stop waiting for room soon after the user asked to stop. */
#define STOPPING_MS 100
/* More than a run can print while its reader stops: further output waits in the guest. */
#define HELD_MAX    ((size_t)256 << 20)

static int write_until_stopped(const struct printer *printer, int stream, struct str text)
{
    while (text.n) {
        struct pollfd wait[] = {{.fd = stream, .events = POLLOUT},
                                {.fd = printer->stop_fd, .events = POLLIN}};
        if (poll(wait, ARRAY_LEN(wait), -1) < 0 && errno != EINTR)
            return -1;
        if (wait[1].revents && !wait[0].revents && poll(wait, 1, STOPPING_MS) == 0) {
            errno = EPIPE; /* treat it as a closed pipe */
            return -1;
        }
        if (!wait[0].revents)
            continue;
        ssize_t n = write(stream, text.p, text.n < PIPE_BUF ? text.n : PIPE_BUF);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return -1;
        text = str_slice(text, n > 0 ? (size_t)n : 0, text.n);
    }
    return 0;
}

/* Writes as much as fits without waiting. -1 with errno. */
static ssize_t write_some(int fd, struct str text)
{
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    size_t done = 0;

    while (done < text.n && poll(&ready, 1, 0) > 0) {
        size_t left = text.n - done;
        ssize_t n = write(fd, text.p + done, left < PIPE_BUF ? left : PIPE_BUF);
        if (n < 0 && errno == EAGAIN)
            break;
        if (n < 0 && errno != EINTR)
            return -1;
        done += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)done;
}

/* If the reader of standard output goes away (`| head`), the run ends, as SIGPIPE would end any
 * program; a full disk ends it too. A missing reader of standard error is ignored. */
static void events_fail(struct printer *printer, int fd)
{
    buf_clear(&printer->held[fd - 1]);
    if (printer->failed || (fd == 2 && (errno == EPIPE || errno == EBADF || errno == EIO)))
        return;
    printer->failed = errno;
    printer->failed_fd = fd;
    (void)!write(printer->cancel_fd, "", 1);
}

static void flush_held(struct printer *printer, int fd)
{
    struct buf *held = &printer->held[fd - 1];
    ssize_t n = held->n ? write_some(fd, buf_str(held)) : 0;

    if (n < 0)
        events_fail(printer, fd);
    else
        buf_drop(held, (size_t)n);
}

bool printer_room(void *ctx, int stream, struct pollfd *ret)
{
    struct printer *printer = ctx;
    int fd = printer->mode == PRINT_OUTPUT ? stream : 1;

    flush_held(printer, fd);
    if (!printer->held[fd - 1].n)
        return true;
    *ret = (struct pollfd){.fd = fd, .events = POLLOUT};
    return false;
}

static void events_put(struct printer *printer, int fd, struct str text)
{
    if (!text.n || (printer->failed && printer->failed_fd == fd))
        return;
    printer->open_line[fd - 1] = text.p[text.n - 1] != '\n';
    if (printer->waits) {
        if (write_until_stopped(printer, fd, text) < 0)
            events_fail(printer, fd);
        return;
    }
    if (buf_add_str(&printer->held[fd - 1], text) < 0) {
        errno = ENOMEM;
        events_fail(printer, fd);
    }
    flush_held(printer, fd);
}

void printer_flush(struct printer *printer)
{
    printer->waits = true;
    for (int fd = 1; fd <= 2; fd++) {
        struct buf held = printer->held[fd - 1];
        buf_init(&printer->held[fd - 1], HELD_MAX);
        if (held.n && write_until_stopped(printer, fd, buf_str(&held)) < 0)
            events_fail(printer, fd);
        buf_done(&held);
    }
}

/* For struct event_lines. */
static void put_line(void *ctx, struct str line)
{
    events_put(ctx, 1, line);
    events_put(ctx, 1, STR("\n"));
}

void printer_init(struct printer *printer, enum print_mode mode, const int cancel_pipe[2])
{
    *printer =
        (struct printer){.mode = mode, .stop_fd = cancel_pipe[0], .cancel_fd = cancel_pipe[1]};
    printer->waits = true;
    for (int i = 0; i < 2; i++)
        buf_init(&printer->held[i], HELD_MAX);
    printer->lines = (struct event_lines){.line = put_line, .ctx = printer};
}

void printer_done(struct printer *printer)
{
    for (int i = 0; i < 2; i++)
        buf_done(&printer->held[i]);
}

void printer_event(void *ctx, const struct run_event *event)
{
    struct printer *printer = ctx;

    if (printer->mode == PRINT_EVENTS)
        event_lines_add(&printer->lines, event);
    else if (printer->mode == PRINT_OUTPUT && event->kind == RUN_OUTPUT)
        events_put(printer, event->stream, event->text);
    else if (printer->mode == PRINT_OUTPUT && event->kind == RUN_PREPARING && !printer->quiet) {
        events_put(printer, 2, event->text);
        events_put(printer, 2, STR("\n"));
    }
}

void printer_text(struct printer *printer, struct str text)
{
    events_put(printer, 1, text);
}

void printer_document(struct printer *printer, const json_t *doc, bool pretty)
{
    AUTO_FREE char *json = json_write(doc, pretty);

    events_put(printer, 1, str_from(json));
    events_put(printer, 1, STR("\n"));
}
