/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the helper share. Nothing here is used by the library. Inside, no caller could
 * handle a failure, so a part that cannot continue calls `die`, which reports to the library and
 * exits.
 */
#ifndef INSIDE_INSIDE_H
#define INSIDE_INSIDE_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fd.h"
#include "inside/look.h"
#include "jail/proto.h"
#include "jail/spec.h"

struct inside {
    struct jail_spec spec;
    layer_mask mode;  /* layers this attempt tries for: spec.wanted less what clone() refused */
    layer_mask held;  /* layers that are in force */
    layer_mask lost;  /* namespaces and what needs them, given up for this attempt, */
    struct err why;   /* and what the kernel said to the one before */
    bool born_inside; /* in the cgroup v2 */
    int sync_fd;  /* init's line to the keeper: a byte comes once the id maps are written; what goes
                     back is the reason why there is no root */
    int box_fd;   /* the guest's disk */
    int locks_fd; /* /proc/locks of around us, where there is no /proc inside; or -1 */
    int init_fd;  /* guest's first process: its socket to init */
    bool chrooted;        /* our root is no mount point */
    bool unbound;         /* the bounding set of capabilities is empty already */
    bool reports_exit;    /* guest's first process: its init gets a notice before it exits */
    bool reports_sockets; /* the same of sockets but AF_UNIX */
    volatile bool
        *touched;         /* init: whether anything was done in its network; NULL for a cold one */
    uint32_t uid_above;   /* init of a jail in a nest: its guest's uid in the nest */
    cpu_set_t processors; /* that the guest may use */
    unsigned flavour;     /* guest's first process: of its filter */
    struct buf words;     /* guest's first process: what it is to run, when it was parked */
    int *sources;         /* one detached mount a step of the plan, -1 where there is none */
    struct finds finds;   /* what is to be covered there */
};

/* clone3(2), as of Linux 5.7; older kernels take it as long as what they do not know is zero. */
struct clone3_args {
    uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
    uint64_t set_tid, set_tid_size, cgroup;
};

/* An init that exits with this had not started anything: the keeper may try with fewer layers. */
#define EXIT_RETRY 77

/* Sends MSG_ERROR to the library and exits. */
_Noreturn void die(enum err_kind kind, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void die_err(const struct err *err);
_Noreturn void die_sys(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Messages to the library; a library that is gone is no failure here, the jail is about to die with
 * it. */
void report(uint32_t kind, int fd);
void report_lost(layer_mask layers, const char *why);
void report_buf(const struct buf *message);

/* inside/end.c: kills and reaps everything below us. The keeper is a subreaper, so what is left of
 * a guest without a pid namespace ends up here. */
void end_children(void);
/* inside/kill.c: kills and reaps every other process of our own pid namespace. The guest's forks,
 * in namespaces below it, live on. */
void kill_own_processes(void);
/* How a process ended that is not our child, as from wait(); 0 if the kernel does not report it. */
int pidfd_status(int pidfd);
struct guest_end;
/* What a process used that has not waited for a child: the times of its children cannot be known.
 * For any other process false, with *ret unchanged. */
bool childless_usage(pid_t pid, struct guest_end *ret);
/* Kills every guest process in our pid namespace or below it that holds a capability; and `also`.
 */
void kill_capable_processes(pid_t also);
/* The number of the namespace that a file or a descriptor stands for; else 0. */
uint64_t namespace_number(const char *path);
/* For how many of a folder's entries `look` is true. */
unsigned each_entry(const char *folder, bool (*look)(const char *name, intptr_t with),
                    intptr_t with);
uint64_t namespace_number_fd(int fd);

/* inside/denials.c: a name is reported at once the first time, and counted after that: a guest can
 * make half a million of them a second. */
struct denials {
    struct denial {
        char name[48];
        uint64_t count;
    } list[MSG_DENIED_NAMES + 1];
    unsigned count;
};
const struct denial *denials_count(struct denials *all, const char *name);
void denials_report_one(const struct denial *denial);
/* Reports the denials that were counted and not reported yet. */
void denials_report(const struct denials *all);
void denials_put(const struct denials *all, struct buf *message);

/* inside/init.c: everything pid 1 does; never returns. */
_Noreturn void init_main(struct inside *in);
/* So that nothing that is executed from here on can have a capability. */
void drop_bounding(struct inside *in);
/* Capabilities, their bounding set, no_new_privs, dumpable. */
void drop_privileges(struct inside *in);
/* inside/nest.c: pid 1 of a nest, which makes jails for the forks of its zygote; never returns. */
_Noreturn void nest_main(struct inside *in);
/* inside/warm.c: pid 1 of one of those, with what it was given for it; never returns. */
struct warm_request {
    uint32_t enter_count; /* cgroup v1 `tasks` files, then with enter_v2 the folder */
    bool enter_v2;
    int standard[3]; /* the guest's 0, 1, 2 */
    int channel[2];  /* or -1 */
    int enter[SPEC_ENTER_MAX + 1];
    int zygote; /* where to ask for a fork */
};
_Noreturn void warm_main(struct inside *in, const struct warm_request *request);
/* inside/fork.c: pid 1 of a jail for a fork of a guest, below that guest's. */
struct fork_request {
    struct warm_request given; /* without a zygote; enter_v2 is never set */
    int gate;                  /* to the init that watches the calls of the fork tree */
    int origin_box;
    layer_mask inherited; /* layers that hold for the origin, and so for its fork */
};
/* The nest's side: makes one below the origin, whose namespaces these are. 0, or -1 with errno;
 * later events are reported on `control`. */
int fork_make(struct inside *in, int control, const struct fork_request *request, int user_space,
              int pid_space);

/* inside/root.c: the private root. root_open_sources runs with the host's ids, root_build with the
 * guest's. On failure the caller decides whether to die. */
int root_open_sources(struct inside *in, struct err *err);
int root_build(struct inside *in, struct err *err);
/* The part of it that is each guest's own: its disk, terminals, /proc, what lies in those, and the
 * masks. */
int root_build_own(struct inside *in, struct err *err);
/* The same in a user namespace that has no ids yet, which it gets. */
int root_build_fork(struct inside *in, struct err *err);
/* In a user namespace of our own that has no ids yet: its only uid is to be what is `above` in the
 * one above, and ours. `self` is like /proc/self. */
int root_map_ids(const struct inside *in, int self, uint32_t above);
/* inside/box.c: the guest's folders on the host's disk, where there can be no private root. Sets
 * box_fd. */
int host_box_make(struct inside *in, struct err *err);
/* inside/guest.c: the last steps before the guest's own program; never returns. */
_Noreturn void guest_main(struct inside *in);
/* The same without the program: everything that locks the calling process in. */
void guest_enter(struct inside *in);
/* inside/serve.c: pid 1 while the guest runs. */
_Noreturn void serve_main(struct inside *in, pid_t guest, int guest_fd, int exit_fd);
/* The same for a fork, whose parent is outside this jail. */
_Noreturn void serve_fork(struct inside *in, pid_t guest, int pidfd, int gate);

/* inside/report.c: that the guest runs, or is parked. The box goes along, once. */
void report_state(struct inside *in, uint32_t kind);
struct end_report {
    uint32_t kind; /* MSG_EXIT or MSG_LEAVING */
    int status;
    bool alone; /* nothing else lives in here */
};
/* With what the guest used, by `end` and by our children. */
void report_end(const struct guest_end *end, const struct denials *denials,
                struct end_report report);
/* MSG_ENDS, before the end: afterwards no process could send the reason. A library that is stopped
 * must not stop us. */
void report_why(uint32_t why);

/* inside/go.c: the library's message that there is something to run, see MSG_GO. */
struct go {
    char message[12 + WORDS_INLINE];
    struct str words;    /* in the message; none when they are longer */
    int fds[FD_MSG_MAX]; /* files to lay, then longer words */
    size_t count;
};
void go_receive(struct inside *in, struct go *ret);
/* From that descriptor into the workspace. */
void go_lay(const struct inside *in, int from);

/* inside/wait.c: spec.wait_file. Made before the guest starts; taken, -1 as long as the guest does
 * not read it, and then its name is free; filled with the file that was laid there, and closed. */
void wait_file_make(const struct inside *in);
int wait_file_take(const struct inside *in);
void wait_file_fill(const struct inside *in, int pipe);

/* inside/copy.c: what is in one box into another that is empty, never following a link. */
int copy_box(int from, int to, struct err *err);
int copy_tree(int from, int to, struct err *err); /* of one folder, into another */
/* One file's bytes into an empty one; holes stay holes. -1 with errno. */
int copy_content(int from, int to, off_t size);

/* inside/check.c: whether the only other process in here is what a fork may be: alone in our pid
 * and user namespace, waiting, in our cgroups and folders, without capabilities, without memory
 * that it shares. Reasons are for the user. */
int check_fork(int origin_box, pid_t *ret, struct err *err);
/* Before a fork can come: whether the kernel can answer that (Linux 5.14). */
int check_alone(struct err *err);
/* inside/files.c: each of its open files gets a description of its own; a file that cannot be
 * opened twice becomes a dead end. `put` puts one there. */
struct new_fd {
    int number; /* in the fork */
    int fd;     /* what is to be there */
    bool cloexec;
};
typedef int (*put_fd)(void *ctx, const struct new_fd *file);
struct reopening {
    int origin_box;
    const int *given; /* numbers that are replaced by the caller */
    size_t given_count;
    put_fd put;
    void *ctx;
};
int reopen_files(const struct reopening *r, pid_t pid, struct err *err);

/* inside/slots.c: of a network that is new and ours. Before the new root: its /proc is read-only.
 */
void network_prepare(void);

/* inside/born.c: the first report of the init of a jail in a nest, before anything can kill it or
 * change what others may see of it. */
void report_born(bool forks);

/* What the guest's first process reports to init before it becomes the program. */
struct guest_word {
    uint32_t stage; /* GUEST_LISTENER with a descriptor, or GUEST_FAILED with an error */
    uint32_t held;
    uint32_t lost;    /* and then err says why */
    uint32_t flavour; /* of the filter */
    struct err err;
};
enum { GUEST_LISTENER = 1, GUEST_FAILED };

/* How a guest ended that is not init's own child, from the zygote. */
struct guest_end {
    int32_t status;
    uint64_t user_us, system_us, max_rss_kib;
};

#endif
