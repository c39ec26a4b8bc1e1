/* SPDX-License-Identifier: Apache-2.0
 *
 * The guest's input() and getpass(), answered by the person at the terminal.
 */
#ifndef REMOTE_TERMINAL_ASK_H
#define REMOTE_TERMINAL_ASK_H

#include <jansson.h>

#include "base/str.h"
#include "console/options.h"
#include "report/events.h"
#include "session/tools.h"

struct terminal_ask {
    struct printer *printer;
    int cancel_fd;     /* readable after a signal */
    unsigned refusals; /* lines for the current cell that ended with Ctrl-C */
    /* for a session in this process: the call, which may run out of time */
    const struct tool_call *call;
};

/* Returns a new reference: the line; null at the end of the input; false after Ctrl-C. */
json_t *terminal_ask(struct terminal_ask *ask, struct str prompt, bool hidden);

/* A cell of a daemon's session. */
struct terminal_there {
    struct terminal_ask *ask;
    const struct cli_settings *settings;
    const char *session;
};
/* Answers an "input" event of the cell's stream, on a connection of its own. */
void terminal_answer(struct terminal_there *there, const json_t *event);

#endif
