/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the session_*.c files, and used by no others.
 *
 * The thread that has the turn (session_queue.c) owns the guest and everything here except the
 * members after `lock`. The lock is held for moments only, so that session_info and
 * session_interrupt never wait for a cell.
 */
#ifndef SESSION_SESSION_IMPL_H
#define SESSION_SESSION_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include "backends/backend.h"
#include "guard/guard.h"
#include "request/reviewer.h"
#include "run/prepare.h"
#include "run/record.h"
#include "run/reporter.h"
#include "run/warm.h"
#include "session/session.h"
#include "session/session_link.h"
#include "session/session_pause.h"
#include "workspace/workspace_changes.h"

enum {
    SESSION_READY_MS = 30000,
    SESSION_VALUE_MAX = 1 << 20,
    SESSION_VARIABLES_MAX = 32 << 20, /* in one session_get; as large as a request that sets them */
    SESSION_BUNDLE_MAX = 8 << 20,
    SESSION_TEXT_CHARS = 100000,
    SESSION_GRACE_MS = 2000,
    SESSION_FORK_MS = 30000, /* for the guest to fork, independent of the limits of cells */
};

/* Shared by a session and its forks, which are its owners. They are counted in `sessions` without a
 * lock: a session counts a fork only while it is open itself. The last owner frees it. Nothing in
 * it changes after the first session is open. */
struct session_shared {
    atomic_uint sessions;
    struct session_request request; /* the caller owns its strings and lists */
    struct prepared prepared;
    struct warm warm;              /* the template of guests that can be forked */
    struct backend_pool *own_pool; /* made if the request has no pool; or NULL */
    struct policy *policy;         /* NULL: nothing is checked */
    struct buf prelude; /* --prelude and the tools' source, which the guard treats as ours */
    char no_fork[200];  /* why it cannot be forked; "" if only the guest can decide */
    /* Protects the next two members; it is taken before a session's lock. */
    pthread_mutex_t network_lock;
    char *net_now;       /* replaces the request's rules since session_set_network; or NULL */
    struct session *all; /* the owners */
};

/* One guest: its processes, the pipes to it, its output and its folder. A session has one; while a
 * cell is tried, there is a second one. It is freed by the thread that has the turn, or by
 * session_close after the last turn. */
struct guest {
    struct session *session;
    struct backend_guest *handle; /* NULL before the start */
    bool live;                    /* false: its processes are dead */
    bool unreported;              /* it ended between cells, and no cell has reported that yet */
    struct backend_job job;
    struct backend_sink sink;
    struct backend_outcome outcome;
    struct link link;
    struct exchange *now;      /* receives its output and events; NULL between exchanges */
    struct capture between[2]; /* its output between exchanges */
    struct backend_usage used; /* at the end of its last cell */
    struct changes *changes;   /* of the files in its workspace */
    bool link_ready;           /* the link's poll descriptor is readable */
    char *net_now;             /* the job's */
};

struct session {
    struct session_shared *shared;
    struct beside_known known; /* files that were read; only where nothing may run unread */
    struct buf names; /* statements of earlier cells for the guard, each followed by a NUL */
    struct tool_set tools;
    struct tool_names tool_names; /* the names of these tools, for the reviewer */
    struct lay_list *laid;        /* at the opening */
    struct lay_list *left; /* at the last restart, only to compare: its folder is closed; or NULL */
    struct recorder recorder;
    struct guest *guest;       /* never NULL; it may be dead */
    int work_dirfd, out_dirfd; /* those of shared->prepared; -1 if there is none, and in a fork */
    unsigned asked;            /* number of requests other than cells */
    unsigned levels;           /* how many levels of forks below it are still permitted */
    struct pauses pauses;
    struct session *next, **here; /* in shared->all, under its network_lock */

    pthread_mutex_t lock;
    pthread_cond_t turn;
    uint64_t tickets, serving;
    unsigned users; /* threads that are in a call which takes a turn */
    bool closing;
    struct guest *running; /* the guest that may be interrupted; NULL for none */
    bool interrupt;        /* session_interrupt was called */
    int review_fd; /* an eventfd whose count cancels the review of a cell; -1: no review is in
                      progress */
    struct backend_outcome wall; /* only the layers (guest_wall) of the newest guest */
    struct net_line *line;       /* of the newest guest; NULL without a network by name */
    struct session_info info; /* all except memory and processor time, which come from the guest */
    enum err_kind why_kind;   /* the reason for SESSION_DEAD */
};

/* ---- session_queue.c ---- */

/* Sets ERR_USAGE for a session that is closed or being closed, and returns -1. */
int say_closed(struct err *err);
/* Waits for the turn. -1 with ERR_USAGE if the session is being closed. */
int turn_take(struct session *s, struct err *err);
void turn_give(struct session *s);
/* Takes the turn of a session that was not used for unused_ms, without waiting. False if it was
 * used or is closed. *ret_again_ms is set in any case: the time after which to try again. */
bool turn_try(struct session *s, int64_t unused_ms, int64_t *ret_again_ms);
void turn_pass(struct session *s); /* returns the turn, without counting it as a use */
/* After session_stop: waits until no call that takes a turn is left. */
void turn_close(struct session *s);

/* The caller holds the lock. */
void info_note_usage(struct session *s, const struct backend_usage *use);

/* ---- session_open.c ---- */

/* Makes a session with data that it shares with its forks. Takes over the guest; NULL: it has none
 * yet. Copies the tools; NULL: it has none. */
struct session *session_new(struct session_shared *shared, const struct tool_set *tools,
                            struct guest *guest);

/* ---- session_guest.c: its life ---- */

struct guest *guest_new(struct session *s);
void guest_kill(struct guest *g); /* if it lives */
/* Kills the guest if it is alive, and removes everything of it from the host. */
void guest_free(struct guest *g);
/* Returns the layers around the guest, without the rest of the outcome. */
void guest_wall(const struct guest *g, struct backend_outcome *ret);
/* Sets the members of the job that are the same for every guest of the session; the code that
 * starts the guest sets `lay`. */
void guest_plan(struct guest *g);
/* Records the state of the guest's workspace, so that later changes are found. The hashes of files
 * come from `laid`, or from `like`, the guest whose workspace was copied; both may be NULL. */
void guest_look(struct guest *g, const struct lay_list *laid, const struct guest *like);
/* Exchanges the session's guest and *other: the session continues in the second guest. */
void guest_swap(struct session *s, struct guest **other);

int guest_start_cancel(const struct session *s); /* readable: cancel the start; or -1 */
int guest_start(struct session *s, struct lay_list *laid, struct err *err);
/* Kills the session's guest if it is alive. The session is dead then, for the reason `why`. */
void guest_end(struct session *s, enum err_kind kind, const char *why);
/* For a dead guest: returns the reason, with `when` ("in cell 3") if that is part of it. The caller
 * frees. */
char *guest_why(const struct guest *g, const char *when, enum err_kind *ret_kind);
/* If the guest ended while no call used the session, makes the session dead. The caller has the
 * turn. */
void guest_notice_end(struct session *s);
/* Returns a descriptor of the workspace of the guest, which may be dead, or of a copy of the
 * current workspace; -1 for none. */
int guest_work(const struct session *s);
/* -1 with ERR_LIMIT or ERR_GUEST and the reason if the guest is dead; 0 if it is alive. */
int guest_check(struct session *s, struct err *err);

/* ---- session_network.c ---- */

/* Adds the session to the owners, and takes it out. */
void network_join(struct session *s);
void network_leave(struct session *s);
/* Sets the current rules in the job of a guest that is about to start. */
void network_plan(struct guest *g);
/* Keeps the line of the session's guest, which has just started. */
void network_started(struct session *s);

/* ---- session_exec.c ---- */

/* Runs our own code as a cell, in the turn or before there are turns. It is neither counted nor
 * logged. */
void exec_silently(struct session *s, const struct cell_request *cell, const struct reporter *t);

/* ---- session_values.c ---- */

struct question {
    const char *kind;   /* of the frame */
    const json_t *body; /* its JSON; NULL for none */
    int64_t wall_ms;
};
/* Returns the "done" with which the guest answers, a new reference, and the frame's number in
 * *ret_id; NULL with *err. */
json_t *guest_ask(struct session *s, const struct question *q, uint32_t *ret_id, struct err *err);
/* Sets ERR_GUEST with the exception of a "done" whose "ok" is false. */
void guest_explain(const json_t *answer, struct err *err);

/* ---- session_fork.c ---- */

/* Makes a copy of the session's guest, for another session or for this one. NULL with *err; then
 * the session's guest is unchanged or dead. */
struct guest *guest_fork(struct session *s, struct err *err);

/* ---- session_try.c: a cell that may be undone ---- */

/* For a cell that is tried: makes a guest that can be dropped the session's guest, and sets *ret to
 * the other guest. For any other cell, *ret is NULL. */
int try_begin(struct session *s, const struct cell_request *cell, struct guest **ret,
              struct err *err);
/* Decides whether the cell's effects are kept, and sets that in the result. If they are not, the
 * cell's guest is dead afterwards. */
bool try_decide(struct session *s, const struct cell_request *cell, const struct guest *beside,
                struct result *ret);
/* Carries out the decision: the session keeps one of the two guests, and the other one is freed. */
void try_end(struct session *s, struct guest *beside, const struct result *r);

/* ---- session_hello.c ---- */

/* Appends the server's code for the frame "program", or nothing if no such frame is sent. */
int hello_program(const struct language *language, struct buf *out);
/* Returns the JSON of the frame "hello"; the caller frees. */
char *hello_json(const struct session *s);
/* Returns a tool as an object for the frames "hello" and "tools". */
json_t *hello_tool(const struct tool *tool);

/* ---- session_guard.c ---- */

int guard_open(struct session *s, struct err *err);
/* Checks a cell. False if it is refused, with the verdict in the result, or if its review was
 * cancelled. */
bool guard_cell(struct session *s, const struct cell_request *cell, int cancel_fd,
                struct result *ret);
/* ---- session_beside.c: where nothing may run unread; elsewhere they do nothing ---- */

/* Checks the files and modules with which the session begins. -1 with ERR_POLICY if something is
 * refused. */
int guard_opening(struct session *s, struct err *err);
/* Finds files of the workspace that could run and have not been read yet. End with beside_done. -1
 * with ERR_TIMEOUT after the time limit of a cell, or when cancel_fd (-1 for none) becomes
 * readable. */
int guard_find_beside(struct session *s, int cancel_fd, struct beside *ret, struct err *err);
/* Checks these files before the guest does anything other than a cell. ERR_POLICY if one is
 * refused. */
int guard_files(struct session *s, struct err *err);
/* Checks a file that a client uploads; the position of the descriptor does not change. */
int guard_upload(struct session *s, const char *path, int fd, struct err *err);

/* ---- session_guard.c, again ---- */

/* Called after a cell was sent, so that the guard knows the names that it bound. The result has its
 * verdict, and whether it ran to its end. */
void guard_learn(struct session *s, const struct result *r);
/* Called when a variable of that name was set from outside. */
void guard_given(struct session *s, const char *name);

#endif
