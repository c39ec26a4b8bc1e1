/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's side of one jail: start the helper with a spec, receive its messages, end it.
 *
 * Order of calls: jail_start, then jail_receive whenever jail_fd is readable until it says
 * JAIL_GONE, then jail_free. jail_kill may come at any time. One thread uses one jail, and the
 * thread that started it must live as long: the kernel kills the helper when that thread ends.
 */
#ifndef JAIL_JAIL_H
#define JAIL_JAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "jail/figures.h"
#include "jail/spec.h"

struct jail;

/* Descriptors lent for the start; they stay the caller's. -1 stands for /dev/null. */
struct jail_fds {
    int in, out, err; /* the guest's standard input, output and error */
    int lay;          /* files to lay, see jail/lay.h; with spec.lay */
    int channel[2];   /* with spec.channel */
    int zygote;       /* with spec.nest: zygote.c as a shared object */
    int enter[SPEC_ENTER_MAX +
              1]; /* spec.enter_count of them, then with spec.enter_v2 the folder */
};

int jail_start(struct jail_spec *spec, const struct jail_fds *fds, struct jail **ret,
               struct err *err);
/* With spec.nest it is a nest: JAIL_STARTED when its zygote is ready. It may then make jails, which
 * are as those that jail_start makes with spec.park: JAIL_READY, jail_go, JAIL_STARTED. Their spec
 * is the nest's, but for `channel`, `enter_count` and `enter_v2`. */
int jail_make(struct jail *nest, const struct jail_spec *spec, const struct jail_fds *fds,
              struct jail **ret, struct err *err);
/* The origin of the fork that a jail is for: a guest that jail_make put into the same nest, or a
 * fork of one. */
struct jail_origin {
    struct jail *jail; /* its own jail, */
    struct jail *root; /* and that of the first of the fork tree, whose init watches all calls */
};
/* A jail below that of `origin`, with a copy of its disk, into which only a fork of its guest
 * can come: JAIL_READY when it waits for that, JAIL_STARTED when it came and was locked in,
 * JAIL_FAILED when it was turned away. The frame to the guest is sent between the two. */
int jail_fork(struct jail *nest, const struct jail_spec *spec, const struct jail_fds *fds,
              const struct jail_origin *origin, struct jail **ret, struct err *err);
/* Kills the guest and all that it started, but leaves what its forks need of the jail. */
void jail_leave(struct jail *jail);
/* What a parked jail is to run: files to lay come from `lay`, which stays the caller's. */
int jail_go(struct jail *jail, char *const *argv, char *const *env, int64_t wall_ms, int lay,
            struct err *err);
int jail_fd(const struct jail *jail);

enum jail_event_kind {
    JAIL_NOTHING,  /* a message that only changed the jail's own state */
    JAIL_STARTED,  /* the program runs, jail_box is there */
    JAIL_DENIED,   /* name, count */
    JAIL_READY,    /* the guest is parked, jail_box is there; it waits for jail_go */
    JAIL_EXITED,   /* the guest's first process ended; see jail_exit */
    JAIL_LEAVING,  /* it is about to, and waits; jail_settle or jail_let_exit */
    JAIL_LEFT,     /* after jail_leave: the guest and what it started is dead */
    JAIL_LATE,     /* its init ends it at the time limit, which we missed; JAIL_GONE follows */
    JAIL_ORPHANED, /* the guest died with the zygote it came from; the same */
    JAIL_FAILED,   /* nothing was started; error */
    JAIL_GONE,     /* the helper and everything in the jail is dead */
};

struct jail_event {
    enum jail_event_kind kind;
    char name[48]; /* JAIL_DENIED */
    uint64_t count;
    struct err error; /* JAIL_FAILED */
};

/* Takes one message; waits for it if there is none yet. */
void jail_receive(struct jail *jail, struct jail_event *ret);
/* Kills everything inside at once; JAIL_GONE follows. */
void jail_kill(struct jail *jail);

/* After JAIL_LEAVING: it has ended, if the caller knows that nothing else lives inside; */
void jail_settle(struct jail *jail);
/* or it continues to its end, which JAIL_EXITED reports. */
void jail_let_exit(struct jail *jail);

/* What Ctrl-C at a terminal does, to the guest's first process and its group. */
void jail_interrupt(struct jail *jail);

/* What is known about it so far. */
struct jail_state {
    bool started, exited;
    bool alone; /* exited, and nothing else was alive inside: what is left is taking it down */
    int status; /* as from wait(), once exited or leaving */
    layer_mask held;
    int64_t user_us, system_us; /* the whole tree, as far as it was reaped */
    int64_t max_rss_kib;        /* the largest process */
    struct jail_denial denied[JAIL_DENIED_MAX];
    size_t denied_count;
    struct jail_lost lost[JAIL_LOST_MAX];
    size_t lost_count;
};

const struct jail_state *jail_state(const struct jail *jail);
/* The host's pid of the helper, for the fallback watcher: the jail is the tree below it. */
int jail_helper_pid(const struct jail *jail);
/* Of its pid 1, whose death is that of all in it, once JAIL_STARTED came; -1 where it has no pid
 * namespace. */
int jail_init_pidfd(const struct jail *jail);
/* The guest's disk (folders work, tmp, shm) once JAIL_STARTED came, else -1. Stays the jail's. */
int jail_box(const struct jail *jail);
/* Kills what lives and waits for it. NULL is fine. */
void jail_free(struct jail *jail);

/* Opens the shared object that zygotes load; it is beside the helper program. */
int jail_open_zygote(struct err *err);
/* Where the helper program is: $GLOVEBOX_JAIL, beside this library or program, or where `make
 * install` put it. The caller frees. */
int jail_find_helper(char **ret, struct err *err);

#endif
