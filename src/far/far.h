/* SPDX-License-Identifier: Apache-2.0
 *
 * Guests that do not run under this process: their helper is at the other end of a connection, in a
 * container or in a virtual machine, and speaks the frames of docker/contained.h. A backend has a
 * place for them (struct far_place), and takes the entries of its table from here.
 */
#ifndef FAR_FAR_H
#define FAR_FAR_H

#include "backends/backend.h"
#include "base/buf.h"
#include "docker/contained.h"

/* A folder of this host that only we can enter; fd is -1 for none. */
struct far_folder {
    int fd;
    char *path;
};

/* Paths of files. */
struct far_kept {
    char **paths;
    size_t n, size;
};

enum { FAR_CHANNEL_FILE_MAX = 2 << 20 };

/* The guest's output to the channel, on its way to the session. */
struct far_outlet {
    int fd;
    bool ends; /* after these bytes */
    bool news; /* bytes that the session has not read */
    struct buf bytes;
};

/* A source of bytes for the guest. */
struct far_source {
    int fd;
    size_t window; /* bytes that may still be sent */
};

struct far_guest;
struct backend_observed;

enum { FAR_POLLS = 3 }; /* descriptors of a place that the loop polls */

enum { FAR_SETUP_MS = 15000 }; /* setup_ms of a helper that answers at once */

/* What differs between places where the helper runs. */
struct far_place {
    const char *name;    /* "container" */
    const char *lacks;   /* why a layer is missing */
    int setup_ms;        /* for the program to start when the helper has its job */
    layer_mask optional; /* without them, a run has lost nothing */
    const char *work;    /* the workspace as the program names it, with a slash at the end; NULL:
                            that in CONTAINED_WORK */
    /* Both NULL where far_guest.fd is the connection itself. Else they move bytes between it and
     * the network. */
    void (*polls)(struct far_guest *d, struct pollfd ret[FAR_POLLS]);
    void (*move)(struct far_guest *d);
    void (*started)(struct far_guest *d); /* the program runs; may be NULL */
    /* The helper has done all that it was asked: nothing is on its way. May be NULL. */
    void (*settled)(struct far_guest *d);
    /* Stops everything there, and lets it continue. The latter also when another hand has stopped
     * it; it does nothing where nothing is stopped. Both NULL where the place does it by itself. */
    int (*pause)(struct far_guest *d, struct err *err);
    void (*resume)(struct far_guest *d);
    /* Kills everything there, whatever the helper does. */
    void (*kill)(struct far_guest *d);
    /* The helper is gone without its report: the cause into the outcome, if it is known. */
    void (*died)(struct far_guest *d);
};

struct far_guest {
    struct backend_guest base;
    const struct far_place *place;
    void *own;                     /* what the place keeps for it */
    const struct backend_job *job; /* as the next two, lent until the end */
    const struct backend_sink *sink;
    struct backend_outcome *out;
    int fd;              /* its streams; -1 once they ended */
    struct buf in;       /* output as it came */
    int piece_stream;    /* of the piece that has begun */
    uint32_t piece_left; /* bytes of it */
    struct buf frames;   /* of its standard output: frames of the helper */
    struct buf words;    /* of its standard error */
    struct buf queue;    /* to send */
    struct far_source sources[CONTAINED_WAYS];
    struct far_outlet channel;
    struct buf channel_file; /* what the guest reads as descriptor 3, if that is a file */
    int64_t lent_ns;         /* when it got its job */
    int64_t start_ns, deadline_ms;
    int64_t kill_ms; /* it was asked to end: when the place is to kill it */
    struct backend_usage usage;
    struct jail_limits limits;        /* the job's */
    struct backend_outcome rest;      /* after the end */
    uint64_t max_bytes, entries_left; /* of its workspace, as it arrives */
    const int *cancel_fd;             /* ends the wait for it; or NULL */
    int spool;                        /* a copy of its workspace as it arrives; -1 for none */
    struct far_folder arriving;       /* what has come of it */
    struct far_kept unread;           /* files that could not be had */
    struct far_kept kept;             /* what is in the copy already, and as it was */
    struct far_folder mirror;         /* the copy */
    int64_t fresh_until_ms;           /* a file may be read in it as it is */
    bool mirrored;                    /* it has the state of the end */
    bool waits;        /* its program has started, and waits for the job's words and files */
    bool failed;       /* the helper could not start it: error */
    bool answered;     /* DONE came: error, or no error */
    bool paused;       /* by us */
    int64_t sent_ms;   /* when it was sent something to which nothing has come yet; 0: never */
    uint64_t activity; /* these two as the last answer to CONTAINED_LOOK says */
    bool disk_full;
    bool ended, over;
    layer_mask held;
    struct err error;
};

#define far_of(guest) ((struct far_guest *)(guest))

/* ---- far.c ---- */

/* Waits for at most this long, and moves what can be moved. */
void far_move(struct far_guest *d, int timeout_ms);
/* One without a job; and its end, but for what its place keeps. */
struct far_guest *far_guest_new(const struct far_place *place, void *own);
void far_guest_free(struct far_guest *d);
void far_lend(struct far_guest *d, const struct backend_job *job, const struct backend_sink *sink,
              struct backend_outcome *out);
/* Waits until the program runs, if the start has `begun`; else it only completes *err, which says
 * why not. -1 with the reason, and with out->cancelled when that was wished. */
int far_wait_start(struct far_guest *d, bool begun, struct err *err);
int far_opened(struct far_guest *d, struct backend_guest **ret_guest);
bool far_is_stopped(const struct backend_sink *sink);
/* Entries of a backend's table, in which they stand as FAR_ENTRIES. */
#define FAR_ENTRIES                                                                                \
    .step = far_step, .state = far_state, .deadline = far_deadline, .end = far_end,                \
    .interrupt = far_interrupt, .pending = far_pending, .drain = far_drain, .usage = far_usage,    \
    .files = &far_files
void far_deadline(struct backend_guest *guest, int64_t wall_ms);
void far_step(struct backend_guest *guest, int timeout_ms);
enum backend_state far_state(const struct backend_guest *guest);
int far_end(struct backend_guest *guest, struct err *err);
void far_interrupt(struct backend_guest *guest);
bool far_pending(const struct backend_guest *guest);
void far_drain(struct backend_guest *guest);
void far_usage(struct backend_guest *guest, struct backend_usage *ret);
int far_pause(struct backend_guest *guest, struct err *err);
void far_resume(struct backend_guest *guest);

/* ---- far_job.c ---- */

/* -1 for what no guest of these backends can have. out->lacking has the layers. */
int far_refuse(const struct backend_job *job, const struct backend *backend,
               struct backend_outcome *out, struct err *err);
struct contained_plan far_plan(const struct far_guest *d);
/* The program that is started before its job is one that becomes the guest. */
bool far_is_zygote(const struct backend_job *job);
/* Lends it the job's channel; sends the plan and the files to its helper, which runs. */
int far_lend_channel(struct far_guest *d, struct err *err);
int far_send_job(struct far_guest *d, struct err *err);

/* ---- far_can.c ---- */

/* What a backend has of an ability: a row of its table, which has one for each ability. An empty
 * row is an ability that every far guest has; but a limit, which some code has to enforce at each
 * place, is missing without a row. */
struct far_ability {
    const char *how;     /* in which way, or NULL */
    const char *never;   /* why it is never there, or NULL */
    layer_mask layers;   /* it is missing without one of these, */
    const char *missing; /* for this reason */
    bool held;           /* a limit that holds as in a jail */
};
struct backend_need far_need(const struct far_ability *rows, enum backend_ability ability);

/* ---- far_frames.c ---- */

/* Appends a frame to the queue. */
void far_put(struct far_guest *d, enum contained_frame kind, struct str bytes);
/* Sends what the connection takes. */
void far_send(struct far_guest *d);
/* Reads what came, and acts on whole frames. */
void far_receive(struct far_guest *d);
/* Notes a limit that was met, once. */
void far_hit(struct far_guest *d, enum jail_limit_hit limit);
/* Writes the file's content into the connection. */
int far_send_file(struct far_guest *d, int file, int64_t until_ms, struct err *err);
/* Writes to the channel what its reader takes. */
void far_pass_channel(struct far_guest *d);

/* ---- far_files.c ---- */

extern const struct backend_files far_files;
int far_observe(struct backend_guest *guest, struct backend_observed *ret, struct err *err);
void far_files_done(struct far_guest *d);

/* ---- far_mirror.c ---- */

/* What the frames LEFT_OUT and KEPT say. Of a file that could not be had, the mode is 0. */
void far_left_out(struct far_guest *d, struct str record);
bool far_kept(struct far_guest *d, struct str path); /* false: more than there can be */
void far_kept_done(struct far_kept *k);
int far_folder_make(struct far_folder *f, struct err *err);
void far_folder_drop(struct far_folder *f);
/* Takes over what has arrived. At most so many bytes are in the copy then. */
int far_mirror_update(struct far_guest *d, uint64_t max_bytes, struct err *err);
/* Removes copies of workspaces that killed processes left. */
void far_sweep_files(void);

#endif
