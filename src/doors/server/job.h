/* SPDX-License-Identifier: Apache-2.0
 *
 * A request for a worker. server/server.h has the table of its owners. Only the loop frees a job
 * (job_free), in `over`, when neither the queue nor a worker has it: a worker's last mail returns
 * the job, and the worker does not use it after that.
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

/* Bytes of a stream that its client has not read yet: at ROOM_MAX the program waits, at UNREAD_MAX
 * every sender of another line waits, too, and a batch begins no further run. */
enum { ROOM_MAX = 1 << 20, UNREAD_MAX = 8 << 20 };

struct call;
struct lane;
struct route;
struct worker;

/* Why a job was ended early, or did not begin. */
enum job_end {
    END_NONE, /* it was not ended, or its client has disconnected */
    END_LATE, /* its deadline has passed */
    END_CLOSED,
    END_DAEMON,
};

struct job {
    struct mail over_mail;
    struct job *next;      /* in the queue */
    struct job **place;    /* the pointer to this job */
    struct worker *worker; /* under the queue's lock; NULL while the job waits */
    /* under the queue's lock: the lane of the job's owner (server/queue.h); NULL if urgent */
    struct lane *lane;
    bool queued; /* under the queue's lock */
    bool urgent; /* starts first and is never refused: a job that only frees something */
    struct server *server;
    struct config *config;
    const struct request_rules
        *rules;                /* for its client: those of the config, or of its connection */
    struct call *call;         /* for the loop; NULL when no client waits for the answer any more */
    const struct route *route; /* its form is that of the body; NULL for a job of our own */
    char owner[TOKEN_NAME];
    enum wording wording; /* the spelling of settings in the answer */
    int64_t arrived_ms, arrived_ns;
    int64_t waited_us;           /* time in the queue; -1 while the job waits in it */
    _Atomic int64_t deadline_ms; /* when the answer becomes useless; 0: never */
    _Atomic enum job_end end;
    bool begun; /* the worker has read the whole request before the deadline */

    /* Called in a worker. */
    void (*work)(struct job *job);
    /* Called in the worker after the job was returned to the loop: work for which the answer need
     * not wait. It may use only `rest`. */
    void (*tidy)(void *rest);
    void *rest;
    /* Called in the loop after the work, or without it when the job was cancelled before. It must
     * answer (job_reply) and free (job_free); NULL does both. */
    void (*over)(struct job *job);
    void (*release)(struct job *job); /* frees `own`; NULL: free() does */
    void *own;
    /* Called instead of notifying a worker, for a job that only waits for others. */
    void (*stop)(struct job *job);
    /* Called in the loop when the client has taken all lines that were sent so far. May be NULL. */
    void (*drained)(struct job *job);

    struct buf body;
    json_t *doc;              /* the body, parsed; NULL until then */
    struct session_turn turn; /* for a job about a session */

    atomic_bool cancelled;
    int cancel_fd; /* the worker's descriptor, while it works on this job */

    /* The answer. */
    int status; /* 0: there is no answer */
    const char *type, *extra;
    char *answer;
    size_t answer_n;
    int file_fd; /* the answer is this file, instead of `answer` */
    uint64_t file_size;

    struct run_figures *figures; /* for the metrics */
    size_t figure_count;

    /* The answer is a stream of lines, which are sent as they are made. */
    bool streams;
    struct mail lines_mail;
    pthread_mutex_t lock; /* guards the members below */
    struct buf lines;
    bool posted;
    size_t unsent;
    int room_fd;     /* an eventfd, made when it is needed; or -1 */
    bool wants_room; /* when there is room, write to room_fd */
    int64_t stalled_ms;
    bool overrun; /* the client does not read: no more lines are sent */
};

/* ---- for the loop ---- */

/* Makes a job for a call. Takes over the body, and parses it here if it is short. NULL: the body
 * was not JSON, and the call is answered. */
struct job *job_new(struct server *server, struct call *call);
/* As job_new, without a body; `call` may be NULL for a job of our own. */
struct job *job_bare(struct server *server, struct call *call);
/* Takes over the parsed body; sets the deadline that is in it. */
void job_take_doc(struct job *job, json_t *doc);
/* NULL when the queue has room for the job, in total and for its owner; otherwise the reason, and
 * the status 429 or 503. */
const char *job_no_room(const struct job *job, int *ret_status);
/* Queues the job, or answers 429 or 503 and frees it. There is always room for a job without a
 * client. */
void job_submit(struct job *job);
/* Call it when the client has disconnected or the wait took too long. May call `over`. */
void job_cancel(struct job *job);
/* Call it when `work` has returned or will never be called. */
void job_over(struct job *job);
/* The status of a job that was ended early; 0 when it was not, or when it already had its result.
 */
int job_end_status(const struct job *job);
/* Sets *ret to the same reason as an error, for a client that receives a part of the result. *ret
 * is unchanged if the job was not ended early. */
void job_end_words(const struct job *job, struct err *ret);
/* Sends the answer that `work` made. */
void job_reply(struct job *job);
void job_free(struct job *job);

/* ---- for the worker ---- */

/* Reads the body as the route's form says, into *ret, the struct of its rows (ask_read). -1 with
 * *err, also after the deadline. */
int job_read(struct job *job, void *ret, struct err *err);
/* Sets the answer {"error": {"kind", "message"}}, with the status for this kind. */
void job_fail(struct job *job, const struct err *err);
/* Sets the answer to a JSON text, which is taken over. */
void job_answer(struct job *job, int status, char *text);
void job_answer_json(struct job *job, int status, json_t *doc); /* taken over */
/* Sends a line of a stream. Waits when the client reads slowly, and cancels the job when it reads
 * too slowly. */
void job_line(struct job *job, struct str line);
void job_line_json(struct job *job, json_t *event); /* takes over `event`; NULL: sends nothing */
/* For struct run_watch; both output streams share the room. */
bool job_room(struct job *job, struct pollfd *ret);
/* Adds room for the figures of one more run, and returns it. */
struct run_figures *job_figures(struct job *job);

/* {"error": ...}; the caller frees. */
char *error_text(const char *kind, const char *message);
/* As error_text, with settings in the client's spelling. */
char *error_words(const struct err *err, enum wording wording);

/* Parses a client's JSON; an empty string is an empty object. -1 with ERR_USAGE, line and column.
 */
int json_read(struct str text, json_t **ret, struct err *err);

#endif
