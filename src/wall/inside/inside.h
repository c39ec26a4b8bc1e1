/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the rooms inside, helper and zygote. Nothing here is used by the library. Inside, no
 * caller could handle a failure, so a part that cannot continue calls `die`, which reports to the
 * library and exits.
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
    layer_mask mode;  /* layers this attempt tries: spec.wanted less those clone() refused */
    layer_mask held;  /* layers that are in force */
    layer_mask lost;  /* given up for this attempt: namespaces, and layers that need them */
    struct err why;   /* the kernel's error in the previous attempt */
    bool born_inside; /* created inside its cgroup v2 (CLONE_INTO_CGROUP) */
    int sync_fd; /* init's socket to the keeper: receives a byte once the id maps are written; sends
                    the reason if there can be no root */
    int box_fd;  /* the guest's disk */
    int locks_fd;      /* /proc/locks of the outer namespace, if there is no /proc inside; or -1 */
    int init_fd;       /* guest's first process: its socket to init */
    bool chrooted;     /* our root is no mount point */
    bool unbound;      /* the bounding set of capabilities is empty already */
    bool reports_exit; /* guest's first process: its init gets a notice before it exits */
    bool reports_sockets;   /* likewise before it makes a socket that is not AF_UNIX */
    volatile bool *touched; /* init: true if the network may have been used; NULL in a cold jail */
    uint32_t uid_above;     /* init of a jail in a nest: its guest's uid in the nest */
    cpu_set_t processors;   /* processors that the guest may use */
    unsigned flavour;       /* guest's first process: the filter's flavour (FILTER_*) */
    struct buf words;       /* parked guest's first process: what MSG_GO is to run */
    int *sources; /* a detached mount for each step of the plan; -1 for a step without one */
    int *kept;    /* jail of a nest: detached clones of the views that the nest keeps; or -1 */
    struct finds finds; /* sockets, pipes and folders to cover in the views */
};

/* clone3(2), as of Linux 5.7. Older kernels accept it if the members unknown to them are zero. */
struct clone3_args {
    uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
    uint64_t set_tid, set_tid_size, cgroup;
};

/* An init that exits with this status has started nothing: the keeper may try with fewer layers. */
#define EXIT_RETRY 77

/* Sends MSG_ERROR to the library and exits. */
_Noreturn void die(enum err_kind kind, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void die_err(const struct err *err);
_Noreturn void die_sys(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Messages to the library. A failed send is ignored: without the library the jail dies anyway. */
void report(uint32_t kind, int fd);
void report_lost(layer_mask layers, const char *why);
void report_buf(const struct buf *message);

/* inside/end.c: kills and reaps everything below us. The keeper is a subreaper, so the remaining
 * processes of a guest without a pid namespace become its children. */
void end_children(void);
/* inside/kill.c: as waitpid(-1, ret_status, WNOHANG). Reports the time that forks have used. */
pid_t reap(const struct inside *in, int *ret_status);
/* Kills and reaps every other process of our own pid namespace. The guest's forks,
 * in namespaces below it, live on. */
void kill_own_processes(const struct inside *in);
/* The wait status of a process that is not our child; 0 if the kernel does not report it. */
int pidfd_status(int pidfd);
struct guest_end;
/* Gets the CPU time of a process that has never waited for a child. Returns false, with *ret
 * unchanged, for any other process: the times of its children cannot be known. */
bool childless_usage(pid_t pid, struct guest_end *ret);
/* Kills every guest process in our pid namespace or below it that holds a capability; and `also`.
 */
void kill_capable_processes(pid_t also);
/* The number of the namespace that a file or descriptor refers to; 0 if it refers to none. */
uint64_t namespace_number(const char *path);
/* Returns the number of entries of the folder for which `look` returns true. */
unsigned each_entry(const char *folder, bool (*look)(const char *name, intptr_t with),
                    intptr_t with);
uint64_t namespace_number_fd(int fd);

/* inside/denials.c: the first denial of a name is reported at once, later ones are counted: a guest
 * can make half a million of them a second. */
struct denials {
    struct denial {
        char name[48];
        uint64_t count;
    } list[MSG_DENIED_NAMES + 1];
    unsigned count;
};
const struct denial *denials_count(struct denials *all, const char *name);
void denials_report_one(const struct denial *denial);
/* Reports all denials counted so far. */
void denials_report(const struct denials *all);
void denials_put(const struct denials *all, struct buf *message);

/* inside/keeper.c: makes the jail that the spec describes, and waits for its end. Returns the
 * helper's own exit status; a failure is reported to the library. */
int keeper_main(void);

/* inside/init.c: everything pid 1 does; never returns. */
_Noreturn void init_main(struct inside *in);
/* Empties the bounding set: no program executed from now on can gain a capability. */
void drop_bounding(struct inside *in);
/* Drops the capabilities and the bounding set, sets no_new_privs, clears dumpable. */
void drop_privileges(struct inside *in);
/* inside/nest.c: pid 1 of a nest, which makes jails for the forks of its zygote; never returns. */
_Noreturn void nest_main(struct inside *in);
/* inside/warm.c: pid 1 of a jail in a nest, made for the given request; never returns. */
struct warm_request {
    uint32_t enter_count; /* cgroup v1 `tasks` files, then with enter_v2 the folder */
    bool enter_v2;
    int standard[3]; /* the guest's 0, 1, 2 */
    int channel[2];  /* or -1 */
    int enter[SPEC_ENTER_MAX + 1];
    int zygote; /* the socket on which to ask the zygote for a fork */
};
_Noreturn void warm_main(struct inside *in, const struct warm_request *request);
/* inside/fork.c: pid 1 of a jail for a guest's fork, in a pid namespace below that guest's. */
struct fork_request {
    struct warm_request given; /* zygote is unused; enter_v2 is never set */
    int gate; /* socket to the init that handles the system calls of the fork tree */
    int origin_box;
    layer_mask inherited; /* layers that are in force for the origin, and so for its fork */
};
/* The nest's side: makes a jail below the origin, whose user and pid namespaces are given. Returns
 * 0, or -1 with errno. The new init reports on `control`. */
int fork_make(struct inside *in, int control, const struct fork_request *request, int user_space,
              int pid_space);

/* inside/root.c: the private root. root_open_sources runs with the host's ids, root_build with the
 * guest's. On failure the caller decides whether to die. */
int root_open_sources(struct inside *in, struct err *err);
int root_build(struct inside *in, struct err *err);
/* The part of the root that belongs to one guest: its disk, terminals, /proc, the views in them,
 * and the masks. */
int root_build_own(struct inside *in, struct err *err);
/* As root_build_own, in a user namespace without ids: also writes its id maps. */
int root_build_fork(struct inside *in, struct err *err);
/* Writes the id maps of our new user namespace: its only uid, spec.uid, is uid `above` in the
 * parent namespace. `self` is an open /proc/self. Returns 0, or -1 with errno. */
int root_map_ids(const struct inside *in, int self, uint32_t above);
/* inside/box.c: the guest's folders on the host's disk, where there can be no private root. Sets
 * box_fd. */
int host_box_make(struct inside *in, struct err *err);
/* inside/guest.c: the last steps before the guest's own program; never returns. */
_Noreturn void guest_main(struct inside *in);
/* Locks the calling process in as guest_main does, and does not start the program. */
void guest_enter(struct inside *in);
/* inside/serve.c: pid 1 while the guest runs. */
_Noreturn void serve_main(struct inside *in, pid_t guest, int guest_fd, int exit_fd);
/* As serve_main, for a fork: its parent is outside this jail. */
_Noreturn void serve_fork(struct inside *in, pid_t guest, int pidfd, int gate);

/* inside/report.c: reports that the guest runs, or is parked; sends the box's descriptor along
 * while box_fd is open. */
void report_state(struct inside *in, uint32_t kind);
/* The same, with a pidfd of a guest whose parent is outside: the library would not find it. */
void report_guest(struct inside *in, uint32_t kind, pid_t guest);
struct end_report {
    uint32_t kind; /* MSG_EXIT or MSG_LEAVING */
    int status;
    bool alone; /* no other process lives in the jail */
};
/* Reports the guest's end, with its usage from `end` and from our children. */
void report_end(const struct guest_end *end, const struct denials *denials,
                struct end_report report);
/* Sends MSG_ENDS before init exits, because afterwards no process could send the reason. Does not
 * block: a stopped library must not stop us. */
void report_why(uint32_t why);

/* inside/go.c: the library's message that names the program to run (MSG_GO). */
struct go {
    char message[12 + WORDS_INLINE];
    struct str words;    /* points into the message; empty if they are longer than WORDS_INLINE */
    int fds[FD_MSG_MAX]; /* a pipe with the files to lay, then a memory file of longer words */
    size_t count;
};
void go_receive(struct inside *in, struct go *ret);
/* Lays the files that come from this descriptor into the workspace. */
void go_lay(const struct inside *in, int from);

/* inside/wait.c: the FIFO spec.wait_file, in which a guest waits for its program. _make is called
 * before the guest starts. _take returns -1 until the guest reads the FIFO; then it unlinks it and
 * returns the writing end. _fill writes the file that was laid under that name into the FIFO, and
 * closes it. */
void wait_file_make(const struct inside *in);
int wait_file_take(const struct inside *in);
void wait_file_fill(const struct inside *in, int pipe);

/* inside/copy.c: copies the contents of a box into an empty one; never follows a link. */
int copy_box(int from, int to, struct err *err);
int copy_tree(int from, int to, struct err *err); /* copies one folder's contents into another */
/* Copies one file's bytes into an empty file; holes stay holes. Returns 0, or -1 with errno. */
int copy_content(int from, int to, off_t size);

/* inside/check.c: checks that the only other process in here is a valid fork: alone in our pid and
 * user namespace, in our cgroups and folders, without capabilities or shared memory. Sets *ret to
 * its pid and returns 0, or -1 with *err for the user. */
int check_fork(int origin_box, pid_t *ret, struct err *err);
/* Call it before a fork can come: 0 if the kernel can answer this (Linux 5.14). */
int check_alone(struct err *err);
/* inside/files.c: gives each open file of the fork a description of its own; a file that cannot be
 * opened twice becomes a dead end. `put` puts a file into the fork. */
struct new_fd {
    int number; /* in the fork's table */
    int fd;     /* the file that gets this number */
    bool cloexec;
};
typedef int (*put_fd)(void *ctx, const struct new_fd *file);
struct reopening {
    int origin_box;
    const int *given; /* numbers that the caller replaces */
    size_t given_count;
    put_fd put;
    void *ctx;
};
int reopen_files(const struct reopening *r, pid_t pid, struct err *err);

/* Sends the first report of the init of a jail in a nest, before anything can kill
 * it or make it undumpable. */
void report_born(bool forks);

/* The report of the guest's first process to init, before it becomes the program. */
struct guest_word {
    uint32_t stage; /* GUEST_LISTENER with a descriptor, or GUEST_FAILED with an error */
    uint32_t held;
    uint32_t lost;    /* with the reason in err */
    uint32_t flavour; /* the filter's (FILTER_*) */
    struct err err;
};
enum { GUEST_LISTENER = 1, GUEST_FAILED };

/* The zygote's report about the end of a guest that is not init's own child. */
struct guest_end {
    int32_t status;
    uint64_t user_us, system_us, max_rss_kib;
};

#endif
