/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of the helper in a container (contained*.c); used by no others.
 */
#ifndef INSIDE_CONTAINED_H
#define INSIDE_CONTAINED_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/str.h"
#include "docker/contained.h"
#include "jail/layers.h"

/* Everything that pid 1 of a container does; returns its exit status. */
int contained_main(void);

/* The same behind a wall of our own, which contained_apart.c builds first. The words are the
 * numbers of CONTAINED_APART (docker/contained.h). */
struct contained_apart {
    uint64_t net, disk_bytes, inodes, memory_bytes, pids;
};
int contained_apart_main(char *const *words);

/* contained_frames.c. A frame to the backend. A backend that is gone ends this process; so does one
 * that breaks the protocol, with the status CONTAINED_BROKEN. */
enum { CONTAINED_BROKEN = 3 };
void contained_send(enum contained_frame kind, const void *p, size_t n);
void contained_send_buf(enum contained_frame kind, const struct buf *b);
void contained_send_err(enum contained_frame kind, const struct err *err);
void contained_send_numbers(enum contained_frame kind, const uint32_t *numbers, size_t n);
/* From now on the input comes in numbered pieces (CONTAINED_APART). */
void contained_number_input(void);
/* The input can be read: whether it is of a frame, and not only a piece that came before. */
bool contained_is_frame(void);
/* Waits for a frame of at most `max` bytes. A NUL follows them; the caller frees. */
char *contained_read(size_t max, uint32_t *ret_kind, size_t *ret_n);

/* contained_group.c: what the control groups of this container count and limit. */
struct contained_usage {
    uint64_t cpu_ns, memory_now, memory_peak, oom_kills, pids_hits;
};
void contained_usage(struct contained_usage *ret);
void contained_send_limit(uint32_t limit);
/* Those that were met. */
void contained_send_limits(int work);
/* contained_watch.c: from now on contained_usage counts processes instead, and an excess of memory
 * (0: no limit) is an oom_kill that is left to the caller. `shared`: there are no namespaces, and
 * only processes of our user count. */
void contained_watch(uint64_t memory_bytes, bool shared);
bool contained_is_watching(void);
bool contained_is_shared(void);
void contained_count(struct contained_usage *ret);
/* contained_group.c: no more fits into this tmpfs. */
bool contained_is_full(int fd);
/* contained_activity.c: frames ACTIVITY and DONE. */
void contained_send_activity(int work);
/* The layers that hold around this process. */
layer_mask contained_layers(void);

/* contained_filter.c: the jail's filter around the guest. The guest enters it, and its listener
 * (-1: the filter has none) goes to this process. */
int contained_filter_enter(int *ret_listener, struct err *err);
void contained_filter_listen(int listener);
struct pollfd contained_filter_poll(void);
void contained_filter_answer(short revents);
/* Sends what was refused; from now on each call that is refused for the first time is sent. */
void contained_filter_report(void);
/* Waits until `fd` is ready, and answers the guest's calls meanwhile. False: it was not in time. */
bool contained_poll(int fd, short events, int64_t until_ms);

/* contained_start.c: starts the guest's first process. Our ends of its standard descriptors and of
 * its channel are in *ret; -1 for none. */
struct contained_guest {
    int pid;
    int in, out, err; /* of its standard descriptors */
    int to, from;     /* of its channel */
    int words;        /* with plan.waits: to its words or its file */
    bool filtered;    /* by our filter */
};
int contained_start(const struct contained_plan *plan, struct contained_guest *ret,
                    struct err *err);

/* contained_wait.c: with plan.waits. Starts the program, which then waits. */
int contained_wait(int work, const struct contained_plan *plan, struct contained_guest *ret,
                   struct err *err);
/* Makes room for the files; afterwards, gives the program what it waits for. */
void contained_wait_remove(int work, const struct contained_plan *plan);
void contained_wait_over(int work, const struct contained_plan *plan, struct contained_guest *guest,
                         struct str words);

/* contained_files.c: the workspace, with the files that the image has for it; -1 with *err. */
int contained_make_workspace(struct err *err);
/* The workspace as frames TREE, KEPT and LEFT_OUT, then DONE. At most max_bytes
 * of content. The guest may live and change it meanwhile. `last`: it is not sent again. `since`:
 * only what has changed, and the names of the rest. */
void contained_files(int work, uint64_t max_bytes, bool last, bool since);
/* contained_known.c: what was sent. Begins a new look, after which only what it met is known. */
void contained_known_begin(bool since);
/* Whether the file was sent as it is. From now on it was, unless it may change without a trace. */
bool contained_known(const char *path, const struct stat *st);
/* A file that arrives in pieces, and takes the place of an old one when it is complete. The first
 * error stays in `err`; pieces after it are dropped. */
struct contained_arriving {
    int fd;
    struct err err;
};
void contained_put_begin(struct contained_arriving *a, int work);
void contained_put_bytes(struct contained_arriving *a, struct str bytes);
void contained_put_end(struct contained_arriving *a, int work, const char *path);
int contained_remove(int work, const char *path, struct err *err);

#endif
