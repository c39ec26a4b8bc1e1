/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_EVENTS_H
#define CLI_EVENTS_H

#include "base/buf.h"
#include "session/event_json.h"

enum print_mode {
    PRINT_OUTPUT, /* the program's streams to ours */
    PRINT_EVENTS, /* one JSON object a line on standard output */
    PRINT_NOTHING,
};

/* Shows a run while it goes on. */
struct printer {
    enum print_mode mode;
    int stop_fd;   /* readable when the user wants an end */
    int cancel_fd; /* written to when our output cannot be written any more */
    int failed;    /* errno of a write that failed; EPIPE for a reader of standard output gone */
    int failed_fd; /* standard output or standard error */
    bool waits;    /* a write that has no room waits; else it is held, and printer_room says so */
    struct buf held[2];
    bool open_line[2]; /* the last that went there was no line's end */
    struct event_lines lines;
};

void printer_init(struct printer *printer, enum print_mode mode, const int cancel_pipe[2]);
void printer_done(struct printer *printer);
/* For struct run_watch. Text is never lost: what does not fit now is held, a pipe full at most
 * where printer_room is asked before. */
void printer_event(void *ctx, const struct run_event *event);
bool printer_room(void *ctx, int stream, struct pollfd *ret);
/* Text of ours to standard output, among the program's. */
void printer_text(struct printer *printer, struct str text);
/* Waits until the readers have taken what was held; from now on every write waits. */
void printer_flush(struct printer *printer);
/* The whole result as JSON, and a line's end. */
void printer_document(struct printer *printer, const struct json_t *doc, bool pretty);

#endif
