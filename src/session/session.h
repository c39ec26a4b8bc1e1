/* SPDX-License-Identifier: Apache-2.0
 *
 * A session: a guest that stays, and executes cells one after the other. Variables, imports, open
 * files, threads, folder and workspace last from cell to cell.
 *
 *     session_open(&request, &session, &err);
 *     session_exec(session, &cell, &watch, &result);  ...
 *     session_fork(session, &options, &other, &err);
 *     session_close(session);
 *
 * All calls may come from any thread; those that need the guest queue up and run one after the
 * other, in the order in which they came. session_interrupt, session_info and the cancel descriptor
 * of a cell do not queue. No function may be called during or after session_close.
 *
 * Owners: one, which alone may call session_close, once. Several users of a session count
 * themselves outside of it (hosting/session_table.h). A session and its forks are closed in any
 * order, and at the same time in different threads.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "request/settings.h"
#include "session/run.h"
#include "session/tools.h"
#include "workspace/workspace_files.h"

struct session;

enum session_value {
    SESSION_VALUE_NOTEBOOK, /* a last expression's value, unless a semicolon ends it */
    SESSION_VALUE_LAST,     /* of the last statement, whatever it is: `x = 5` has 5 */
};

struct session_request {
    /* Language, backend, files, environment, policy, log, context: as for a run; `code` is not
     * used. The limits are the session's as a whole, but wall_ms and cpu_ms are each cell's. */
    struct run_request run;
    enum session_value value;
    bool value_set; /* else the profile decides: "smolagents" needs SESSION_VALUE_LAST */
    const struct tool_set *tools; /* copied, but for what their ctx points to; NULL for none */
    char *const *preload;         /* modules; NULL-terminated, or NULL */
    int64_t pause_ms;             /* as backend_job.pause_ms */
    int64_t grace_ms;             /* between interrupting a cell and killing the guest; 0: 2 s */
    /* How many levels deep it may be forked, where the language can; 0: not at all. If a number was
     * given (SESSION_FORKS_MOST for any) and the request has no pool, the session makes one. */
    int forks;
    /* Gets RUN_PREPARING, and stops the start by its cancel_fd. Used by session_open alone; NULL:
     * nothing of this. */
    const struct run_watch *opening;
};
enum {
    SESSION_FORKS_IF_POOL =
        -1, /* any number of levels if there is a pool, else none: set by init */
    SESSION_FORKS_MOST = 1000,
};

void session_request_init(struct session_request *request);
/* Takes the session options from the settings, except tools. It borrows from the settings, which
 * must live as long. */
void session_request_options(struct session_request *request, const struct settings *settings);

/* Starts the guest and waits until it is ready. Borrowed members of the request must live until
 * session_close of this session and of all its forks, except inputs, files and work_dir. */
int session_open(const struct session_request *request, struct session **ret, struct err *err);
void session_close(struct session *session); /* NULL is fine */

/* How a cell is tried. If it is dropped, the session has the variables, files and everything else
 * from before the cell, whatever the cell did to its guest. */
enum cell_try {
    TRY_NOT,           /* an ordinary cell: its effects stay, and it may end its session */
    TRY_KEEP_IF_DONE,  /* dropped unless it succeeds */
    TRY_KEEP_IF_ALIVE, /* dropped only if it would have ended its session */
    TRY_DROP,          /* dropped whatever happens */
};

struct cell_request {
    struct str code;
    int64_t wall_ms, cpu_ms; /* 0: the session's. Calls of tools stop the clock of wall_ms. */
    struct str input;        /* the cell's standard input */
    bool no_check;
    enum cell_try attempt; /* ERR_UNSUPPORTED where session_fork returns that */
};

/* Runs a cell. Its result also has the output and files that threads and processes of earlier cells
 * have written since. *ret (after result_init) is always filled in, and has `cell` set. A cell that
 * the guard refuses changes nothing. A cell that takes too long is interrupted; if that does not
 * help, it is killed with its session. For a dead session, ret->error is ERR_LIMIT or ERR_GUEST
 * until session_restart. Events are those of a run, and RUN_DISPLAY, RUN_TOOL and RUN_PROGRESS
 * (each second). */
void session_exec(struct session *session, const struct cell_request *cell,
                  const struct run_watch *watch, struct result *ret);
/* A new guest in the same workspace: files stay, variables do not. */
int session_restart(struct session *session, struct err *err);
/* Sends SIGINT to the running cell, or ends the review of a cell, which then does not run; from any
 * thread. False when there is no such cell. */
bool session_interrupt(struct session *session);

/* Begins to close; session_close still has to follow. The running cell is interrupted, and killed
 * after its grace; calls that wait for a turn or come later get ERR_USAGE. Does not wait; from any
 * thread. */
void session_stop(struct session *session);

/* Kills the guest if the session was not used for idle_ms: the session is dead then, and can be
 * restarted. Returns the number of milliseconds after which to call again. Does not wait; from any
 * thread. */
int64_t session_end_if_idle(struct session *session, int64_t idle_ms);

/* Typed JSON objects. *ret of get: {"values": {}, "missing": [], "failed": {}}, a new reference. */
int session_set(struct session *session, json_t *values, struct err *err);
int session_get(struct session *session, json_t *names, json_t **ret, struct err *err);

/* Adds a tool, or replaces the one of that name, for this session alone: forks that exist keep
 * theirs. ERR_USAGE for an invalid tool, and for a name of the tools' source. */
int session_tool_put(struct session *session, const struct tool_new *tool, struct err *err);
/* ERR_USAGE when there is none of that name. */
int session_tool_remove(struct session *session, const char *name, struct err *err);

/* The names that begin with `prefix` ("np.li": attributes of np), for completion: a sorted array of
 * texts. The look-up may run the program's own code, for 2 s at most. */
int session_names(struct session *session, struct str prefix, json_t **ret, struct err *err);

/* The variables that cells made, as an array of {"name", "type", "value"}, sorted: the value is one
 * line for people, of some 80 characters. May run the program's own code, for 2 s at most. */
int session_variables(struct session *session, json_t **ret, struct err *err);

/* Makes a session with the current state of this one; from then on the two share nothing, and
 * either may be closed first. Each has the same limits for itself. The fork's files stay in its
 * workspace: work_dir and out_dir are its origin's. ERR_UNSUPPORTED when threads run, or the
 * language or the host cannot fork. ERR_LIMIT: too many levels. */
int session_fork(struct session *session, struct session **ret, struct err *err);

/* The workspace, while no cell runs: as in workspace/workspace_files.h, which frees the list. */
int session_files(struct session *session, struct workspace_file **ret, size_t *ret_count,
                  struct err *err);
/* A regular file, open for reading; the caller closes. */
int session_file_open(struct session *session, const char *path, uint64_t *ret_size,
                      struct err *err);
/* Writes everything read from `fd`, up to max bytes; the file appears under its name only when
 * complete. */
int session_file_put(struct session *session, const char *path, int fd, uint64_t max,
                     struct err *err);
int session_file_remove(struct session *session, const char *path, struct err *err);

/* Makes an image with this name, in which a new session begins with this one's files. The values of
 * variables are not in it. It may replace an image that was made so for the same `owner`; with
 * NULL, for any. ERR_UNSUPPORTED where the backend has no images. */
int session_commit(struct session *session, const char *image, const char *owner, struct err *err);

enum session_state {
    SESSION_IDLE,
    SESSION_BUSY,
    SESSION_DEAD, /* killed by a limit, or ended by itself; can be restarted */
};
struct session_info {
    char id[RESULT_ID];
    char parent[RESULT_ID]; /* the ID of its origin; "" if it is no fork */
    const char *language;
    enum session_state state;
    unsigned cells;
    int64_t created_ms, used_ms; /* wall clock */
    uint64_t memory_bytes;       /* current; while a cell runs, up to a second old */
    int64_t cpu_us;
    layer_mask held;
    char why[200]; /* of SESSION_DEAD */
};
void session_info(struct session *session, struct session_info *ret);
/* Sets "interpreter", "python", "backend", "isolation", "missing" and "warnings" in a JSON object.
 */
void session_wall(struct session *session, json_t *object);

#endif
