/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's side of one jail: it starts the helper with a spec, receives messages, and ends the
 * jail.
 *
 * Order of calls: jail_start, then jail_receive whenever jail_fd is readable until it returns
 * JAIL_GONE, then jail_free. jail_kill may come at any time. Only one thread at a time uses a jail.
 * The thread that started it must not exit before the jail is gone: when it exits, the kernel kills
 * the helper.
 */
#ifndef JAIL_JAIL_H
#define JAIL_JAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/fd.h"
#include "jail/spec.h"
#include "limits/figures.h"
#include "limits/watch.h"

struct jail;

/* Descriptors that the start uses; the caller keeps owning them. -1 means /dev/null. */
struct jail_fds {
    int in, out, err; /* the guest's standard input, output and error */
    int lay;          /* with spec.lay: the input files, see jail/lay.h */
    int channel[2];   /* with spec.channel */
    int zygote;       /* with spec.nest: zygote.c as a shared object */
    int enter[SPEC_ENTER_MAX +
              1]; /* spec.enter_count descriptors, then, with spec.enter_v2, the folder */
};

int jail_start(struct jail_spec *spec, const struct jail_fds *fds, struct jail **ret,
               struct err *err);
/* With spec.nest, the new jail is a nest: JAIL_STARTED when its zygote is ready. It may then make
 * jails, which behave like those that jail_start makes with spec.park: JAIL_READY, jail_go,
 * JAIL_STARTED. Their spec is that of the nest, except `channel`, `enter_count` and `enter_v2`. */
int jail_make(struct jail *nest, const struct jail_spec *spec, const struct jail_fds *fds,
              struct jail **ret, struct err *err);
/* The origin of a fork: a guest that jail_make put into the same nest, or a fork of such a
 * guest. */
struct jail_origin {
    struct jail *jail; /* the origin's jail */
    struct jail *root; /* the jail of the fork tree's first guest, whose init receives the notices
                          of all calls */
};
/* Makes a jail below that of `origin`, with a copy of its disk. Only a fork of the origin's guest
 * can enter it. JAIL_READY: it waits for the fork; JAIL_STARTED: the fork came and was locked in;
 * JAIL_FAILED: the fork was refused. The caller sends the frame to the guest after JAIL_READY. */
int jail_fork(struct jail *nest, const struct jail_spec *spec, const struct jail_fds *fds,
              const struct jail_origin *origin, struct jail **ret, struct err *err);
/* Kills the guest and all processes that it started, but keeps the parts of the jail that its forks
 * need. */
void jail_leave(struct jail *jail);
/* Gives a parked jail its program. The input files come from `lay`, which the caller keeps. */
int jail_go(struct jail *jail, char *const *argv, char *const *env, int64_t wall_ms, int lay,
            struct err *err);
int jail_fd(const struct jail *jail);

enum jail_event_kind {
    JAIL_NOTHING,  /* a message that only changed the jail's own state */
    JAIL_STARTED,  /* the program runs, and jail_box returns its files */
    JAIL_DENIED,   /* name, count */
    JAIL_READY,    /* the guest is parked and waits for jail_go; jail_box returns its files */
    JAIL_EXITED,   /* the guest's first process ended; see jail_state */
    JAIL_LEAVING,  /* the first process is about to exit, and waits: call jail_settle or
                      jail_let_exit */
    JAIL_LEFT,     /* after jail_leave: the guest and all processes that it started are dead */
    JAIL_LATE,     /* its init kills the jail at the time limit, which we missed; JAIL_GONE
                      follows */
    JAIL_ORPHANED, /* the guest died with the zygote that forked it; JAIL_GONE follows */
    JAIL_FAILED,   /* nothing was started; see error */
    JAIL_GONE,     /* the helper and everything in the jail is dead */
};

struct jail_event {
    enum jail_event_kind kind;
    char name[48]; /* JAIL_DENIED */
    uint64_t count;
    struct err error; /* JAIL_FAILED */
};

/* Receives one message; waits until there is one. */
void jail_receive(struct jail *jail, struct jail_event *ret);
/* Kills all processes in the jail at once; JAIL_GONE follows. */
void jail_kill(struct jail *jail);

/* After JAIL_LEAVING: records the exit. The caller must know that nothing else is alive inside. */
void jail_settle(struct jail *jail);
/* After JAIL_LEAVING: lets the process continue to its exit, which JAIL_EXITED reports. */
void jail_let_exit(struct jail *jail);

/* Sends SIGINT to the guest's first process and its group, as Ctrl-C at a terminal does. */
void jail_interrupt(struct jail *jail);

/* The current knowledge about the jail. */
struct jail_state {
    bool started, exited;
    bool alone; /* exited, and nothing else was alive inside: only the jail itself is still taken
                   down */
    int status; /* as from wait(), if exited or leaving */
    layer_mask held;
    int64_t user_us, system_us; /* of all processes that were waited for */
    uint64_t forks_us; /* the part of the processor time of init and its children that dead forks of
                          the guest have used */
    int64_t max_rss_kib; /* of the largest process */
    struct jail_denial denied[JAIL_DENIED_MAX];
    size_t denied_count;
    struct jail_lost lost[JAIL_LOST_MAX];
    size_t lost_count;
};

const struct jail_state *jail_state(const struct jail *jail);
/* The processes of the jail, for the watcher; the caller adds what is to be measured. False if they
 * are not known, or gone. */
bool jail_tree(const struct jail *jail, struct watch_tree *ret);
/* A pidfd of the guest's first process, which the caller owns; -1 for a jail that no nest made. */
int jail_dup_guest(const struct jail *jail);
/* A pidfd of the jail's pid 1, valid after JAIL_STARTED: if pid 1 dies, all processes in the jail
 * do. -1 if there is no pid namespace. */
int jail_init_pidfd(const struct jail *jail);
/* The guest's disk (folders work, tmp, shm) after JAIL_STARTED, otherwise -1. The jail keeps owning
 * it. */
int jail_box(const struct jail *jail);
/* With spec.ports, once the guest is parked or started: the sockets by which it reaches names, as
 * net_line_open takes them. The caller owns them. Returns their number; 0 the second time. */
size_t jail_take_network(struct jail *jail, int ret[FD_MSG_MAX]);
int jail_take_box(struct jail *jail); /* the same, but the caller owns it from now on */
/* Kills all processes in the jail and waits for them. NULL is fine. */
void jail_free(struct jail *jail);

/* Opens the shared object that zygotes load, from the helper program's folder. */
int jail_open_zygote(struct err *err);
/* Finds the helper program: $GLOVEBOX_JAIL, beside this library or program, or where `make install`
 * put it. The caller frees the path. */
int jail_find_helper(char **ret, struct err *err);

#endif
