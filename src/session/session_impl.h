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
#include "session/prepare.h"
#include "session/record.h"
#include "session/reporter.h"
#include "session/session.h"
#include "session/session_link.h"
#include "session/session_pause.h"
#include "session/warm.h"
#include "workspace/workspace_changes.h"

enum {
    SESSION_READY_MS = 30000,
    SESSION_VALUE_MAX = 1 << 20,
    SESSION_VARIABLES_MAX = 32 << 20, /* of one get; as large as a request that sets them */
    SESSION_BUNDLE_MAX = 8 << 20,
    SESSION_BUNDLES = 64,
    SESSION_BUNDLES_MAX = 32 << 20, /* of all of them together */
    SESSION_TEXT_CHARS = 100000,
    SESSION_GRACE_MS = 2000,
    SESSION_FORK_MS = 30000, /* for the guest to fork, independent of the limits of cells */
};

/* Shared by a session and its forks, which are its owners, counted in `sessions` without a lock: a
 * session counts a fork while it is open itself. The last of them frees it; nothing in it changes
 * after the first is open. */
struct session_shared {
    atomic_uint sessions;
    struct session_request request; /* strings and lists in it are the caller's */
    struct prepared prepared;
    struct warm warm;              /* the template of guests that can be forked */
    struct backend_pool *own_pool; /* made where none was given; or NULL */
    struct policy *policy;         /* NULL: nothing is checked */
    struct buf prelude; /* --prelude and the tools' source, which the guard treats as ours */
    char no_fork[200];  /* why it has no forks; "" when the guest decides */
};

/* One guest: its processes, the pipes to it, its output and the place of its files. A session has
 * one; while a cell is tried, a second one stands beside it. The thread with the turn, or
 * session_close after the last turn, frees it. */
struct guest {
    struct session *session;
    struct backend_guest *handle; /* NULL before the start */
    bool live;                    /* else its processes are dead */
    struct backend_job job;
    struct backend_sink sink;
    struct backend_outcome outcome;
    struct link link;
    struct exchange *now;      /* receives its output and events; NULL: none is under way */
    struct capture between[2]; /* its output between exchanges */
    struct backend_usage used; /* at the end of its last cell */
    struct changes *changes;   /* of its workspace */
    bool link_ready;           /* the link's poll descriptor can be read */
};

struct session {
    struct session_shared *shared;
    struct beside_known known; /* files that were read; only where nothing may run unread */
    struct buf names; /* statements of earlier cells for the guard, each with a NUL behind it */
    struct tool_set tools;
    struct tool_names tool_names; /* of the same, for the reviewer */
    struct lay_list *laid;
    struct recorder recorder;
    struct guest *guest;       /* never NULL; it may be dead */
    int work_dirfd, out_dirfd; /* of shared->prepared; -1 for none, and in a fork */
    unsigned asked;            /* requests that were not cells */
    unsigned levels;           /* of forks that are still permitted below it */
    struct pauses pauses;

    pthread_mutex_t lock;
    pthread_cond_t turn;
    uint64_t tickets, serving;
    unsigned users; /* threads in a call that takes a turn */
    bool closing;
    struct guest *running;       /* which may be interrupted; NULL for none */
    bool interrupt;              /* session_interrupt was called */
    int review_fd;               /* counts what is to end the review of a cell; -1: there is none */
    struct backend_outcome wall; /* its layers alone (guest_wall), of the newest guest */
    struct session_info info;    /* all but memory and processor time, which come from the guest */
    enum err_kind why_kind;      /* of SESSION_DEAD */
};

/* ---- session_queue.c ---- */

/* Sets ERR_USAGE, because the session is closed or being closed, and returns -1. */
int say_closed(struct err *err);
/* Waits for the turn. -1 with ERR_USAGE when the session is being closed. */
int turn_take(struct session *s, struct err *err);
void turn_give(struct session *s);
/* Takes the turn of a session that was not used for this time, without waiting. False when it was,
 * or is closed; *ret_again_ms is when to try again in any case. */
bool turn_try(struct session *s, int64_t unused_ms, int64_t *ret_again_ms);
void turn_pass(struct session *s); /* gives it, and does not count as a use */
/* After session_stop: waits until no call is left that takes a turn. */
void turn_close(struct session *s);

/* The caller holds the lock. */
void info_note_usage(struct session *s, const struct backend_usage *use);

/* ---- session_open.c ---- */

/* A session with what it shares with its forks. Takes over the guest; NULL: it has none yet. Copies
 * the tools; NULL: it has none. */
struct session *session_new(struct session_shared *shared, const struct tool_set *tools,
                            struct guest *guest);

/* ---- session_guest.c: its life ---- */

struct guest *guest_new(struct session *s);
void guest_kill(struct guest *g); /* if it lives */
/* Kills it if it lives, and removes everything of it from the host. */
void guest_free(struct guest *g);
/* Only the layers around it, without the rest of the outcome. */
void guest_wall(const struct guest *g, struct backend_outcome *ret);
/* Sets the parts of the job that every guest of the session has; the code that starts it sets
 * `lay`. */
void guest_plan(struct guest *g);
/* Records the state of its workspace, so that later changes are found. The sums of files come from
 * `laid`, or from `like`, the guest that its workspace was copied from; both may be NULL. */
void guest_look(struct guest *g, const struct lay_list *laid, const struct guest *like);
/* Exchanges the session's guest with the other one, in which the session continues. */
void guest_swap(struct session *s, struct guest **other);

int guest_start_cancel(const struct session *s); /* readable: give the start up; or -1 */
int guest_start(struct session *s, struct lay_list *laid, struct err *err);
/* Kills it if it lives; the session is dead then, for this reason. */
void guest_end(struct session *s, enum err_kind kind, const char *why);
/* The workspace of the guest, alive or dead, or a copy of it as it is now; -1 for none. */
int guest_work(const struct session *s);
/* ERR_LIMIT or ERR_GUEST with the reason why it is dead; 0 when it lives. */
int guest_check(struct session *s, struct err *err);

/* ---- session_exec.c ---- */

/* Runs a text of ours, in the turn or before there are turns: not counted, not logged. */
void exec_silently(struct session *s, const struct cell_request *cell, const struct reporter *t);

/* ---- session_values.c ---- */

struct question {
    const char *kind;   /* of the frame */
    const json_t *body; /* its JSON; NULL for none */
    int64_t wall_ms;
};
/* The "done" with which the guest answers, a new reference; NULL with *err. The frame's number is
 * in *ret_id. */
json_t *guest_ask(struct session *s, const struct question *q, uint32_t *ret_id, struct err *err);
/* ERR_GUEST with the exception in a "done" that is not ok. */
void guest_explain(const json_t *answer, struct err *err);

/* ---- session_fork.c ---- */

/* A copy of the session's guest, for a session of its own or for this one. NULL with *err, and
 * nothing has changed. */
struct guest *guest_fork(struct session *s, struct err *err);

/* ---- session_try.c: a cell that may be undone ---- */

/* For a cell that is tried: makes the session's guest one that can be dropped, and *ret the one
 * beside it. *ret is NULL for any other cell. */
int try_begin(struct session *s, const struct cell_request *cell, struct guest **ret,
              struct err *err);
/* Whether the cell's effects stay; also sets that in the result. If not, the cell's guest is dead
 * afterwards. */
bool try_decide(struct session *s, const struct cell_request *cell, const struct guest *beside,
                struct result *ret);
/* Carries out the decision: keeps one of the two guests in the session and frees the other. */
void try_end(struct session *s, struct guest *beside, const struct result *r);

/* ---- session_hello.c ---- */

/* The server's text for the frame "program"; nothing when none is sent. */
int hello_program(const struct language *language, struct buf *out);
/* The hello frame's JSON; the caller frees. */
char *hello_json(const struct session *s);
/* A tool, as the frames "hello" and "tools" have it. */
json_t *hello_tool(const struct tool *tool);

/* ---- session_guard.c ---- */

int guard_open(struct session *s, struct err *err);
/* False when the cell is refused, and the result has the verdict; or when its review was
 * cancelled. */
bool guard_cell(struct session *s, const struct cell_request *cell, int cancel_fd,
                struct result *ret);
/* ---- session_beside.c: where nothing may run unread; elsewhere they do nothing ---- */

/* What the session begins with: files, modules to load. ERR_POLICY when it is refused. */
int guard_opening(struct session *s, struct err *err);
/* The files of the workspace that could run and were not read yet. End with beside_done.
 * ERR_TIMEOUT after the time limit of a cell, or when cancel_fd (-1 for none) becomes readable. */
int guard_find_beside(struct session *s, int cancel_fd, struct beside *ret, struct err *err);
/* Has them read, before the guest does anything but a cell. ERR_POLICY when one is refused. */
int guard_files(struct session *s, struct err *err);
/* Reads a file that a client puts there; the descriptor's position stays. */
int guard_upload(struct session *s, const char *path, int fd, struct err *err);

/* ---- session_guard.c, again ---- */

/* After a cell was sent: later cells know the names that it bound. The result has its verdict, and
 * whether it ran to its end. */
void guard_learn(struct session *s, const struct result *r);

#endif
