/* SPDX-License-Identifier: Apache-2.0 */
#include "network/network.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/beside.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/wire.h"
#include "net/child.h"
#include "network/net_wire.h"

enum { REPORT_MS = 2000 };

struct net_line {
    pthread_mutex_t lock; /* protects the other members, and a question with its answer */
    unsigned owners;
    int fd;
};

/* ---- the program ---- */

static struct {
    pthread_mutex_t lock;
    pid_t pid, owner; /* owner: our own process when it was started; a fork of us has its own */
    int fd;
} program = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

static void program_end(void)
{
    fd_close(&program.fd);
    if (program.pid && program.owner == getpid()) {
        (void)kill(program.pid, SIGKILL);
        while (waitpid(program.pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    program.pid = 0;
}

static int program_start(struct err *err)
{
    static const char *const argv[] = {"glovebox-net", NULL};
    static const char *const variables[] = {NULL};
    AUTO_FREE char *path = NULL;

    if (beside_find("glovebox-net", "GLOVEBOX_NET_PROGRAM", &path, err) < 0)
        return -1;
    const struct child_program child = {path, argv, variables};
    if (child_start(&child, &program.pid, &program.fd, err) < 0)
        return -1;
    program.owner = getpid();
    return 0;
}

int net_ready(struct err *err)
{
    pthread_mutex_lock(&program.lock);
    if (program.fd >= 0 && (program.owner != getpid() || fd_readable(program.fd)))
        program_end(); /* it sends nothing: this is its end */
    int result = program.fd >= 0 ? 0 : program_start(err);
    pthread_mutex_unlock(&program.lock);
    return result;
}

/* Gives the program the line to a new guest. If it has died, another one is started. */
static int give_line(int line, struct err *err)
{
    struct fd_quiet quiet;
    int result = -1;

    pthread_mutex_lock(&program.lock);
    fd_quiet_begin(&quiet);
    for (int attempt = 0; attempt < 2 && result < 0; attempt++) {
        if (program.fd >= 0 && program.owner != getpid())
            program_end();
        if (program.fd < 0 && program_start(err) < 0)
            break;
        result = fd_send(program.fd, "", 1, &line, 1);
        if (result < 0) {
            err_sys(err, "reach glovebox-net");
            program_end();
        }
    }
    fd_quiet_end(&quiet);
    pthread_mutex_unlock(&program.lock);
    return result;
}

/* ---- lines ---- */

static int line_send(struct net_line *line, const struct buf *message, const int *fds, size_t n,
                     struct err *err)
{
    if (message->overflow)
        return err_set(err, ERR_LIMIT, "the network's rules are too long");
    return fd_send(line->fd, message->p, message->n, fds, n) < 0
               ? err_set(err, ERR_SYSTEM, "glovebox-net, which carries the network, has ended")
               : 0;
}

int net_line_open(const struct net_order *order, const int *sockets, size_t socket_n,
                  struct net_line **ret, struct err *err)
{
    AUTO_BUF struct buf b = {0};
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return err_sys(err, "make a socket pair");
    AUTO_CLOSE int ours = pair[0];
    AUTO_CLOSE int theirs = pair[1];
    if (give_line(theirs, err) < 0)
        return -1;
    fd_close(&theirs);
    struct net_line *line = xcalloc(1, sizeof *line);
    *line = (struct net_line){.owners = 1, .fd = fd_take(&ours)};
    pthread_mutex_init(&line->lock, NULL);
    buf_init(&b, LINE_MAX);
    wire_put_u32(&b, LINE_OPEN);
    wire_put_u64(&b, order->bytes_max);
    wire_put_cstr(&b, order->rules);
    if (line_send(line, &b, sockets, socket_n, err) < 0) {
        net_line_close(line);
        return -1;
    }
    *ret = line;
    return 0;
}

int net_line_rules(struct net_line *line, const char *rules, struct err *err)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, LINE_MAX);
    wire_put_u32(&b, LINE_RULES);
    wire_put_cstr(&b, rules);
    pthread_mutex_lock(&line->lock);
    int result = line_send(line, &b, NULL, 0, err);
    pthread_mutex_unlock(&line->lock);
    return result;
}

/* Call it with the lock. Returns the length of the report. */
static ssize_t ask_for_rows(struct net_line *line, char *ret, struct err *err)
{
    struct pollfd wait = {.fd = line->fd, .events = POLLIN};
    AUTO_BUF struct buf b = {0};
    int none[FD_MSG_MAX];
    size_t count = 0;

    buf_init(&b, LINE_MAX);
    wire_put_u32(&b, LINE_TAKE);
    if (line_send(line, &b, NULL, 0, err) < 0)
        return -1;
    if (poll(&wait, 1, REPORT_MS) <= 0)
        return err_set(err, ERR_TIMEOUT,
                       "glovebox-net, which carries the network, does not answer");
    ssize_t n = fd_recv(line->fd, ret, NET_REPORT_MAX, none, &count, 0);
    while (count)
        close(none[--count]);
    return n > 0 ? n
                 : err_set(err, ERR_SYSTEM, "glovebox-net, which carries the network, has ended");
}

int net_line_take(struct net_line *line, struct net_rows *ret, struct err *err)
{
    AUTO_FREE char *report = xmalloc(NET_REPORT_MAX);

    *ret = (struct net_rows){0};
    pthread_mutex_lock(&line->lock);
    ssize_t n = ask_for_rows(line, report, err);
    pthread_mutex_unlock(&line->lock);
    return n < 0 ? -1 : net_rows_read((struct str){report, (size_t)n}, ret, err);
}

struct net_line *net_line_share(struct net_line *line)
{
    pthread_mutex_lock(&line->lock);
    line->owners++;
    pthread_mutex_unlock(&line->lock);
    return line;
}

void net_line_close(struct net_line *line)
{
    if (!line)
        return;
    pthread_mutex_lock(&line->lock);
    bool last = --line->owners == 0;
    pthread_mutex_unlock(&line->lock);
    if (!last)
        return;
    pthread_mutex_destroy(&line->lock);
    fd_close(&line->fd);
    free(line);
}
