/* SPDX-License-Identifier: Apache-2.0
 *
 * One request to a session's guest, and the guest's frames until the answer. For the session_*.c
 * files that send requests.
 */
#ifndef SESSION_SESSION_EXCHANGE_H
#define SESSION_SESSION_EXCHANGE_H

#include "session/session_impl.h"

enum stop_cause { STOP_NONE, STOP_WALL, STOP_CPU, STOP_CANCEL, STOP_ASKED, STOP_CLOSE };

struct exchange {
    struct session *session;
    struct guest *guest; /* NULL: the session's */
    const char *await;   /* the kind of frame that is the answer: "done" or "ready" */
    uint32_t id;
    const struct reporter *reporter; /* NULL: output is kept for the next cell */
    int cancel_fd;
    int64_t wall_ms, cpu_ms;
    int64_t grace_ms;

    /* during the exchange */
    int64_t deaf_ms; /* when the guest has closed its end: if it is not dead by this time, it broke
                        the protocol */
    int64_t start_ns, start_ms, deadline_ms, again_ms, kill_ms, progress_ms, cpu_look_ms;
    uint64_t cpu_from_ns;
    size_t calls, displays;
    struct displays kept;
    /* results */
    json_t *answer; /* the JSON of the answer, or NULL */
    enum stop_cause cause;
    size_t spilled; /* bytes read after the stop when the reader had no room */
    bool again;     /* it was interrupted a second time */
    bool killed;    /* an interrupt did not stop it */
    bool died;      /* the guest exited, or was killed by a limit */
    struct err err; /* how it broke the protocol */
};

/* Sends the frames in the link, and serves the guest until it answers or is dead. 0 if there is an
 * answer; otherwise the guest is dead afterwards. */
int exchange_run(struct exchange *x);
void exchange_done(struct exchange *x);
extern const struct backend_sink exchange_sink; /* its ctx is the guest */

/* ---- session_tools.c ---- */

/* Handles a "call" frame: calls the tool and puts the answer into the link. -1 if the frame is
 * invalid. */
int answer_call(struct exchange *x, const struct cell_frame *frame, struct err *err);

/* ---- session_read.c ---- */

/* Puts a cell's answer, and the outcome of the exchange, into the result. */
void read_answer(struct exchange *x, const struct cell_request *cell, struct result *ret);

#endif
