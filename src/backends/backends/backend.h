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
 * backend_run does the first three calls and backend_end. One thread at a time uses a guest, except
 * for backend_close.
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
#include "languages/interpreter.h"
#include "limits/layers.h"
#include "limits/limits.h"

struct workspace_file;
struct collect_options;
struct lay_list;
struct file_set;

struct backend_guest;

/* Callbacks for events, as they happen. Any member may be NULL. */
struct backend_sink {
    void *ctx;
    /* Before the start: a line, safe to print, about work that takes long (the build of an image).
     */
    void (*preparing)(void *ctx, const char *line);
    void (*started)(void *ctx, layer_mask held);
    void (*output)(void *ctx, int stream, const char *p, size_t n); /* stream 1 or 2 */
    /* True if output of this stream may come now. If false, the guest waits, and *ret is the
     * descriptor to poll before the next call. Must not block: the same thread enforces limits.
     * NULL: always true. */
    bool (*room)(void *ctx, int stream, struct pollfd *ret);
    void (*denied)(void *ctx, const char *name, uint64_t count);
    void (*limit)(void *ctx, enum jail_limit_hit hit);
    void (*progress)(void *ctx, struct backend_guest *guest); /* each second, by backend_run */
    int cancel_fd; /* when readable, the run must end at once; -1 for none */
    /* Called when channel_fd, the pipe that the guest writes to, can be read. -1 for none. */
    int channel_fd;
    void (*channel)(void *ctx);
};

/* Usage so far, of all the guest's processes. */
struct backend_usage {
    uint64_t cpu_ns, memory_now, memory_peak;
};

enum backend_state {
    BACKEND_RUNS,
    BACKEND_ENDED, /* the guest has ended, but some processes that it started are alive */
    BACKEND_OVER,  /* none of its processes is alive */
};

/* The first member of each backend's own structure. */
struct backend_guest {
    const struct backend *backend;
};

/* The workspace of a guest, while it lives and after its end. If it is a folder of this host, the
 * backend fills in `folder` and leaves the calls below `inside` NULL: a walk by descriptor does
 * their work. Any other backend leaves `folder` NULL and has calls of its own, with the arguments,
 * limits and errors of workspace/workspace_files.h and workspace_collect, but without root_fd. */
struct backend_files {
    /* A descriptor for opening files below it without following a link. The guest owns it; -1 for
     * none. */
    int (*folder)(struct backend_guest *guest);
    /* If `folder` is NULL: a descriptor of a folder with a copy of the current workspace. The
     * caller may use it until its next call of any of these. May be NULL. */
    int (*copy)(struct backend_guest *guest, struct err *err);
    /* True if the files were lost at the guest's end. NULL: they are never lost before `close`. */
    bool (*gone)(struct backend_guest *guest);
    /* The program's path of its workspace, with a slash at the end; valid as long as the guest. */
    const char *(*inside)(struct backend_guest *guest);
    int (*list)(struct backend_guest *guest, struct workspace_file **ret, size_t *ret_count,
                struct err *err);
    /* Returns a descriptor to read from, which the caller closes. */
    int (*read)(struct backend_guest *guest, const char *path, uint64_t *ret_size, struct err *err);
    /* These two are for a living guest: the disk of an ended one may be read-only already. */
    int (*write)(struct backend_guest *guest, const char *path, int from, uint64_t max,
                 struct err *err);
    int (*remove)(struct backend_guest *guest, const char *path, struct err *err);
    /* For a guest that has ended: finds files that are new or differ from the laid ones. */
    int (*collect)(struct backend_guest *guest, const struct collect_options *options,
                   struct lay_list *laid, struct file_set *ret, struct err *err);
};

struct net_line;

/* Entries after `close` may be NULL: then the backend lacks this ability, or has nothing to do. */
struct backend {
    const char *name;
    const char *alias;
    const char *summary;
    bool unsafe;        /* no wall: only with the user's explicit consent */
    bool has_runtimes;  /* --runtime, and --dockerfile */
    bool starts_slowly; /* a start takes a large part of a second: even a program with few guests
                           gains by a pool */
    layer_mask layers;  /* layers that it can have in force; the host may lack some of them */
    /* One of its abilities on this host, now; inspects the host once. Any thread may call this, and
     * `need`. */
    struct backend_can (*can)(enum backend_ability ability);
    /* The needs of an ability, for each run, without inspecting the host. NULL: `can` does not
     * inspect it either. */
    struct backend_need (*need)(enum backend_ability ability);
    json_t *(*about)(void); /* facts about its engine (listing.h), the caller's; or NULL */
    /* Finds the interpreter of a language where its guests run: *ret has a path there, or a name to
     * look for in $PATH there, and no views. `choice` is --python, `image` is --image or
     * --dockerfile, or NULL. If the interpreter does not exist there, `open` fails. NULL: guests
     * use the interpreters of this host. */
    int (*interpreter)(const struct language *language, const char *choice, const char *image,
                       struct interpreter *ret, struct err *err);

    /* Starts the job. Returns 0 once its program is about to run. The outcome, which must be zero
     * before, is filled in during the run; it, the job and the sink must exist until `end`. Returns
     * -1 if nothing was started and nothing is left: after a failure of ours or the host's, or a
     * cancellation by the sink's cancel_fd (outcome->cancelled). */
    int (*open)(const struct backend_job *job, const struct backend_sink *sink,
                struct backend_outcome *ret, struct backend_guest **ret_guest, struct err *err);
    /* Waits until something happens or `timeout_ms` (-1: no end) has passed, and calls the sink. */
    void (*step)(struct backend_guest *guest, int timeout_ms);
    enum backend_state (*state)(const struct backend_guest *guest);
    /* Sets the time from now after which LIMIT_WALL is hit and everything is killed; 0 for never.
     */
    void (*deadline)(struct backend_guest *guest, int64_t wall_ms);
    /* Kills all living processes, and completes the outcome. Returns -1 with *err if the program
     * had not started. */
    int (*end)(struct backend_guest *guest, struct err *err);
    /* After `end`: waits until nothing of the guest is left on the host, and frees it. Any thread
     * may call this. */
    void (*close)(struct backend_guest *guest);

    /* Sends Ctrl-C (SIGINT) to its first process. */
    void (*interrupt)(struct backend_guest *guest);
    /* True if the guest may have ended already, although no step has noticed it. */
    bool (*pending)(const struct backend_guest *guest);
    /* Passes on the current content of the guest's output pipes, without waiting. */
    void (*drain)(struct backend_guest *guest);
    /* For a guest that is not stepped: kills it if it exceeds a limit that the kernel does not
     * enforce. */
    void (*look)(struct backend_guest *guest);
    /* Its usage; after `end`, the memory that its files take. */
    void (*usage)(struct backend_guest *guest, struct backend_usage *ret);
    /* For a guest that was started before there was a job: the ends of its own channel, one to
     * write, one to read, and the one that the guest reads. The caller owns them then. Returns
     * false if there are none. */
    bool (*channel)(struct backend_guest *guest, int ret[3]);
    /* Removes leftovers of dead processes, and everything that is kept for later use. *ret_said is
     * a report, which the caller frees. */
    int (*clean)(char **ret_said, struct err *err);
    const struct backend_files *files;
    const struct backend_pool_entries *pool; /* guests kept ready (pool.h) */
    const struct backend_idle *idle;         /* for guests that are not used (idle.h) */

    /* Prepares a place for a fork of an idle guest (its job has `forks`). The place has a copy of
     * the origin's disk, the limits of `job`, and no process yet. `job` has the channel of the
     * fork. Afterwards the caller asks the origin to fork, and `forked` waits for the new process.
     * The arguments are as for `open`. ERR_UNSUPPORTED, with the reason, if this guest can have no
     * forks (see also no_fork in the outcome); ERR_LIMIT if they nest too deep. */
    int (*fork)(struct backend_guest *origin, const struct backend_job *job,
                const struct backend_sink *sink, struct backend_outcome *ret,
                struct backend_guest **ret_guest, struct err *err);
    /* Waits until the fork is locked in and runs. Returns -1, with the reason, if it was refused or
     * did not come: then the caller must still call `end` and `close`. After 0 both are guests like
     * any other. Different threads may use them, and either may end first. */
    int (*forked)(struct backend_guest *guest, struct err *err);
    /* For a new fork with an idle origin, which will wait unused while the origin works: records
     * everything of the fork that the origin could change. `unseal`, called when the origin is
     * dead, compares, and returns -1, with *err naming the change, if something was changed. NULL:
     * an origin cannot reach its forks. */
    int (*seal)(struct backend_guest *guest, struct err *err);
    int (*unseal)(struct backend_guest *guest, struct err *err);
    /* With job.net_rules: its line (network/network.h), which its forks share; else NULL. */
    struct net_line *(*network)(struct backend_guest *guest);
};

/* NULL if the backend has the ability, otherwise the reason (caps.h). May inspect the host. */
const char *backend_why_not(const struct backend *backend, enum backend_ability ability);
struct backend_need backend_need(const struct backend *backend, enum backend_ability ability);
/* A program of this host that does nothing, for trial runs: `true`, or a shell if there is none. */
const char *backend_trial_program(char ***ret_argv);

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
int backend_folder(struct backend_guest *guest);         /* -1 if guest is NULL or has no folder */
int backend_view(struct backend_guest *guest);           /* its folder, or otherwise a copy */
const char *backend_inside(struct backend_guest *guest); /* "" for NULL */
/* False if the guest is NULL or has no files (any more): then none of the next five may be called.
 */
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
struct net_line *backend_network(struct backend_guest *guest); /* NULL for none */

/* Runs a job to its end: 0 with *ret filled, whatever the guest did; -1 if the failure is ours or
 * the host's. After 0 the guest is dead, and the caller must call backend_close; *ret_guest is NULL
 * if the run was cancelled before the start. After -1 there is no guest. */
int backend_run(const struct backend *backend, const struct backend_job *job,
                const struct backend_sink *sink, struct backend_outcome *ret,
                struct backend_guest **ret_guest, struct err *err);

#endif
