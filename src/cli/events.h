/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_EVENTS_H
#define CLI_EVENTS_H

#include "session/run.h"

enum print_mode {
    PRINT_OUTPUT, /* the program's streams to ours */
    PRINT_EVENTS, /* one JSON object a line on standard output */
    PRINT_NOTHING,
};

/* Shows a run while it goes on. */
struct printer {
    enum print_mode mode;
    int cancel_fd; /* written to when nobody reads our output any more */
    bool broken;
};

void printer_init(struct printer *printer, enum print_mode mode, int cancel_fd);
void printer_event(void *ctx, const struct run_event *event); /* for struct run_watch */
/* What was held back of a stream that grew too long. */
void printer_finish(struct printer *printer, const struct result *result);

#endif
