/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the helper share. Nothing here is used by the library. Inside, nobody up the
 * stack could handle a failure, so a part that cannot go on calls `die`, which tells the library
 * and exits.
 */
#ifndef JAIL_INSIDE_H
#define JAIL_INSIDE_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "jail/spec.h"

struct inside {
    struct jail_spec spec;
    layer_mask mode;  /* layers this attempt tries for: spec.wanted less what clone() refused */
    layer_mask held;  /* layers that are in force */
    layer_mask lost;  /* namespaces and what needs them, given up for this attempt, */
    struct err why;   /* and what the kernel said to the one before */
    bool born_inside; /* in the cgroup v2 */
    int sync_fd; /* init's line to the keeper: a byte comes once the id maps are written; what goes
                    back is why the root cannot be had */
    int box_fd;  /* the guest's disk */
    int init_fd; /* guest's first process: its socket to init */
    cpu_set_t processors; /* that the guest may use */
    int words_fd;         /* guest's first process: its arguments, when it was parked */
    int *sources;         /* one detached mount a step of the plan, -1 where there is none */
};

/* An init that exits with this had not started anything: the keeper may try with fewer layers. */
#define EXIT_RETRY 77

/* Tells the library MSG_ERROR and exits. */
_Noreturn void die(enum err_kind kind, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void die_err(const struct err *err);
_Noreturn void die_sys(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Messages to the library; a library that is gone is no failure here, the jail is about to die with
 * it. */
void tell(uint32_t kind, int fd);
void tell_lost(layer_mask layers, const char *why);
void tell_buf(const struct buf *message);

/* inside_end.c: kills and reaps everything below us. The keeper is a subreaper, so what is left of
 * a guest without a pid namespace ends up here. */
void end_children(void);

/* inside_init.c: everything pid 1 does; never returns. */
_Noreturn void init_main(struct inside *in);
/* Capabilities, their bounding set, no_new_privs, dumpable. */
void drop_privileges(struct inside *in);
/* inside_nest.c: pid 1 of a nest, which makes jails for the forks of its zygote; never returns. */
_Noreturn void nest_main(struct inside *in);
/* inside_warm.c: pid 1 of one of those, with what it was given for it; never returns. */
struct warm_request {
    uint32_t enter_count; /* cgroup v1 `tasks` files, then with enter_v2 the folder */
    bool enter_v2;
    int standard[3]; /* the guest's 0, 1, 2 */
    int channel[2];  /* or -1 */
    int enter[SPEC_ENTER_MAX + 1];
    int zygote; /* where to ask for a fork */
};
_Noreturn void warm_main(struct inside *in, const struct warm_request *request);

/* inside_root.c: the private root. root_open_sources runs with the host's ids, root_build with the
 * guest's. On failure the caller decides whether to die. */
int root_open_sources(struct inside *in, struct err *err);
int root_build(struct inside *in, struct err *err);
/* The part of it that is each guest's own: its disk, /proc, what lies in those, and the masks. */
int root_build_own(struct inside *in, struct err *err);
/* inside_box.c: the guest's folders on the host's disk, where there can be no private root. Sets
 * box_fd. */
int host_box_make(struct inside *in, struct err *err);
/* inside_guest.c: the last steps before the guest's own program; never returns. */
_Noreturn void guest_main(struct inside *in);
/* The same without the program: everything that locks the calling process in. */
void guest_enter(struct inside *in);
/* inside_serve.c: pid 1 while the guest runs. */
_Noreturn void serve_main(struct inside *in, pid_t guest, int guest_fd, int exit_fd);

/* What the guest's first process says to init before it becomes the program. */
struct guest_word {
    uint32_t stage; /* GUEST_LISTENER with a descriptor, or GUEST_FAILED with an error */
    uint32_t held;
    uint32_t lost; /* and then err says why */
    struct err err;
};
enum { GUEST_LISTENER = 1, GUEST_FAILED };

/* How a guest ended that is not init's own child, from the zygote. */
struct guest_end {
    int32_t status;
    uint64_t user_us, system_us, max_rss_kib;
};

#endif
