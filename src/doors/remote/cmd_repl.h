/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of `glovebox repl`: the source of the lines, and the session that runs the cells.
 */
#ifndef REMOTE_CMD_REPL_H
#define REMOTE_CMD_REPL_H

#include "remote/cmd_session.h"
#include "remote/terminal_ask.h"
#include "review/review.h"
#include "session/session.h"
#include "terminal/line_editor.h"

/* ---- cmd_repl_input.c ---- */

enum repl_input {
    REPL_CELL,        /* a whole cell */
    REPL_END,         /* end of the input, or SIGTERM */
    REPL_INTERRUPTED, /* Ctrl-C at the prompt: the typed text is discarded */
};

struct repl_reader {
    bool terminal;              /* prints prompts and reads line by line */
    struct line_editor *editor; /* for the terminal; or NULL */
    const struct language_traits *traits;
    int cancel_fd;    /* readable after Ctrl-C; repl_read empties it */
    struct buf bytes; /* bytes read that are not yet part of a cell */
    bool ended;       /* the input has ended */
};

void repl_reader_init(struct repl_reader *r, const struct language_traits *traits, int cancel_fd);
void repl_reader_done(struct repl_reader *r);
/* Reads the next cell into `cell`, which is cleared first, without the cell's last line end. If the
 * input is not a terminal, lines "%%" separate cells. */
int repl_read(struct repl_reader *r, struct buf *cell, enum repl_input *ret, struct err *err);
/* True if the text typed so far continues in the next line. */
bool repl_goes_on(const struct language_traits *traits, struct str text);

/* ---- cmd_repl_words.c: words of other prompts ---- */

/* Advice for a line that only another prompt understands; NULL for any other line. */
const char *repl_foreign_hint(const struct language_traits *traits, struct str line);
/* True if this line ends the prompt, although it is not a call. */
bool repl_leaves(const struct language_traits *traits, struct str line);

/* ---- cmd_repl_history.c: typed cells, in the state folder; failures are ignored ---- */

void repl_history_add(struct str cell);
/* Gives the cells to the editor, the oldest first. */
void repl_history_load(struct line_editor *editor);
void repl_history_show(size_t lines);

/* ---- cmd_repl_host.c: a session in this process, or in a daemon ---- */

struct repl_host {
    const struct session_settings *set;
    int cancel_fd;
    int64_t wall_ms; /* limit of a cell, set by :timeout; 0: the session's limit */
    struct printer *printer;
    struct cell_show *show;
    void (*progress)(void *ctx, int64_t elapsed_ms, uint64_t memory); /* -1: erase the display */
    void *ctx;
    /* One of these two is set: session, with its review, or call. */
    struct session *session;
    struct review *review; /* NULL: nothing is reviewed */
    struct session_call *call;
    bool own; /* this process opened the daemon's session, and closes it at the end */
    /* The sessions from which the current one was forked, the oldest first. */
    struct repl_origin {
        struct session *session;
        char id[64];
    } * origins;
    size_t origin_n;

    struct session_request request; /* for a session in this process; owns its strings */
    struct tool_set tools;
    char language[24];
    const struct language_traits *traits;
    struct terminal_ask ask; /* for the cells' input() */
    bool exited;             /* the last cell ended with exit() or a similar call */
    int status;              /* the status of that call */
};

/* Opens the session. For a daemon's session, `where` is prepared by the caller; otherwise it is
 * NULL. */
int repl_host_open(struct repl_host *host, struct session_call *where, struct err *err);
void repl_host_close(struct repl_host *host);
/* For a daemon's session: connects again, because stopping a cell closes the connection. */
int repl_host_connect(struct repl_host *host, struct err *err);
/* Runs a cell and shows all of its output; `attempt`: the cell is undone unless it succeeds. -1
 * with *err if it cannot be run. */
int repl_host_run(struct repl_host *host, struct str code, bool attempt, struct err *err);
/* The first function continues in a copy of the session. The second one closes the copy and returns
 * to the original. */
int repl_host_fork(struct repl_host *host, struct err *err);
int repl_host_back(struct repl_host *host, struct err *err);
/* Makes an image of the session. */
int repl_host_commit(struct repl_host *host, const char *image, struct err *err);
int repl_host_reset(struct repl_host *host, struct err *err);
int repl_host_files(struct repl_host *host, struct err *err);
int repl_host_variables(struct repl_host *host, struct err *err);
/* Possible continuations of `before`, as in line_editor_use.complete (cmd_repl_complete.c). */
json_t *repl_host_complete(struct repl_host *host, struct str before, size_t *ret_n);
/* Copies a file of the workspace into the current folder. */
int repl_host_save(struct repl_host *host, const char *name, struct err *err);

#endif
