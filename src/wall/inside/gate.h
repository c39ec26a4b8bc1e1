/* SPDX-License-Identifier: Apache-2.0
 *
 * How a guest's fork gets into the jail that was made for it: the init of the first guest of a fork
 * tree lets one process at a time join it, by answering its calls of setns(2) itself.
 *
 * Theory of forks
 *
 * No process can be moved into a namespace by another one, and a process can only have children in
 * its own pid namespace or below it. Therefore:
 *
 * 1. The backend (backends/local_fork.c) has the nest make a jail below the guest's (fork.c). A
 *    process that enters the guest's pid namespace for a moment clones an init into new
 *    namespaces, with a user namespace that belongs to the guest's own id. The init makes root,
 *    disk and /proc as for any guest, copies the origin's files (copy.c), and opens the gate: it
 *    sends its namespaces to the init of the fork tree's first guest, which receives every
 *    setns(2) of the tree from the filter.
 * 2. The session sends the frame "fork". The guest's cell server flushes its output and calls
 *    zygote_fork: a child that shares the guest's memory joins the namespaces, which the gate
 *    permits one by one, forks, and exits.
 * 3. The fork enters its control groups, gives up its capabilities and reports its arrival, in a
 *    call that does not return until the new init has inspected it (check.c) and has replaced
 *    every descriptor (files.c): by the same file on its own disk at the same position, or by a
 *    dead end, a descriptor that leads nowhere.
 * 4. From then on the fork is a guest like any other. The jails of a tree are nested, so a guest
 *    that ends before its forks leaves its init (jail_leave, kill.c), and the last guest to end
 *    takes all inits down.
 *
 * The kernel allows 32 nested pid namespaces, some of which the host may use. So a session that
 * tries a cell runs it in the origin and keeps the fork in reserve: it becomes a level deeper only
 * when it returns to the fork. A cell that is dropped in any case runs in the fork.
 *
 * The disk of a guest that can be forked is visible below /box alone, a folder of the nest's root;
 * /tmp and /dev/shm are links into it. A Landlock rule belongs to a folder: it does not cover what
 * is mounted on that folder, but the rule of the parent folder does.
 */
#ifndef INSIDE_GATE_H
#define INSIDE_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gate;
int gate_fd(const struct gate *gate); /* to poll */
/* True if the gate handles the call: it was or will be answered. */
struct seccomp_notif;
bool gate_answer(struct gate *gate, const struct seccomp_notif *request);
/* Forks that were let through. Their inits get reports of their refused calls, on the descriptor
 * that was the gate. */
struct watched {
    struct line *lines;
    size_t count, size;
};
/* Reports a refused call to the init of the fork that the process belongs to. False if there is no
 * such fork, or the process is gone. */
bool watched_report(const struct watched *w, uint32_t pid, const char *name);
/* The forks of a fork tree. The library has one gate open at a time. */
struct gates {
    struct gate *open;     /* a fork is under way; or NULL */
    struct watched passed; /* forks that were let through */
};
/* Handles a message of the open gate, which ends with its fork. */
void gates_receive(struct gates *gates);
/* Opens the gate of the library's message: descriptors of the other end, and of the pid namespace
 * from which alone a process may come. Takes the two descriptors from the list. The previous fork
 * is over; its last message, which lets it through, is read first if it is still unread. */
void gates_take(struct gates *gates, int listener, int *fds, size_t *count);
/* Receives a name that watched_report sent. Returns false if the peer is gone; sets "" if there was
 * no report. */
#define DENIAL_NAME 48
bool watched_receive(int fd, char ret_name[DENIAL_NAME]);

/* Messages between the fork's init and the gate. */
enum gate_kind {
    GATE_OPEN = 1, /* descriptors: namespaces in the order of gate_spaces, then `number` files */
    GATE_ARRIVED,  /* the fork waits; `channel` has the descriptor numbers of its channel */
    GATE_PUT,      /* one descriptor, which gets `number` in the fork */
    GATE_DONE,     /* init: no more descriptors. Gate: number 1 if all were put */
    GATE_LET,      /* the fork continues */
    GATE_DENIED,   /* gate_denial: later, a system call of the fork was refused */
};
struct gate_word {
    uint32_t kind;
    int32_t number;
    int32_t cloexec;
    int32_t channel[2];
};
struct gate_denial {
    uint32_t kind;
    char name[48]; /* DENIAL_NAME */
};
/* inside/spaces.c: a process joins them in this order; the last one may be missing. There is no
 * network among them: a process that joins a network namespace of the new user namespace could
 * administer it, by netlink and socket options, where kernels tend to have holes. A fork stays in
 * its origin's network. */
#define GATE_SPACES    6
#define GATE_PID_SPACE 1
extern const struct gate_space {
    const char *name; /* below /proc/self/ns */
    int flag;
} gate_spaces[GATE_SPACES];
/* The fork reports its arrival with the call setns(-1, GATE_HELLO, channel in, channel out). */
#define GATE_HELLO 0x676c6f76

#endif
