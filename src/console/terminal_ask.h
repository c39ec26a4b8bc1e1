/* SPDX-License-Identifier: Apache-2.0
 *
 * The guest's input() and getpass(), answered by the person at the terminal.
 */
#ifndef CONSOLE_TERMINAL_ASK_H
#define CONSOLE_TERMINAL_ASK_H

#include <jansson.h>

#include "base/str.h"
#include "console/events.h"
#include "console/options.h"
#include "session/tools.h"

struct terminal_ask {
    struct printer *printer;
    int cancel_fd;     /* readable after a signal */
    unsigned refusals; /* how often a line for the current cell was refused with Ctrl-C */
    const struct tool_call *call; /* of a session in this process, which may run out of time */
};

/* A new reference: the line, null at the end of the input, false after Ctrl-C. */
json_t *terminal_ask(struct terminal_ask *ask, struct str prompt, bool hidden);

/* A cell of a daemon's session. */
struct terminal_there {
    struct terminal_ask *ask;
    const struct cli_settings *settings;
    const char *session;
};
/* Answers an "input" event of its stream, on a connection of its own. */
void terminal_answer(struct terminal_there *there, const json_t *event);

#endif
