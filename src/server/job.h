/* SPDX-License-Identifier: Apache-2.0
 *
 * A request that a worker works on. server/server.h says which thread owns it when. Only the loop
 * frees it (job_free), in `over`, when neither the queue nor a worker has it: a worker gives it
 * back by its last mail, and touches it no more.
 */
#ifndef SERVER_JOB_H
#define SERVER_JOB_H

#include <jansson.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include "hosting/session_table.h"
#include "net/mailbox.h"
#include "request/wording.h"
#include "server/metrics.h"
#include "server/server.h"

/* Bytes of a stream that wait for its reader: at ROOM_MAX the program waits as well; at UNREAD_MAX
 * every sender of another line waits, and a batch begins no further run. */
enum { ROOM_MAX = 1 << 20, UNREAD_MAX = 8 << 20 };

struct call;
struct lane;
struct worker;

/* Why a job is ended early, or not begun. */
enum job_end {
    END_NONE, /* it was not ended; or its client has gone */
    END_LATE, /* its deadline has passed */
    END_CLOSED,
    END_DAEMON,
};

struct job {
    struct mail over_mail;
    struct job *next;      /* in the queue */
    struct job **place;    /* ... the pointer to it */
    struct worker *worker; /* guarded by the queue's lock; NULL while the job waits */
    struct lane *lane;     /* same lock; its owner's lane (server/queue.h); NULL when urgent */
    bool queued;           /* same lock */
    bool urgent;           /* goes first and is never refused: a job that only frees something */
    struct server *server;
    struct config *config;
    const struct request_rules
        *rules;        /* for its client; the config's, or those of its connection */
    struct call *call; /* used by the loop; NULL when no client waits for the answer any more */
    char owner[TOKEN_NAME];
    enum wording wording; /* how the answer writes settings */
    int64_t arrived_ms, arrived_ns;
    int64_t waited_us;           /* time in the queue; -1 while the job is there */
    _Atomic int64_t deadline_ms; /* when an answer becomes useless; 0 for never */
    _Atomic enum job_end end;
    bool begun; /* the worker has read all of the request in time */

    /* In a worker. */
    void (*work)(struct job *job);
    /* In the worker, after the job went back to the loop: work that the answer need not wait for.
     * Only `rest` may be used then. */
    void (*tidy)(void *rest);
    void *rest;
    /* In the loop, after work, or instead of it when the client went away first (cancelled):
     * answers (job_reply) and frees (job_free). NULL: only that. */
    void (*over)(struct job *job);
    void (*release)(struct job *job); /* frees `own`; NULL for free() */
    void *own;
    /* Called instead of stopping a worker, for a job that only waits for others. */
    void (*stop)(struct job *job);
    /* In the loop: the client has taken all lines that were sent so far. NULL: nothing to do. */
    void (*drained)(struct job *job);

    struct buf body;
    json_t *doc;              /* the body, parsed; NULL until then */
    struct session_turn turn; /* of a job about a session */

    atomic_bool cancelled;
    int cancel_fd; /* the worker's, while it works on this job */

    /* The answer. */
    int status; /* 0: no answer was made */
    const char *type, *extra;
    char *answer;
    size_t answer_n;
    int file_fd; /* a file, instead of `answer` */
    uint64_t file_size;

    struct run_figures *figures; /* for the metrics */
    size_t figure_count;

    /* Lines that are sent as they are made. */
    bool streams;
    struct mail lines_mail;
    pthread_mutex_t lock; /* guards the members below */
    struct buf lines;
    bool posted;
    size_t unsent;
    int room_fd;     /* an eventfd, made when it is needed; or -1 */
    bool wants_room; /* room_fd is to be written to when there is room */
    int64_t stalled_ms;
    bool overrun; /* the client does not read: no more is sent */
};

/* ---- for the loop ---- */

/* A job for a call. Takes the body, and parses it here if it is short. NULL: the body was not JSON,
 * and the call is answered. */
struct job *job_new(struct server *server, struct call *call);
/* Like job_new, without a body; `call` may be NULL for a job of our own. */
struct job *job_bare(struct server *server, struct call *call);
/* Takes the parsed body over; sets the deadline that it names. */
void job_take_doc(struct job *job, json_t *doc);
/* NULL when the queue has room for the job, in total and for its owner; else why not, with 429 or
 * 503. */
const char *job_no_room(const struct job *job, int *ret_status);
/* Queues it, or answers 429 or 503 and frees it. A job without a client always has room. */
void job_submit(struct job *job);
/* The client has gone, or the wait took too long. May end in `over`. */
void job_cancel(struct job *job);
/* Work has returned, or will never be called. */
void job_over(struct job *job);
/* The status of a job that was ended early; 0 when it was not, or had its result by then. */
int job_end_status(const struct job *job);
/* The same in words, for a client that gets a part of the result. *ret is unchanged if the job was
 * not ended early. */
void job_end_words(const struct job *job, struct err *ret);
/* Sends the answer that `work` left. */
void job_reply(struct job *job);
void job_free(struct job *job);

/* ---- for the worker ---- */

/* The body as an object; -1 with *err. */
int job_read(struct job *job, struct err *err);
/* {"error": {"kind", "message"}} with the status that goes with the kind. */
void job_fail(struct job *job, const struct err *err);
/* An answer of JSON text, which is taken over. */
void job_answer(struct job *job, int status, char *text);
void job_answer_json(struct job *job, int status, json_t *doc); /* taken over */
/* A line of a stream. Waits when the client is slow, and gives up on one that
 * is too slow: then the job is cancelled. */
void job_line(struct job *job, struct str line);
void job_line_json(struct job *job, json_t *event); /* takes over; NULL: sends nothing */
/* For struct run_watch; the same for both output streams. */
bool job_room(struct job *job, struct pollfd *ret);
/* Room for the figures of one more run. */
struct run_figures *job_figures(struct job *job);

/* {"error": ...}; the caller frees. */
char *error_text(const char *kind, const char *message);
/* The same, with settings as the client writes them. */
char *error_words(const struct err *err, enum wording wording);

/* Parses a client's JSON; an empty text is an empty object. -1 with ERR_USAGE, line and column. */
int json_read(struct str text, json_t **ret, struct err *err);

#endif
