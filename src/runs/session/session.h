/* SPDX-License-Identifier: Apache-2.0
 *
 * A session: a guest that stays, and executes cells one after the other. Variables, imports, open
 * files, threads, the current folder and the workspace stay from cell to cell.
 *
 *     session_open(&request, &session, &err);
 *     session_exec(session, &cell, &watch, &result);  ...
 *     session_fork(session, &options, &other, &err);
 *     session_close(session);
 *
 * The session steps its guest itself (backend_open, backend_step) and gives it two more pipes, on
 * which host and guest exchange frames (backends/cell_wire.h). Inside, a server in the session's
 * language executes cells (guests/cells_python.py and its siblings). Output comes over the ordinary
 * pipes; values, displays and tool calls come as frames, which the host decodes with limits. At a
 * cell's deadline the guest's process group first gets SIGINT; after a grace period the guest is
 * killed. A backend in which our processes do not run answers the frames itself.
 *
 * A session has one guest at a time. session_fork makes a second one, and a session around it
 * (inside/gate.h is the theory). A cell that is tried has a second guest beside the first, until
 * the session knows which of the two it keeps (session_try.c).
 *
 * All calls may come from any thread; those that need the guest queue up and run one after the
 * other, in the order in which they came. session_interrupt, session_info and the cancel descriptor
 * of a cell do not queue. When session_close has been called, no further call with the session is
 * allowed.
 *
 * Owners: one, which alone may call session_close, once. Several users of a session count
 * themselves outside of it (hosting/session_table.h). A session and its forks may be closed in any
 * order, also concurrently in different threads.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "request/settings.h"
#include "run/run.h"
#include "session/tools.h"
#include "workspace/workspace_files.h"

struct session;

enum session_value {
    SESSION_VALUE_NOTEBOOK, /* the value of a last expression, unless a semicolon ends it */
    SESSION_VALUE_LAST,     /* the value of the last statement of any kind: `x = 5` has 5 */
};

struct session_request {
    /* Language, backend, files, environment, policy, log and context are as for a run; `code` is
     * not used. The limits are for the session as a whole, except wall_ms and cpu_ms, which are for
     * each cell. */
    struct run_request run;
    enum session_value value;
    bool value_set;               /* false: the profile selects it, as "smolagents" does (LAST) */
    const struct tool_set *tools; /* copied, except the data of their ctx; NULL for none */
    char *const *preload;         /* modules to import first; NULL-terminated, or NULL */
    int64_t pause_ms;             /* as backend_job.pause_ms */
    int64_t grace_ms; /* from the interrupt of a cell until the guest is killed; 0: 2 s */
    /* How many levels deep it may be forked, if the language supports this; 0: not at all. If a
     * number was set (SESSION_FORKS_MOST: any depth) and the request has no pool, the session makes
     * one. */
    int forks;
    /* Receives RUN_PREPARING; its cancel_fd stops the start. Only session_open uses it. NULL: no
     * events and no cancellation. */
    const struct run_watch *opening;
};
enum {
    SESSION_FORKS_IF_POOL =
        -1, /* any number of levels if there is a pool, else none: the default */
    SESSION_FORKS_MOST = 1000,
};

void session_request_init(struct session_request *request);
/* Takes all session options except tools from the settings. It borrows from the settings, which
 * must outlive the request. */
void session_request_options(struct session_request *request, const struct settings *settings);

/* Starts the guest and waits until it is ready. Borrowed members of the request must live until
 * session_close of this session and of all its forks, except inputs, files and work_dir. */
int session_open(const struct session_request *request, struct session **ret, struct err *err);
void session_close(struct session *session); /* NULL is allowed */

/* Decides when the effects of a cell are dropped. After that the session has its variables, files
 * and everything else as before the cell, whatever the cell did to its guest. */
enum cell_try {
    TRY_NOT,           /* an ordinary cell: its effects are kept, and it may end its session */
    TRY_KEEP_IF_DONE,  /* dropped if the cell does not succeed */
    TRY_KEEP_IF_ALIVE, /* dropped only if the cell would have ended its session */
    TRY_DROP,          /* always dropped */
};

struct cell_request {
    struct str code;
    int64_t wall_ms, cpu_ms; /* 0: the session's. wall_ms does not count the time of tool calls. */
    struct str input;        /* the cell's standard input */
    /* The folder of the workspace in which it runs, and from which the session then goes back;
     * NULL: the session's current folder. */
    const char *cwd;
    bool no_check;
    enum cell_try attempt; /* ERR_UNSUPPORTED if session_fork is unsupported */
};

/* Runs a cell. Its result includes output and files that threads and processes of earlier cells
 * wrote since the last cell. *ret (after result_init) is always filled in, and has `cell` set. A
 * cell that the guard refuses changes nothing. A cell that takes too long is interrupted; if that
 * does not stop it, its session is killed. If the session is dead, ret->error is ERR_LIMIT or
 * ERR_GUEST until session_restart. The events are those of a run, and RUN_DISPLAY, RUN_TOOL and
 * RUN_PROGRESS (each second). */
void session_exec(struct session *session, const struct cell_request *cell,
                  const struct run_watch *watch, struct result *ret);
/* Starts a new guest in the same workspace: files stay, variables do not. */
int session_restart(struct session *session, struct err *err);
/* Sends SIGINT to the running cell; a cell that is being reviewed is cancelled and does not run.
 * May be called from any thread. False if there is no such cell. */
bool session_interrupt(struct session *session);

/* Begins to close; session_close must still be called. The running cell is interrupted, and killed
 * after its grace. Calls that wait for a turn, and later calls, get ERR_USAGE. Does not wait; may
 * be called from any thread. */
void session_stop(struct session *session);

/* Kills the guest if the session was not used for idle_ms: then the session is dead, and can be
 * restarted. Returns the number of milliseconds after which to call again. Does not wait; may be
 * called from any thread. */
int64_t session_end_if_idle(struct session *session, int64_t idle_ms);

/* Variables, as objects of typed JSON. session_get sets *ret to {"values": {}, "missing": [],
 * "failed": {}}, a new reference. */
int session_set(struct session *session, json_t *values, struct err *err);
int session_get(struct session *session, json_t *names, json_t **ret, struct err *err);

/* Adds a tool, or replaces the tool of that name, in this session alone: existing forks keep
 * theirs. ERR_USAGE if the tool is invalid, or if the tools' source has that name. */
int session_tool_put(struct session *session, const struct tool_new *tool, struct err *err);
/* ERR_USAGE if there is no tool of that name. */
int session_tool_remove(struct session *session, const char *name, struct err *err);

/* Returns in *ret the names that begin with `prefix`, for completion: a sorted array of strings. Of
 * "np.li" these are attributes of np; in Python, modules of "import os.pa", and of "from os import
 * pa" the names that os is known to have. The look-up may run the program's own code, for at most 2
 * s. */
int session_names(struct session *session, struct str prefix, json_t **ret, struct err *err);

/* Returns in *ret the variables that cells made, as a sorted array of {"name", "type", "value"}:
 * the value is one line of about 80 characters for people. May run the program's own code, for at
 * most 2 s. */
int session_variables(struct session *session, json_t **ret, struct err *err);

/* Makes a session with the current state of this one. Afterwards the two share nothing, and may be
 * closed in any order. Each has the same limits for itself. The fork writes files only to its own
 * workspace: work_dir and out_dir stay with its origin. ERR_UNSUPPORTED if threads run, or if the
 * language or the host cannot fork. ERR_LIMIT: too many levels. */
int session_fork(struct session *session, struct session **ret, struct err *err);

/* These use the workspace while no cell runs, as workspace/workspace_files.h does, which frees the
 * list. */
int session_files(struct session *session, struct workspace_file **ret, size_t *ret_count,
                  struct err *err);
/* Opens a regular file for reading; the caller closes it. */
int session_file_open(struct session *session, const char *path, uint64_t *ret_size,
                      struct err *err);
/* Writes everything that can be read from `fd`, up to max bytes. The file gets its name only when
 * it is complete. */
int session_file_put(struct session *session, const char *path, int fd, uint64_t max,
                     struct err *err);
int session_file_remove(struct session *session, const char *path, struct err *err);

/* Replaces what the session may reach, at once, also while a cell runs, for its forks and its
 * origin as well: they share a network. `net` is a value of --net, but not "host". Connections that
 * it does not allow are ended. It can name only ports that have listeners since the start: 80, 443,
 * and those of the session's first rules; ERR_USAGE otherwise, and for a session without a network
 * by name. */
int session_set_network(struct session *session, const char *net, struct err *err);
/* Returns what it may reach now, as a value of --net; the caller frees. */
char *session_network(struct session *session);

/* Makes an image with this name. A new session in it begins with this session's files, but not with
 * its variables. It may replace an image that was made in this way for the same `owner`; NULL: for
 * any owner. ERR_UNSUPPORTED if the backend has no images. */
int session_commit(struct session *session, const char *image, const char *owner, struct err *err);

enum session_state {
    SESSION_IDLE,
    SESSION_BUSY,
    SESSION_DEAD, /* killed by a limit, or exited; can be restarted */
};
struct session_info {
    char id[RESULT_ID];
    char parent[RESULT_ID]; /* the ID of its origin; "" if it is not a fork */
    const char *language;
    enum session_state state;
    unsigned cells;
    int64_t created_ms, used_ms; /* wall clock */
    uint64_t memory_bytes;       /* current; while a cell runs, up to 1 s old */
    int64_t cpu_us;
    layer_mask held;
    char why[200]; /* the reason for SESSION_DEAD */
};
void session_info(struct session *session, struct session_info *ret);
/* As session_info, for one of several sessions in a row. To take down a guest that ended by itself
 * may take seconds: this is done only before until_ms (of clock_mono_ms). */
void session_info_until(struct session *session, int64_t until_ms, struct session_info *ret);
enum { SESSION_ENDS_MS = 1000 }; /* until_ms for a row: this long after the first */
/* Sets "interpreter", "python", "backend", "isolation", "missing" and "warnings" in a JSON object.
 */
void session_wall(struct session *session, json_t *object);

#endif
