/* SPDX-License-Identifier: Apache-2.0
 *
 * How a guest without a single capability gets a fork of itself into another jail.
 *
 * No process can move another one into a namespace, so the fork has to join by itself. It may: the
 * new jail's user namespace was made by a process with the guest's own ids, and the owner of a user
 * namespace may enter it from the one above. What keeps guests from entering any is the filter,
 * which hands setns(2) to us. While a gate is open, one process gets the new jail's namespaces as
 * descriptors and may join them in the order of gate_spaces: the first that asks, if it is in the
 * pid namespace of the guest that is to be forked (we also handle the calls of other forks). All
 * its calls have their arguments in registers. It may replace these descriptors by others
 * meanwhile. That is harmless: it can only have descriptors of its own namespaces and of those
 * below, which it owns anyway. Its child then reports its arrival (GATE_HELLO), in the new pid
 * namespace, having given up the capabilities that joining gave it, and stays in that call until
 * the new jail's init has inspected it (inside/check.c). A fork that fails the inspection never
 * gets an answer: that init ends, and we kill every process that holds a capability.
 */
#include "inside/gate.h"
#include "inside/inside.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE 1
#endif

/* struct seccomp_notif_addfd of Linux 5.9; older headers lack it. */
struct add_fd {
    uint64_t id;
    uint32_t flags, srcfd, newfd, newfd_flags;
};
#define ADD_FD     _IOW('!', 3, struct add_fd)
#define ADD_FD_SET 1 /* at number newfd, replacing an open one */

struct gate {
    int fd, listener;
    uint64_t origin; /* the pid namespace of the process that may join */
    uint64_t target; /* the fork's pid namespace */
    bool open;
    bool failed;         /* a descriptor could not be put into the fork */
    bool let;            /* the fork was let through */
    int fds[FD_MSG_MAX]; /* namespaces, then files */
    size_t count, spaces;
    uint32_t guest; /* our number of the process that joins; 0: none yet */
    int base;       /* the first number of the descriptors in that process */
    size_t joined;
    uint64_t hello; /* the call in which the fork waits, or 0 */
};

static struct gate *gate_new(int fd, int listener, uint64_t pid_space)
{
    struct gate *g = xcalloc(1, sizeof *g);

    *g = (struct gate){.fd = fd, .listener = listener, .origin = pid_space};
    return g;
}

int gate_fd(const struct gate *g)
{
    return g->fd;
}

static bool answer(const struct gate *g, uint64_t id, int error, uint32_t flags)
{
    struct seccomp_notif_resp response;

    memset(&response, 0, sizeof response);
    response.id = id;
    response.error = -error;
    response.flags = flags;
    return ioctl(g->listener, SECCOMP_IOCTL_NOTIF_SEND, &response) == 0;
}

static bool gate_put(const struct gate *g, uint64_t id, int fd, int number, bool cloexec)
{
    struct add_fd add = {.id = id,
                         .flags = ADD_FD_SET,
                         .srcfd = (uint32_t)fd,
                         .newfd = (uint32_t)number,
                         .newfd_flags = cloexec ? 02000000 : 0}; /* O_CLOEXEC */

    return ioctl(g->listener, ADD_FD, &add) >= 0;
}

static void close_all(struct gate *g)
{
    while (g->count)
        close(g->fds[--g->count]);
}

/* ---- the other end ---- */

static void open_gate(struct gate *g, const struct gate_word *word, const int *fds, size_t count)
{
    size_t files = (size_t)word->number;

    if (g->open || word->number < 0 || files > count || count - files > GATE_SPACES ||
        count - files < GATE_SPACES - 1)
        return;
    memcpy(g->fds, fds, count * sizeof *fds);
    g->count = count;
    g->spaces = count - files;
    g->target = namespace_number_fd(fds[GATE_PID_SPACE]);
    g->open = true;
}

static void report_done(const struct gate *g)
{
    struct gate_word word = {.kind = GATE_DONE, .number = !g->failed};

    (void)fd_send(g->fd, &word, sizeof word, NULL, 0);
}

/* Handles a message from the other end. Returns false if the gate is to be freed. */
static bool gate_receive(struct gate *g)
{
    struct gate_word word;
    int fds[FD_MSG_MAX];
    size_t count = 0;
    ssize_t got = fd_recv(g->fd, &word, sizeof word, fds, &count, 0);
    bool goes_on = got == sizeof word;

    if (goes_on && word.kind == GATE_OPEN) {
        open_gate(g, &word, fds, count);
        if (g->open)
            count = 0; /* the gate owns them now */
    } else if (goes_on && word.kind == GATE_PUT && count == 1 && g->hello) {
        g->failed |= !gate_put(g, g->hello, fds[0], word.number, word.cloexec);
    } else if (goes_on && word.kind == GATE_DONE) {
        report_done(g);
    } else if (goes_on && word.kind == GATE_LET && g->hello) {
        g->let = answer(g, g->hello, 0, 0);
        g->hello = 0;
        goes_on = false;
    }
    while (count)
        close(fds[--count]);
    return goes_on;
}

/* ---- the process that joins ---- */

static void report_arrival(const struct gate *g, const struct seccomp_notif *request)
{
    struct gate_word word = {
        .kind = GATE_ARRIVED,
        .channel = {(int32_t)request->data.args[2], (int32_t)request->data.args[3]},
    };

    (void)fd_send(g->fd, &word, sizeof word, NULL, 0);
}

/* True if the caller is in this pid namespace. The caller waits for our answer, so its number stays
 * its own; a process that died meanwhile needs no answer. */
static bool is_in(const struct seccomp_notif *request, uint64_t space)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%u/ns/pid", request->pid);
    return space && namespace_number(path) == space;
}

/* Puts all namespaces and files into the process, at the numbers that it has kept free. */
static bool gate_give(struct gate *g, const struct seccomp_notif *request)
{
    g->guest = request->pid;
    g->base = (int)request->data.args[0];
    for (size_t i = 0; i < g->count; i++)
        if (!gate_put(g, request->id, g->fds[i], g->base + (int)i, true))
            return false;
    return true;
}

static bool may_join(struct gate *g, const struct seccomp_notif *request)
{
    if (!g->guest && (!is_in(request, g->origin) || !gate_give(g, request)))
        return false;
    return request->pid == g->guest && g->joined < g->spaces &&
           (int)request->data.args[0] == g->base + (int)g->joined &&
           (int)request->data.args[1] == gate_spaces[g->joined].flag;
}

/* The fork may be here before we have read that the gate is open. */
static bool is_open(struct gate *g)
{
    struct pollfd wait = {.fd = g->fd, .events = POLLIN};

    if (!g->open && poll(&wait, 1, 0) > 0 && wait.revents & POLLIN)
        (void)gate_receive(g); /* the end of the connection will be reported again */
    return g->open;
}

bool gate_answer(struct gate *g, const struct seccomp_notif *request)
{
    if (!is_open(g) || request->data.nr != SYS_setns)
        return false;
    if ((int)request->data.args[0] == -1 && (int)request->data.args[1] == GATE_HELLO) {
        if (g->joined < g->spaces || g->hello || !is_in(request, g->target))
            return false;
        g->hello = request->id;
        report_arrival(g, request);
        return true;
    }
    if (!may_join(g, request))
        return false;
    g->joined++;
    return answer(g, request->id, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
}

static void gate_free(struct gate *g)
{
    if (!g)
        return;
    if (g->hello)
        (void)answer(g, g->hello, 1, 0); /* EPERM */
    close_all(g);
    fd_close(&g->fd);
    if (g->guest && !g->let)
        kill_capable_processes((pid_t)g->guest);
    free(g);
}

/* ---- afterwards ---- */

struct line {
    int fd;
    uint64_t space; /* the fork's pid namespace */
};

static void drop_dead(struct watched *w)
{
    size_t kept = 0;

    for (size_t i = 0; i < w->count; i++) {
        struct pollfd look = {.fd = w->lines[i].fd, .events = 0};
        if (poll(&look, 1, 0) > 0)
            close(w->lines[i].fd);
        else
            w->lines[kept++] = w->lines[i];
    }
    w->count = kept;
}

static void watched_add(struct watched *w, struct gate *g)
{
    if (!g->let)
        return;
    drop_dead(w);
    if (w->count == w->size) {
        w->size = w->size ? w->size * 2 : 8;
        w->lines = xrealloc_array(w->lines, w->size, sizeof *w->lines);
    }
    w->lines[w->count++] = (struct line){fd_take(&g->fd), g->target};
}

/* Does not block: an init that a process of its fork tree has stopped gets fewer reports. */
static bool report_line(int fd, const char *name)
{
    struct gate_denial denial = {.kind = GATE_DENIED};
    struct iovec data = {.iov_base = &denial, .iov_len = sizeof denial};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};

    snprintf(denial.name, sizeof denial.name, "%s", name);
    return sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 || errno == EAGAIN;
}

bool watched_report(const struct watched *w, uint32_t pid, const char *name)
{
    char path[64];

    if (!w->count)
        return false;
    snprintf(path, sizeof path, "/proc/%u/ns/pid", pid);
    uint64_t space = namespace_number(path);
    for (size_t i = 0; space && i < w->count; i++)
        if (w->lines[i].space == space)
            return report_line(w->lines[i].fd, name);
    return false;
}

bool watched_receive(int fd, char ret_name[DENIAL_NAME])
{
    struct gate_denial denial;
    int none[FD_MSG_MAX];
    size_t count = 0;
    ssize_t got = fd_recv(fd, &denial, sizeof denial, none, &count, 0);

    while (count)
        close(none[--count]);
    bool known = got == sizeof denial && denial.kind == GATE_DENIED;
    snprintf(ret_name, DENIAL_NAME, "%.*s", DENIAL_NAME - 1, known ? denial.name : "");
    return got > 0;
}

/* ---- one after the other ---- */

static void gates_close(struct gates *g)
{
    gate_free(g->open);
    g->open = NULL;
}

void gates_receive(struct gates *g)
{
    if (gate_receive(g->open))
        return;
    watched_add(&g->passed, g->open);
    gates_close(g);
}

void gates_take(struct gates *g, int listener, int *fds, size_t *count)
{
    struct pollfd wait = {.fd = g->open ? gate_fd(g->open) : -1, .events = POLLIN};

    if (*count != 2)
        return;
    if (g->open && poll(&wait, 1, 0) > 0)
        gates_receive(g);
    gates_close(g);
    uint64_t space = namespace_number_fd(fds[1]);
    close(fds[--*count]);
    g->open = gate_new(fds[--*count], listener, space);
}
