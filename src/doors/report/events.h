/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REPORT_EVENTS_H
#define REPORT_EVENTS_H

#include "base/buf.h"
#include "run/event_json.h"

enum print_mode {
    PRINT_OUTPUT, /* the program's streams are copied to ours */
    PRINT_EVENTS, /* one JSON object a line on standard output */
    PRINT_NOTHING,
};

/* Prints a run's output during the run. */
struct printer {
    enum print_mode mode;
    int stop_fd;   /* readable when the user wants to stop the run */
    int cancel_fd; /* written to when our output cannot be written any more */
    int failed;    /* errno of a failed write; EPIPE when the reader of standard output is gone */
    int failed_fd; /* standard output or standard error */
    bool quiet;    /* print nothing about the work before the start */
    /* a write waits until there is room; otherwise the text is held (printer_room) */
    bool waits;
    struct buf held[2];
    bool open_line[2]; /* the last text written to this stream did not end its line */
    struct event_lines lines;
};

void printer_init(struct printer *printer, enum print_mode mode, const int cancel_pipe[2]);
void printer_done(struct printer *printer);
/* For struct run_watch. No text is lost: text without room is held, which is at most a full pipe if
 * the caller asks printer_room first. */
void printer_event(void *ctx, const struct run_event *event);
bool printer_room(void *ctx, int stream, struct pollfd *ret);
/* Prints our own text to standard output, between the program's output. */
void printer_text(struct printer *printer, struct str text);
/* Waits until the held text is written; after that, every write waits. */
void printer_flush(struct printer *printer);
/* Prints the complete result as JSON, and a line end. */
void printer_document(struct printer *printer, const struct json_t *doc, bool pretty);

#endif
