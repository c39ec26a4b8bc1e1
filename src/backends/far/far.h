/* SPDX-License-Identifier: Apache-2.0
 *
 * Guests that do not run under this process: their helper is at the other end of a connection, in a
 * container or in a virtual machine, and speaks the frames of jail/contained_wire.h. Each backend
 * describes its place for them (struct far_place), and uses the functions here as entries of its
 * table.
 */
#ifndef FAR_FAR_H
#define FAR_FAR_H

#include "backends/backend.h"
#include "base/buf.h"
#include "jail/contained_wire.h"

/* A folder of this host that only we can enter; fd is -1 for none. */
struct far_folder {
    int fd;
    char *path;
};

/* A list of file paths. */
struct far_kept {
    char **paths;
    size_t n, size;
};

enum { FAR_CHANNEL_FILE_MAX = 2 << 20 };

/* The guest's channel output on its way to the session. */
struct far_outlet {
    int fd;
    bool ends; /* close it after these bytes */
    bool news; /* there are bytes that the session has not read */
    struct buf bytes;
};

/* A source of bytes for the guest. */
struct far_source {
    int fd;
    size_t window; /* bytes that may still be sent */
};

/* The backends that have such guests. */
extern const struct backend docker_backend, e2b_backend;

struct far_guest;
struct backend_observed;

enum { FAR_POLLS = 3 }; /* descriptors of a place that the loop polls */

enum { FAR_SETUP_MS = 15000 }; /* setup_ms for a helper that answers at once */

/* The differences between the places where the helper runs. */
struct far_place {
    const char *name;    /* "container" */
    const char *lacks;   /* the reason why a layer is missing */
    int setup_ms;        /* maximum time until the program starts, once the helper has its job */
    layer_mask optional; /* layers whose absence does not count as lost */
    /* Both are NULL if far_guest.fd is the connection itself. Otherwise they move bytes between it
     * and the network. */
    void (*polls)(struct far_guest *guest, struct pollfd ret[FAR_POLLS]);
    void (*move)(struct far_guest *guest);
    void (*started)(struct far_guest *guest); /* the program runs; may be NULL */
    /* Called when the helper has answered all requests: no data is on its way. May be NULL. */
    void (*settled)(struct far_guest *guest);
    /* Stop all processes there, and let them continue. `resume` also works if someone else has
     * stopped them, and does nothing if they run. Both are NULL if the place pauses by itself. */
    int (*pause)(struct far_guest *guest, struct err *err);
    void (*resume)(struct far_guest *guest);
    /* Kills all processes there, whatever the helper does. */
    void (*kill)(struct far_guest *guest);
    /* Called if the helper is gone without its report: writes the cause into the outcome, if it is
     * known. */
    void (*died)(struct far_guest *guest);
};

struct far_guest {
    struct backend_guest base;
    const struct far_place *place;
    void *own;                     /* the place's own data for the guest */
    const struct backend_job *job; /* this and the next two are lent until the end */
    const struct backend_sink *sink;
    struct backend_outcome *out;
    int fd;              /* the connection to its streams; -1 once they ended */
    struct buf in;       /* received bytes */
    int piece_stream;    /* stream of the current piece */
    uint32_t piece_left; /* bytes of it that are still to come */
    struct buf frames;   /* its standard output: frames of the helper */
    struct buf words;    /* its standard error */
    struct buf queue;    /* bytes to send */
    struct far_source sources[CONTAINED_WAYS];
    struct far_outlet channel;
    struct buf channel_file; /* the content of the guest's descriptor 3, if that is a file */
    int64_t lent_ns;         /* when it got its job */
    int64_t start_ns, deadline_ms;
    int64_t kill_ms; /* time at which the place kills the guest; the helper was asked to do so */
    struct backend_usage usage;
    struct jail_limits limits;        /* the job's */
    struct backend_outcome rest;      /* replaces `out` after the end */
    uint64_t max_bytes, entries_left; /* limits for the arriving workspace */
    const int *cancel_fd;             /* cancels the wait for it; or NULL */
    int spool;                        /* a copy of its workspace as it arrives; -1 for none */
    struct far_folder arriving;       /* the part that has arrived */
    struct far_kept unread;           /* files that could not be read */
    struct far_kept kept;             /* unchanged files, which are in the copy already */
    struct far_folder mirror;         /* the copy */
    int64_t fresh_until_ms;           /* until then the copy may be used without an update */
    bool mirrored;                    /* the copy has the final state */
    bool waits;        /* its program has started, and waits for the job's words and files */
    bool failed;       /* the helper could not start it; see `error` */
    bool answered;     /* DONE came; `error` has its error, if any */
    bool paused;       /* we have paused it */
    int64_t sent_ms;   /* time of the first message without an answer yet; 0: there is none */
    uint64_t activity; /* this and the next are from the last answer to CONTAINED_LOOK */
    bool disk_full;
    bool ended, over;
    layer_mask held;
    struct err error;
};

#define far_of(base) ((struct far_guest *)(base))

/* ---- far.c ---- */

/* Waits for at most this time, and moves the bytes that can be moved. */
void far_move(struct far_guest *guest, int timeout_ms);
/* Makes a guest without a job; frees a guest, but not `own`. */
struct far_guest *far_guest_new(const struct far_place *place, void *own);
void far_guest_free(struct far_guest *guest);
void far_lend(struct far_guest *guest, const struct backend_job *job,
              const struct backend_sink *sink, struct backend_outcome *out);
/* Waits until the program runs, if the start has `begun`; otherwise only completes *err, which has
 * the reason. Returns -1 with the reason, and with out->cancelled set if the start was cancelled.
 */
int far_wait_start(struct far_guest *guest, bool begun, struct err *err);
int far_opened(struct far_guest *guest, struct backend_guest **ret_guest);
bool far_is_stopped(const struct backend_sink *sink);
/* The entries of a backend's table that all far backends share: a table contains FAR_ENTRIES. */
#define FAR_ENTRIES                                                                                \
    .step = far_step, .state = far_state, .deadline = far_deadline, .end = far_end,                \
    .interrupt = far_interrupt, .pending = far_pending, .drain = far_drain, .usage = far_usage,    \
    .files = &far_files
void far_deadline(struct backend_guest *base, int64_t wall_ms);
void far_step(struct backend_guest *base, int timeout_ms);
enum backend_state far_state(const struct backend_guest *base);
int far_end(struct backend_guest *base, struct err *err);
void far_interrupt(struct backend_guest *base);
bool far_pending(const struct backend_guest *base);
void far_drain(struct backend_guest *base);
void far_usage(struct backend_guest *base, struct backend_usage *ret);
int far_pause(struct backend_guest *base, struct err *err);
void far_resume(struct backend_guest *base);

/* ---- far_job.c ---- */

/* Returns -1 for a request that no guest of these backends can fulfil; out->lacking has the missing
 * layers. */
int far_refuse(const struct backend_job *job, const struct backend *backend,
               struct backend_outcome *out, struct err *err);
struct contained_plan far_plan(const struct far_guest *guest);
/* True if the program that starts before its job is a zygote, which becomes the guest itself. */
bool far_is_zygote(const struct backend_job *job);
/* far_lend_channel lends it the job's channel; far_send_job sends the plan and the files to its
 * helper, which runs. */
int far_lend_channel(struct far_guest *guest, struct err *err);
int far_send_job(struct far_guest *guest, struct err *err);

/* ---- far_can.c ---- */

/* How a backend has an ability: a row of its table, with one row for each ability. An empty row
 * means that every far guest has it. A limit must be enforced by code at each place, so with an
 * empty row it is missing. */
struct far_ability {
    const char *how;     /* the way, or NULL */
    const char *never;   /* why it never exists, or NULL */
    layer_mask layers;   /* it is missing if one of these is */
    const char *missing; /* with this reason */
    bool held;           /* a limit that is enforced as in a jail */
};
struct backend_need far_need(const struct far_ability *rows, enum backend_ability ability);

/* ---- far_frames.c ---- */

/* Appends a frame to the queue. */
void far_put(struct far_guest *guest, enum contained_frame kind, struct str bytes);
/* Sends as many bytes as the connection accepts. */
void far_send(struct far_guest *guest);
/* Reads received bytes, and handles complete frames. */
void far_receive(struct far_guest *guest);
/* Notes a limit that was hit, once. */
void far_hit(struct far_guest *guest, enum jail_limit_hit limit);
/* Writes the file's content into the connection. */
int far_send_file(struct far_guest *guest, int file, int64_t until_ms, struct err *err);
/* Writes as many bytes to the channel as its reader accepts. */
void far_pass_channel(struct far_guest *guest);

/* ---- far_files.c ---- */

extern const struct backend_files far_files;
int far_observe(struct backend_guest *base, struct backend_observed *ret, struct err *err);
void far_files_done(struct far_guest *guest);

/* ---- far_mirror.c ---- */

/* Handle the frames LEFT_OUT and KEPT. In LEFT_OUT, mode 0 means that the file could not be read.
 */
void far_left_out(struct far_guest *guest, struct str record);
bool far_kept(struct far_guest *guest, struct str path); /* false: there are too many */
void far_kept_done(struct far_kept *k);
int far_folder_make(struct far_folder *f, struct err *err);
void far_folder_drop(struct far_folder *f);
/* Moves the arrived entries into the copy, which then has at most max_bytes. */
int far_mirror_update(struct far_guest *guest, uint64_t max_bytes, struct err *err);
/* Removes copies of workspaces that killed processes have left. */
void far_sweep_files(void);

#endif
