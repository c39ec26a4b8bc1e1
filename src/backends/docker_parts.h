/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the docker*.c and e2b*.c files, and included by no others: a sandbox of E2B is a place
 * for a guest as a container is (struct docker_far).
 */
#ifndef BACKENDS_DOCKER_PARTS_H
#define BACKENDS_DOCKER_PARTS_H

#include "backends/docker.h"
#include "base/buf.h"
#include "docker/contained.h"
#include "docker/engine.h"

#define DOCKER_IMAGE  "python:3.11-slim" /* for a job that names none */
#define DOCKER_LAYERS (LAYERS_ALL & ~LAYER_BIT(LAYER_LANDLOCK))

/* The engine's setup decides whether a container has them: a run without them has lost nothing. */
#define DOCKER_OPTIONAL (LAYER_BIT(LAYER_USERNS) | LAYER_BIT(LAYER_CGROUPNS))

/* A folder of this host that only we can enter; fd is -1 for none. */
struct docker_folder {
    int fd;
    char *path;
};

/* Paths of files. */
struct docker_kept {
    char **paths;
    size_t n, size;
};

enum { DOCKER_CHANNEL_FILE_MAX = 2 << 20 };

/* The guest's output to the channel, on its way to the session. */
struct docker_outlet {
    int fd;
    bool ends; /* after these bytes */
    struct buf bytes;
};

/* A source of bytes for the guest. */
struct docker_source {
    int fd;
    size_t window; /* bytes that may still be sent */
};

struct docker_guest;

/* What differs between places where the helper runs. */
enum { DOCKER_FAR_POLLS = 3 };
struct docker_far {
    const char *place; /* "container" */
    const char *lacks; /* why a layer is missing */
    /* Moves bytes between the network and `fd`, where that is no connection itself; or NULL. */
    void (*polls)(struct docker_guest *d, struct pollfd ret[DOCKER_FAR_POLLS]);
    void (*move)(struct docker_guest *d);
    void (*started)(struct docker_guest *d); /* the program runs; may be NULL */
    /* All that the helper was asked is done: nothing is on its way. May be NULL. */
    void (*settled)(struct docker_guest *d);
    /* Ends everything there, whatever the helper does. */
    void (*kill)(struct docker_guest *d);
    /* The helper is gone without its report: the cause into the outcome, if it is known. */
    void (*died)(struct docker_guest *d);
};

struct docker_guest {
    struct backend_guest base;
    const struct docker_far *far;
    void *place;                   /* of a far that is not an engine */
    const struct backend_job *job; /* as the next two, lent until the end */
    const struct backend_sink *sink;
    struct backend_outcome *out;
    struct engine *engine;
    struct docker_pool *pool; /* NULL: no container waits, and none is kept ready */
    char *container;
    int fd;              /* its streams; -1 once they ended */
    struct buf in;       /* output as it came */
    int piece_stream;    /* of the piece that has begun */
    uint32_t piece_left; /* bytes of it */
    struct buf frames;   /* of its standard output: frames of the helper */
    struct buf words;    /* of its standard error */
    struct buf queue;    /* to send */
    struct docker_source sources[CONTAINED_WAYS];
    struct docker_outlet channel;
    struct buf channel_file; /* what the guest reads as descriptor 3, if that is a file */
    int64_t start_ns, deadline_ms;
    int64_t kill_ms; /* it was asked to end: when the engine is to kill it */
    struct backend_usage usage;
    struct jail_limits limits;        /* the job's */
    struct backend_outcome rest;      /* after the end */
    uint64_t max_bytes, entries_left; /* of its workspace, as it arrives */
    int spool;                        /* a copy of its workspace as it arrives; -1 for none */
    struct docker_folder arriving;    /* what has come of it */
    struct docker_kept kept;          /* what is in the copy already, and as it was */
    struct docker_folder mirror;      /* the copy */
    bool mirrored;                    /* it has the state of the end */
    bool waits;    /* its program has started, and waits for the job's words and files */
    bool failed;   /* the helper could not start it: error */
    bool answered; /* DONE came: error, or no error */
    bool ended, over;
    layer_mask held;
    struct err error;
};

#define docker_of(guest) ((struct docker_guest *)(guest))

/* docker_can.c */
struct backend_can docker_can(enum backend_ability ability);
struct backend_need docker_need(enum backend_ability ability);
json_t *docker_about(void);

/* docker_start.c: the name of the job's image, or the path of its Dockerfile. */
const char *docker_image(const struct backend_job *job);
/* Gets a container, sends it the plan and the files. After -1, the caller frees the guest as after
 * a success. */
int docker_start(struct docker_guest *d, struct err *err);
/* Lends it the job's channel; sends the plan and the files to its helper, which runs. */
int docker_lend_channel(struct docker_guest *d, struct err *err);
int docker_send_job(struct docker_guest *d, struct err *err);
/* Has the engine make and start a container with this configuration (JSON). */
int docker_make(struct docker_guest *d, const char *config, struct err *err);
struct contained_plan docker_plan(const struct docker_guest *d);

/* docker_early.c: containers that are made before their job is known. Their kind has all that they
 * have in common: the configuration, and the program that is started in them, if one is. */
void docker_kind(const struct docker_guest *d, const char *config, struct buf *ret);
int docker_make_ready(struct docker_guest *d, struct str kind, struct err *err);
/* The container of `waiting`, which is freed, becomes this guest's. */
void docker_adopt(struct docker_guest *d, struct docker_guest *waiting);
/* Sends the program that waits what it waits for, but for the files. */
void docker_go(struct docker_guest *d);

/* docker_pool.c: containers that wait for a guest. */
extern const struct backend_pool_entries docker_pool;
struct docker_pool *docker_pool_of(const struct backend_job *job); /* NULL when there is none */
/* One of this kind becomes the guest's. False when none waits. */
bool docker_pool_take(struct docker_guest *d, struct str kind);
/* After false: more of this kind are to be kept ready. */
void docker_pool_teach(struct docker_pool *pool, struct str kind);
/* A connection to the engine, from NULL a new one; and what becomes of it. */
int docker_pool_connect(struct docker_pool *pool, struct engine **ret, struct err *err);
void docker_pool_disconnect(struct docker_pool *pool, struct engine *engine);
/* Removes the guest's container in a thread of the pool's, or at once without a pool. */
void docker_pool_remove(struct docker_guest *d);

/* docker_frames.c: appends a frame to the queue. */
void docker_put(struct docker_guest *d, enum contained_frame kind, struct str bytes);
/* Sends what the connection takes. */
void docker_send(struct docker_guest *d);
/* Reads what came, and acts on whole frames. */
void docker_receive(struct docker_guest *d);
/* Notes a limit that was met, once. */
void docker_hit(struct docker_guest *d, enum jail_limit_hit limit);
/* Writes the file's content into the connection. */
int docker_send_file(struct docker_guest *d, int file, int64_t until_ms, struct err *err);

/* Writes to the channel what its reader takes. */
void docker_pass_channel(struct docker_guest *d);

/* docker.c: waits for at most this long, and moves what can be moved. */
void docker_move(struct docker_guest *d, int timeout_ms);
/* One without a job; and its end, but for what it has at its place. */
struct docker_guest *docker_guest_new(void);
void docker_guest_free(struct docker_guest *d);
void docker_lend(struct docker_guest *d, const struct backend_job *job,
                 const struct backend_sink *sink, struct backend_outcome *out);
/* Waits until the program runs, if the start has `begun`; else it only completes *err, which says
 * why not. -1 with the reason, and with out->cancelled when that was wished. */
int docker_wait_start(struct docker_guest *d, bool begun, struct err *err);
int docker_opened(struct docker_guest *d, struct backend_guest **ret_guest);
bool docker_is_stopped(const struct backend_sink *sink);
/* Entries of the table that are the same for each place. */
void docker_deadline(struct backend_guest *guest, int64_t wall_ms);
void docker_step(struct backend_guest *guest, int timeout_ms);
enum backend_state docker_state(const struct backend_guest *guest);
int docker_end(struct backend_guest *guest, struct err *err);
void docker_interrupt(struct backend_guest *guest);
bool docker_pending(const struct backend_guest *guest);
void docker_drain(struct backend_guest *guest);
void docker_usage(struct backend_guest *guest, struct backend_usage *ret);

/* docker_files.c */
extern const struct backend_files docker_files;
void docker_files_done(struct docker_guest *d);

/* docker_mirror.c: what the frames LEFT_OUT and KEPT say. */
void docker_left_out(struct docker_guest *d, struct str record);
bool docker_kept(struct docker_guest *d, struct str path); /* false: more than there can be */
void docker_kept_done(struct docker_kept *k);
int docker_folder_make(struct docker_folder *f, struct err *err);
void docker_folder_drop(struct docker_folder *f);
/* Takes over what has arrived. At most so many bytes are in the copy then. */
int docker_mirror_update(struct docker_guest *d, uint64_t max_bytes, struct err *err);
/* Removes copies of workspaces that killed processes left. */
void docker_sweep_files(void);

#endif
