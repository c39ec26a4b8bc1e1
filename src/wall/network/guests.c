/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/wire.h"
#include "network/net_wire.h"
#include "network/side.h"

enum {
    ROUND = 32,
    TOKENS_A_TICK = SIDE_EVENTS_A_SECOND * LOOP_TICK_MS / 1000,
    SOCKETS_MIN = 2, /* of the name server */
};

static struct side *sides;

bool sides_any(void)
{
    return sides != NULL;
}

struct side *side_find(uint64_t id)
{
    struct side *side = sides;

    while (side && side->id != id)
        side = side->next;
    return side;
}

/* ---- fairness ---- */

static void listen_for(struct side *side, uint32_t events)
{
    loop_watch(&side->udp.w, events);
    loop_watch(&side->tcp.w, events);
    answer_listen(side, events);
    for (size_t i = 0; i < side->listener_n; i++)
        loop_watch(&side->listeners[i].w, events);
}

static void side_pause(struct side *side)
{
    if (side->paused)
        return;
    side->paused = true;
    listen_for(side, 0);
}

void side_count(struct side *side)
{
    if (side->tokens)
        side->tokens--;
    if (!side->tokens)
        side_pause(side);
}

static void refill(struct side *side)
{
    side->tokens += TOKENS_A_TICK;
    if (side->tokens > SIDE_EVENTS_A_SECOND)
        side->tokens = SIDE_EVENTS_A_SECOND;
    if (!side->paused)
        return;
    side->paused = false;
    listen_for(side, EPOLLIN);
}

void side_note_refused(struct side *side, const char *host, uint16_t port, const char *reason)
{
    struct net_row row = {.port = port};

    snprintf(row.host, sizeof row.host, "%s", host);
    snprintf(row.reason, sizeof row.reason, "%s", reason);
    net_book_leave(&side->book, net_book_note(&side->book, &row));
}

/* ---- the end ---- */

static void side_free(struct side *side)
{
    carry_close(side);
    answer_close(side);
    loop_forget(&side->udp.w);
    loop_forget(&side->tcp.w);
    for (size_t i = 0; i < side->listener_n; i++)
        loop_forget(&side->listeners[i].w);
    loop_forget(&side->line);
    net_rules_done(&side->rules);
    names_done(&side->names);
    net_book_done(&side->book);
    *side->link = side->next;
    if (side->next)
        side->next->link = side->link;
    loop_free_later(side);
}

static bool side_needs_ticks(const struct side *side)
{
    return side->conns || side->peers || side->tokens < SIDE_EVENTS_A_SECOND;
}

bool sides_need_ticks(void)
{
    for (const struct side *side = sides; side; side = side->next)
        if (side_needs_ticks(side))
            return true;
    return false;
}

void sides_tick(void)
{
    int64_t now_ms = clock_mono_ms();

    for (struct side *side = sides; side; side = side->next) {
        refill(side);
        answer_tick(side, now_ms);
        carry_tick(side, now_ms);
    }
}

/* ---- the guest's sockets ---- */

static void accept_one(struct side *side, int fd)
{
    struct sockaddr_storage socket;
    socklen_t size = sizeof socket;
    struct net_address to;
    uint16_t port;

    side_count(side);
    if (getsockname(fd, (struct sockaddr *)&socket, &size) < 0 ||
        !net_address_of(&socket, &to, &port))
        close(fd);
    else
        carry_accept(side, fd, &to, port);
}

static void listener_ready(struct watched *w, uint32_t events)
{
    struct side *side = ((struct side_socket *)w)->side;

    (void)events;
    for (int i = 0; i < ROUND && !side->paused; i++) {
        int fd = accept4(w->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
                side_pause(side); /* what waits is accepted later */
            return;
        }
        accept_one(side, fd);
    }
}

/* ---- the line ---- */

static void take_socket(struct side *side, struct side_socket *ret, int *fd,
                        void (*ready)(struct watched *w, uint32_t events))
{
    *ret = (struct side_socket){.w = {.fd = fd_take(fd), .ready = ready}, .side = side};
    (void)fd_nonblock(ret->w.fd, true);
    loop_watch(&ret->w, EPOLLIN);
}

static int read_rules(struct str text, struct net_rules *ret)
{
    struct err err;

    *ret = (struct net_rules){0};
    return text.n ? net_rules_read(text, ret, &err) : 0;
}

static bool line_open(struct side *side, struct wire *w, int *fds, size_t count)
{
    uint64_t bytes_max = wire_u64(w);
    struct str rules = wire_str(w);

    if (!wire_ok(w) || side->open || count < SOCKETS_MIN || read_rules(rules, &side->rules) < 0)
        return false;
    side->open = true;
    side->bytes_max = bytes_max;
    take_socket(side, &side->udp, &fds[0], answer_udp);
    take_socket(side, &side->tcp, &fds[1], answer_tcp);
    for (size_t i = SOCKETS_MIN; i < count && side->listener_n < NET_PORTS_MAX; i++)
        take_socket(side, &side->listeners[side->listener_n++], &fds[i], listener_ready);
    return true;
}

static bool line_rules(struct side *side, struct wire *w)
{
    struct str text = wire_str(w);
    struct net_rules rules;

    if (!wire_ok(w) || read_rules(text, &rules) < 0)
        return false;
    net_rules_done(&side->rules);
    side->rules = rules;
    carry_narrow(side);
    return true;
}

static bool line_take(struct side *side)
{
    AUTO_BUF struct buf b = {0};

    /* What happened before the question is in the answer. */
    for (size_t i = 0; i < side->listener_n; i++)
        listener_ready(&side->listeners[i].w, EPOLLIN);
    answer_udp(&side->udp.w, EPOLLIN);
    carry_catch_up(side);
    buf_init(&b, NET_REPORT_MAX);
    net_book_take(&side->book, &b);
    return fd_send(side->line.fd, b.p, b.n, NULL, 0) == 0;
}

static bool line_message(struct side *side, struct str message, int *fds, size_t count)
{
    struct wire w = {.rest = message};

    switch (wire_u32(&w)) {
    case LINE_OPEN:
        return line_open(side, &w, fds, count);
    case LINE_RULES:
        return line_rules(side, &w);
    case LINE_TAKE:
        return wire_ok(&w) && line_take(side);
    default:
        return false;
    }
}

static void line_ready(struct watched *w, uint32_t events)
{
    struct side *side = (struct side *)w;
    static char message[LINE_MAX];
    int fds[FD_MSG_MAX];
    size_t count = 0;

    (void)events;
    ssize_t n = fd_recv(w->fd, message, sizeof message, fds, &count, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    bool stays = n > 0 && line_message(side, (struct str){message, (size_t)n}, fds, count);
    while (count)
        fd_close(&fds[--count]);
    if (!stays)
        side_free(side);
}

void side_new(int line)
{
    static uint64_t last_id;
    struct side *side = xcalloc(1, sizeof *side);

    *side = (struct side){.id = ++last_id,
                          .line = {.fd = line, .ready = line_ready},
                          .udp.w.fd = -1,
                          .tcp.w.fd = -1,
                          .tokens = SIDE_EVENTS_A_SECOND,
                          .next = sides,
                          .link = &sides};
    net_book_init(&side->book);
    (void)fd_nonblock(line, true);
    if (sides)
        sides->link = &side->next;
    sides = side;
    loop_watch(&side->line, EPOLLIN);
}
