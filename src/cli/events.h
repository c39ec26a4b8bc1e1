/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_EVENTS_H
#define CLI_EVENTS_H

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
    int failed;    /* errno of the write to standard output that failed, EPIPE for a reader gone */
    struct event_lines lines;
};

void printer_init(struct printer *printer, enum print_mode mode, const int cancel_pipe[2]);
void printer_event(void *ctx, const struct run_event *event); /* for struct run_watch */
/* Text of ours to standard output, among the program's. */
void printer_text(struct printer *printer, struct str text);
/* What was held back of a stream that grew too long. */
void printer_finish(struct printer *printer, const struct result *result);
/* The whole result as JSON, and a line's end. */
void printer_document(struct printer *printer, const struct json_t *doc, bool pretty);
void printer_result(struct printer *printer, const struct result *result, bool pretty);

#endif
