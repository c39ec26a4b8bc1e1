/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/events.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "session/json_write.h"

/* A reader may stand still (`| less`), and then a write does not return, not even for Ctrl-C. So it
 * is made only when there is room, and waiting for that ends soon after we were asked to stop. */
#define STOPPING_MS 100

static int write_until_stopped(const struct printer *printer, int stream, struct str text)
{
    while (text.n) {
        struct pollfd wait[] = {{.fd = stream, .events = POLLOUT},
                                {.fd = printer->stop_fd, .events = POLLIN}};
        if (poll(wait, ARRAY_LEN(wait), -1) < 0 && errno != EINTR)
            return -1;
        if (wait[1].revents && !wait[0].revents && poll(wait, 1, STOPPING_MS) == 0) {
            errno = EPIPE; /* as good as gone */
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

/* A reader that went away (`| head`) ends the run, as SIGPIPE would end any program. */
static void put(struct printer *printer, int stream, struct str text)
{
    if (printer->failed || write_until_stopped(printer, stream, text) == 0)
        return;
    if (stream == 1) {
        printer->failed = errno;
        (void)!write(printer->cancel_fd, "", 1);
    }
}

/* Of struct event_lines. */
static void put_line(void *ctx, struct str line)
{
    put(ctx, 1, line);
    put(ctx, 1, STR("\n"));
}

void printer_init(struct printer *printer, enum print_mode mode, const int cancel_pipe[2])
{
    *printer =
        (struct printer){.mode = mode, .stop_fd = cancel_pipe[0], .cancel_fd = cancel_pipe[1]};
    printer->lines = (struct event_lines){.line = put_line, .ctx = printer};
}

void printer_event(void *ctx, const struct run_event *event)
{
    struct printer *printer = ctx;

    if (printer->mode == PRINT_EVENTS)
        event_lines_add(&printer->lines, event);
    else if (printer->mode == PRINT_OUTPUT && event->kind == RUN_OUTPUT)
        put(printer, event->stream, event->text);
}

void printer_text(struct printer *printer, struct str text)
{
    put(printer, 1, text);
}

void printer_finish(struct printer *printer, const struct result *result)
{
    const struct capture *streams[] = {&result->out, &result->err};

    for (int i = 0; i < 2 && printer->mode == PRINT_OUTPUT; i++) {
        AUTO_BUF struct buf rest = {0};
        buf_init(&rest, streams[i]->limit + 256);
        capture_rest(streams[i], &rest);
        put(printer, i + 1, buf_str(&rest));
    }
}

void printer_result(struct printer *printer, const struct result *result, bool pretty)
{
    AUTO_FREE char *json = result_json(result, pretty);

    put(printer, 1, str_from(json));
    put(printer, 1, STR("\n"));
}

void printer_document(struct printer *printer, const json_t *doc, bool pretty)
{
    AUTO_FREE char *json = json_write(doc, pretty);

    put(printer, 1, str_from(json));
    put(printer, 1, STR("\n"));
}
