/* SPDX-License-Identifier: Apache-2.0
 *
 * How a guest's fork gets into the jail that was made for it: the init of the first guest of a fork
 * tree lets one process at a time join it, by answering its calls of setns(2) itself.
 */
#ifndef INSIDE_GATE_H
#define INSIDE_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gate;
/* Takes fd. Only a process in that pid namespace may come. */
struct gate *gate_new(int fd, int listener, uint64_t pid_space);
int gate_fd(const struct gate *gate); /* to poll */
/* What came from the other end; false when the gate is to be freed. */
bool gate_receive(struct gate *gate);
/* True when the call is the gate's matter, and was or will be answered. */
struct seccomp_notif;
bool gate_answer(struct gate *gate, const struct seccomp_notif *request);
void gate_free(struct gate *gate);
/* Forks that were let through: their inits get reports of their refused calls, on the descriptor
 * that was the gate.
 */
struct watched {
    struct line *lines;
    size_t count, size;
};
void watched_add(struct watched *w, struct gate *gate);
/* True if the process is one of theirs and still waits for the answer. */
bool watched_report(const struct watched *w, uint32_t pid, const char *name);
/* The other side: false when the peer is gone; "" when there was no report. */
#define DENIAL_NAME 48
bool watched_receive(int fd, char ret_name[DENIAL_NAME]);

/* What init and gate say to each other. */
enum gate_kind {
    GATE_OPEN = 1, /* descriptors: namespaces in the order of gate_spaces, then `number` files */
    GATE_ARRIVED,  /* the fork waits; channel has the numbers of its channel's ends */
    GATE_PUT,      /* one descriptor: in the fork it is to be `number` */
    GATE_DONE,     /* init: that was all. Gate: number 1 if all are there */
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
/* inside/spaces.c: a process joins them in this order; the last one may be missing. No network is
 * among them: a process that joins one of the new user namespace could administer it, by netlink
 * and by socket options, and that is where the kernel's holes are. A fork stays in its origin's. */
#define GATE_SPACES    6
#define GATE_PID_SPACE 1
extern const struct gate_space {
    const char *name; /* below /proc/self/ns */
    int flag;
} gate_spaces[GATE_SPACES];
/* How the fork says that it is there: setns(-1, GATE_HELLO, channel in, channel out). */
#define GATE_HELLO 0x676c6f76

#endif
