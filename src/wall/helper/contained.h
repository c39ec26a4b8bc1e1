/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of the helper in a container (contained*.c); used by no other files.
 */
#ifndef HELPER_CONTAINED_H
#define HELPER_CONTAINED_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/str.h"
#include "jail/contained_wire.h"
#include "limits/layers.h"

/* Everything that pid 1 of a container does; returns its exit status. */
int contained_main(void);

/* As contained_main, inside a wall that contained_apart.c builds first. The arguments are the
 * numbers of CONTAINED_APART (jail/contained_wire.h). */
struct contained_apart {
    uint64_t net, disk_bytes, inodes, memory_bytes, pids;
};
int contained_apart_main(char *const *words);

/* contained_frames.c. Sends a frame to the backend. If the backend is gone, this process exits; if
 * the backend breaks the protocol, it exits with the status CONTAINED_BROKEN. */
enum { CONTAINED_BROKEN = 3 };
void contained_send(enum contained_frame kind, const void *p, size_t n);
void contained_send_buf(enum contained_frame kind, const struct buf *b);
void contained_send_err(enum contained_frame kind, const struct err *err);
void contained_send_numbers(enum contained_frame kind, const uint32_t *numbers, size_t n);
/* From now on the input comes in numbered pieces (CONTAINED_APART). */
void contained_number_input(void);
/* Call it when the input is readable. False if the input was only a piece that had come before,
 * which is dropped. */
bool contained_is_frame(void);
/* Waits for a frame of at most `max` bytes, and returns them NUL-terminated; the caller frees them.
 */
char *contained_read(size_t max, uint32_t *ret_kind, size_t *ret_n);

/* contained_group.c: what the control groups of this container count and limit. */
struct contained_usage {
    uint64_t cpu_ns, memory_now, memory_peak, oom_kills, pids_hits;
};
void contained_usage(struct contained_usage *ret);
void contained_send_limit(uint32_t limit);
/* Sends the limits that the guest has reached. */
void contained_send_limits(int work);
/* contained_watch.c: from now on contained_usage counts processes instead of reading control
 * groups. If their memory reaches the limit (0: no limit), it reports an oom_kill; the caller does
 * the killing. `shared`: there are no namespaces, and only processes of our user count. */
void contained_watch(uint64_t memory_bytes, bool shared);
bool contained_is_watching(void);
bool contained_is_shared(void);
void contained_count(struct contained_usage *ret);
/* contained_group.c: true if this tmpfs is full. */
bool contained_is_full(int fd);
/* contained_activity.c: frames ACTIVITY and DONE. */
void contained_send_activity(int work);
/* The layers that are in force around this process. */
layer_mask contained_layers(void);

/* contained_filter.c: the jail's filter around the guest. The guest's process enters it;
 * *ret_listener (-1: the filter has none) is then sent to this process. */
int contained_filter_enter(int *ret_listener, struct err *err);
void contained_filter_listen(int listener);
struct pollfd contained_filter_poll(void);
void contained_filter_answer(short revents);
/* Sends the refused calls so far. From now on, the first refusal of each call is sent at once. */
void contained_filter_report(void);
/* Waits until `fd` is ready, and answers the guest's calls meanwhile. Returns false if it was not
 * ready in time. */
bool contained_poll(int fd, short events, int64_t until_ms);

/* contained_start.c: starts the guest's first process. Our ends of its standard descriptors and of
 * its channel are in *ret; -1 for none. */
struct contained_guest {
    int pid;
    int in, out, err; /* for its standard descriptors */
    int to, from;     /* for its channel */
    int words;        /* with plan.waits: to send its words or the text of its file */
    bool filtered;    /* it has our filter */
};
int contained_start(const struct contained_plan *plan, struct contained_guest *ret,
                    struct err *err);

/* contained_wait.c: used with plan.waits. Starts the program, and returns once it waits. */
int contained_wait(int work, const struct contained_plan *plan, struct contained_guest *ret,
                   struct err *err);
/* Removes the FIFO, so that the files can be laid. Afterwards, contained_wait_over sends the
 * program the words or the text for which it waits. */
void contained_wait_remove(int work, const struct contained_plan *plan);
void contained_wait_over(int work, const struct contained_plan *plan, struct contained_guest *guest,
                         struct str words);

/* contained_files.c: opens the workspace, with the files that the image has in it. Returns a
 * descriptor, or -1 with *err. */
int contained_make_workspace(struct err *err);
/* Sends the workspace as frames TREE, KEPT and LEFT_OUT, then DONE, with at most max_bytes of
 * content. The guest may live and change it meanwhile. `last`: it is not sent again. `since`: sends
 * only files that have changed, and the names of the others. */
void contained_files(int work, uint64_t max_bytes, bool last, bool since);
/* contained_known.c: remembers which files were sent. Begins a new walk: afterwards only files that
 * it met are known. */
void contained_known_begin(bool since);
/* True if the file was sent in its current state. Remembers that it is sent now, unless it changed
 * so recently that another change could go unnoticed. */
bool contained_known(const char *path, const struct stat *st);
/* A file that arrives in chunks, and replaces an old one when it is complete. The first error stays
 * in `err`; chunks after it are dropped. */
struct contained_arriving {
    int fd;
    struct err err;
};
void contained_put_begin(struct contained_arriving *a, int work);
void contained_put_bytes(struct contained_arriving *a, struct str bytes);
void contained_put_end(struct contained_arriving *a, int work, const char *path);
int contained_remove(int work, const char *path, struct err *err);

#endif
