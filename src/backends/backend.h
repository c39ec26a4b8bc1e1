/* SPDX-License-Identifier: Apache-2.0
 *
 * One interface for every way to run. A backend is a table of functions, found by its name. It
 * takes a job (data and one callback), reports events to a sink, and fills in an outcome (plain
 * figures). It knows nothing of languages, checks, results or logs.
 *
 *     backend_open(backend, &job, &sink, &outcome, &guest, &err);
 *     while (backend_state(guest) != BACKEND_OVER)
 *         backend_step(guest, -1);
 *     backend_end(guest, &err);       -- the outcome is complete, its files can be read
 *     backend_close(guest);           -- nothing of it is left
 *
 * backend_run is the first three. One thread at a time uses a guest, but for backend_close.
 */
#ifndef BACKENDS_BACKEND_H
#define BACKENDS_BACKEND_H

#include <jansson.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/caps.h"
#include "backends/job.h"
#include "backends/outcome.h"
#include "backends/pool.h"
#include "backends/warm.h"
#include "base/buf.h"
#include "base/err.h"
#include "jail/layers.h"
#include "jail/limits.h"
#include "languages/interpreter.h"

struct workspace_file;
struct collect_options;
struct lay_list;
struct file_set;

struct backend_guest;

/* What happens, as it happens. Any member may be NULL. */
struct backend_sink {
    void *ctx;
    /* Before the start: a line, safe to print, about work that lasts (the build of an image). */
    void (*preparing)(void *ctx, const char *line);
    void (*started)(void *ctx, layer_mask held);
    void (*output)(void *ctx, int stream, const char *p, size_t n); /* stream 1 or 2 */
    /* Whether output of this stream may come now. When not, the guest waits; *ret is what to poll
     * before asking again. Must not block: the same thread enforces limits. NULL: always. */
    bool (*room)(void *ctx, int stream, struct pollfd *ret);
    void (*denied)(void *ctx, const char *name, uint64_t count);
    void (*limit)(void *ctx, enum jail_limit_hit hit);
    void (*progress)(void *ctx, struct backend_guest *guest); /* each second, by backend_run */
    int cancel_fd; /* readable: the run is to end at once; -1 for none */
    /* Called when channel_fd, the pipe that the guest writes to, can be read. -1 for none. */
    int channel_fd;
    void (*channel)(void *ctx);
};

/* Used until now, by all the guest's processes. */
struct backend_usage {
    uint64_t cpu_ns, memory_now, memory_peak;
};

enum backend_state {
    BACKEND_RUNS,
    BACKEND_ENDED, /* the guest has ended, though not yet everything that it started */
    BACKEND_OVER,  /* nothing of it is alive */
};

/* What a backend puts first into its own structure. */
struct backend_guest {
    const struct backend *backend;
};

/* The workspace of a guest, while it lives and after its end. If it is a folder of this host, the
 * backend fills in `folder` and leaves the calls below `inside` NULL: a walk by descriptor does
 * their work. Any other backend leaves `folder` NULL and has calls of its own, with the arguments,
 * limits and errors of workspace/workspace_files.h and workspace_collect, but without root_fd. */
struct backend_files {
    /* To open files below without ever following a link. Stays the guest's; -1 for none. */
    int (*folder)(struct backend_guest *guest);
    /* Without `folder`: one with a copy of the workspace as it is now, for the caller until its
     * next call of any of these. May be NULL. */
    int (*copy)(struct backend_guest *guest, struct err *err);
    /* Whether the files went with the ended guest. NULL: they never do before `close`. */
    bool (*gone)(struct backend_guest *guest);
    /* How the program names its workspace, with a slash at the end; valid as long as the guest. */
    const char *(*inside)(struct backend_guest *guest);
    int (*list)(struct backend_guest *guest, struct workspace_file **ret, size_t *ret_count,
                struct err *err);
    /* A descriptor to read from, which the caller closes. */
    int (*read)(struct backend_guest *guest, const char *path, uint64_t *ret_size, struct err *err);
    /* These two are for a living guest: the disk of an ended one may be read-only already. */
    int (*write)(struct backend_guest *guest, const char *path, int from, uint64_t max,
                 struct err *err);
    int (*remove)(struct backend_guest *guest, const char *path, struct err *err);
    /* Of a guest that has ended: what is new or differs from what was laid. */
    int (*collect)(struct backend_guest *guest, const struct collect_options *options,
                   struct lay_list *laid, struct file_set *ret, struct err *err);
};

/* Entries below `close` may be NULL: then the backend cannot, or has nothing to do. */
struct backend {
    const char *name;
    const char *alias;
    const char *summary;
    bool unsafe;        /* no wall: only with the user's explicit word */
    bool has_runtimes;  /* --runtime, and --dockerfile */
    bool starts_slowly; /* in a large part of a second: a pool helps a program of few guests */
    bool shows_all;     /* its programs are cells of an interpreter, and their results are shown */
    layer_mask layers;  /* that it may hold; the host may lack some of them */
    /* One of its abilities, here and now; looks at the host once. Any thread, as for `need`. */
    struct backend_can (*can)(enum backend_ability ability);
    /* What it needs, without a look at the host, for each run. NULL: `can` does not look. */
    struct backend_need (*need)(enum backend_ability ability);
    json_t *(*about)(void); /* facts on what it runs on (listing.h), the caller's; NULL for none */
    /* The interpreter of a language where its guests are: *ret has a path of that place, or a name
     * to look for in $PATH there, and views of nothing. `choice` is --python, `image` is --image or
     * --dockerfile, or NULL. A missing one is the failure of `open`. NULL: those of this host. */
    int (*interpreter)(const struct language *language, const char *choice, const char *image,
                       struct interpreter *ret, struct err *err);

    /* Starts the job. 0 once its program is about to run: the outcome, which is zero before, then
     * fills as things happen; it, the job and the sink live until `end`. -1 when nothing was
     * started and nothing is left: by a failure of ours or the host's, or since the sink's
     * cancel_fd said so (outcome->cancelled). */
    int (*open)(const struct backend_job *job, const struct backend_sink *sink,
                struct backend_outcome *ret, struct backend_guest **ret_guest, struct err *err);
    /* Waits until something happens or `timeout_ms` (-1: no end) has passed, and calls the sink. */
    void (*step)(struct backend_guest *guest, int timeout_ms);
    enum backend_state (*state)(const struct backend_guest *guest);
    /* From now until LIMIT_WALL is met and everything is killed; 0 for never. */
    void (*deadline)(struct backend_guest *guest, int64_t wall_ms);
    /* Kills what lives, and completes the outcome. -1 with *err: the program had not started. */
    int (*end)(struct backend_guest *guest, struct err *err);
    /* After `end`: waits until nothing is left on the host, and frees. Any thread. */
    void (*close)(struct backend_guest *guest);

    /* Ctrl-C for its first process. */
    void (*interrupt)(struct backend_guest *guest);
    /* Whether the guest may have ended already, though no step has noticed. */
    bool (*pending)(const struct backend_guest *guest);
    /* Moves on what lies in the guest's output pipes now, without waiting. */
    void (*drain)(struct backend_guest *guest);
    /* Without a step: kills it if it exceeds a limit that the kernel does not enforce. */
    void (*look)(struct backend_guest *guest);
    void (*usage)(struct backend_guest *guest, struct backend_usage *ret);
    /* Of a guest that was started before there was a job: the ends of its own channel, to write, to
     * read, and the one it reads. They are the caller's then. False when there are none. */
    bool (*channel)(struct backend_guest *guest, int ret[3]);
    /* Removes what dead processes left, and what is kept for later. *ret_said: the caller frees. */
    int (*clean)(char **ret_said, struct err *err);
    const struct backend_files *files;
    const struct backend_pool_entries *pool; /* what it keeps ready between jobs (pool.h) */
    const struct backend_idle *idle;         /* for guests that are not used (idle.h) */

    /* Prepares a place for a fork of an idle guest (its job has `forks`). The place has a copy of
     * the origin's disk, the limits of `job`, and no process yet. `job` has the channel of the
     * fork. Afterwards the caller asks the origin to fork, and `forked` waits for the new process.
     * The arguments are as for `open`. ERR_UNSUPPORTED with the reason when this guest has no forks
     * (see also no_fork in the outcome), ERR_LIMIT when they nest too deep. */
    int (*fork)(struct backend_guest *origin, const struct backend_job *job,
                const struct backend_sink *sink, struct backend_outcome *ret,
                struct backend_guest **ret_guest, struct err *err);
    /* Waits until the fork is locked in and runs. -1 with the reason why it was refused or did not
     * come: then `end` and `close` are left to do. From 0 on both are guests like any other, for
     * different threads if they like: either may end first. */
    int (*forked)(struct backend_guest *guest, struct err *err);
    /* Of a fork that has just come, whose origin is idle, and which is to wait unused while the
     * origin works: notes everything of it that the origin could change. `unseal`, when the origin
     * is dead, compares. -1 with what was changed. NULL: an origin cannot reach its forks. */
    int (*seal)(struct backend_guest *guest, struct err *err);
    int (*unseal)(struct backend_guest *guest, struct err *err);
};

extern const struct backend *const backends[]; /* NULL-terminated */
/* NULL when the backend can, else why not (caps.h). May look at the host. */
const char *backend_why_not(const struct backend *backend, enum backend_ability ability);
struct backend_need backend_need(const struct backend *backend, enum backend_ability ability);
const struct backend *backend_find(struct str name, struct err *err);
/* A program of this host that does nothing, for a trial: `true`, or a shell where there is none. */
const char *backend_trial_program(char ***ret_argv);
/* "jail (behind the kernel's own locks, on this machine) or host (...)", for help. */
void backend_describe_all(struct buf *b);

/* The entries of the guest's table, with their defaults. */
int backend_open(const struct backend *backend, const struct backend_job *job,
                 const struct backend_sink *sink, struct backend_outcome *ret,
                 struct backend_guest **ret_guest, struct err *err);
void backend_step(struct backend_guest *guest, int timeout_ms);
enum backend_state backend_state(const struct backend_guest *guest);
void backend_deadline(struct backend_guest *guest, int64_t wall_ms);
int backend_end(struct backend_guest *guest, struct err *err);
void backend_close(struct backend_guest *guest); /* NULL is fine */
void backend_interrupt(struct backend_guest *guest);
bool backend_pending(const struct backend_guest *guest);
void backend_drain(struct backend_guest *guest);
void backend_look(struct backend_guest *guest);
void backend_usage(struct backend_guest *guest, struct backend_usage *ret);
bool backend_channel(struct backend_guest *guest, int ret[3]);
int backend_folder(struct backend_guest *guest);         /* -1 for NULL, and without a folder */
int backend_view(struct backend_guest *guest);           /* the same, or else a copy */
const char *backend_inside(struct backend_guest *guest); /* "" for NULL */
/* False: it is NULL or has no files (any more), and none of the next five may be called. */
bool backend_has_files(struct backend_guest *guest);
int backend_list(struct backend_guest *guest, struct workspace_file **ret, size_t *ret_count,
                 struct err *err);
int backend_read(struct backend_guest *guest, const char *path, uint64_t *ret_size,
                 struct err *err);
int backend_write(struct backend_guest *guest, const char *path, int from, uint64_t max,
                  struct err *err);
int backend_remove(struct backend_guest *guest, const char *path, struct err *err);
int backend_collect(struct backend_guest *guest, const struct collect_options *options,
                    struct lay_list *laid, struct file_set *ret, struct err *err);
int backend_fork(struct backend_guest *origin, const struct backend_job *job,
                 const struct backend_sink *sink, struct backend_outcome *ret,
                 struct backend_guest **ret_guest, struct err *err);
int backend_forked(struct backend_guest *guest, struct err *err);
int backend_seal(struct backend_guest *guest, struct err *err);
int backend_unseal(struct backend_guest *guest, struct err *err);

/* Runs a job to its end: 0 and *ret filled, whatever the guest did; -1 when the failure is ours or
 * the host's. The guest is dead, and left to backend_close; NULL when nothing was started, which
 * after 0 means that it was cancelled before. */
int backend_run(const struct backend *backend, const struct backend_job *job,
                const struct backend_sink *sink, struct backend_outcome *ret,
                struct backend_guest **ret_guest, struct err *err);

#endif
