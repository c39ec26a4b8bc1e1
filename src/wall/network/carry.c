/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a guest's connection leads to.
 *
 * The guest believes that it is connected to the address that it chose. An address of 198.18.0.0/15
 * stands for a name: the name is resolved outside now, each address of the answer is held against
 * the list of address.h, and one that passes is connected. So a name that changes between a check
 * and a connection (rebinding) gains nothing.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "network/conn.h"

enum {
    LOOKUP_MS = 15000,
    CONNECT_MS = 10000, /* for each address */
};

static int begin_connect(const struct net_address *address, uint16_t port)
{
    const int on = 1;
    struct sockaddr_storage to;
    socklen_t size = net_address_socket(address, port, &to);
    int fd = socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd, (struct sockaddr *)&to, size) == 0 || errno == EINPROGRESS)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

void conn_try_next(struct conn *c)
{
    char reason[NET_REASON_MAX];

    while (c->next_address < c->n) {
        loop_forget(&c->outside);
        c->address = c->list[c->next_address++];
        c->has_address = true;
        c->outside.fd = begin_connect(&c->address, c->port);
        if (c->outside.fd < 0)
            continue;
        c->state = CONNECTS;
        c->until_ms = clock_mono_ms() + CONNECT_MS;
        conn_watch(c);
        return;
    }
    snprintf(reason, sizeof reason, "cannot connect: %s", strerror(errno));
    conn_refuse(c, true, reason);
}

/* Keeps the addresses that a name may lead to. */
static void take_addresses(struct conn *c, const struct lookup *l)
{
    char reason[NET_REASON_MAX], text[NET_ADDRESS_TEXT];
    const char *what = NULL;

    for (size_t i = 0; i < l->n; i++) {
        const char *denied = net_address_denied(&l->list[i]);
        if (!denied) {
            c->list[c->n++] = l->list[i];
            continue;
        }
        what = denied;
        c->address = l->list[i];
    }
    if (c->n) {
        conn_try_next(c);
        return;
    }
    if (!what) {
        snprintf(reason, sizeof reason, "the name cannot be resolved: %s", l->why);
        conn_refuse(c, true, reason);
        return;
    }
    c->has_address = true;
    net_address_write(&c->address, text);
    snprintf(reason, sizeof reason, "the name leads to %s, %s", text, what);
    conn_refuse(c, false, reason);
}

/* Begins as many lookups as the guest may have at once. */
static void begin_lookups(struct side *side)
{
    for (struct conn *c = side->conns; c && side->lookup_n < SIDE_LOOKUPS_MAX; c = c->next) {
        if (c->state != WAITS)
            continue;
        c->state = LOOKS_UP;
        c->lookup = lookup_begin(c->host, c, side->id, side->lookup_n > 0);
        side->lookup_n++;
    }
}

void carry_answered(struct lookup *l)
{
    struct conn *c = l->owner;
    struct side *side = side_find(l->guest);

    if (!side)
        return;
    side->lookup_n--;
    if (c) {
        c->lookup = NULL;
        take_addresses(c, l);
    }
    begin_lookups(side);
}

/* ---- arrivals ---- */

/* The reason why the rules do not allow it; NULL if they do. */
static const char *why_refused(const struct conn *c)
{
    const struct net_rules *rules = &c->side->rules;

    if (c->by_name) {
        if (net_rules_allow_name(rules, str_from(c->host), c->port))
            return NULL;
        return net_rules_allow_name(rules, str_from(c->host), 0) ? "no rule allows this port"
                                                                 : "no rule allows this name";
    }
    if (net_rules_allow_address(rules, &c->address, c->port))
        return NULL;
    return net_rules_allow_address(rules, &c->address, 0) ? "no rule allows this port"
                                                          : "no rule allows this address";
}

void conn_begin(struct conn *c)
{
    const char *reason = why_refused(c);

    if (reason) {
        conn_refuse(c, false, reason);
        return;
    }
    c->until_ms = clock_mono_ms() + LOOKUP_MS;
    loop_watch(&c->inside, 0);
    if (c->by_name) {
        c->state = WAITS;
        begin_lookups(c->side);
    } else {
        c->list[c->n++] = c->address;
        conn_try_next(c);
    }
}

void carry_accept(struct side *side, int fd, const struct net_address *to, uint16_t port)
{
    const char *name = names_find(&side->names, to);
    const int on = 1;
    struct conn *c = xcalloc(1, sizeof *c);

    *c = (struct conn){.inside = {.fd = fd, .ready = conn_inside_ready},
                       .outside = {.fd = -1, .ready = conn_outside_ready},
                       .side = side,
                       .by_name = name != NULL,
                       .port = port,
                       .until_ms = clock_mono_ms() + LOOKUP_MS,
                       .next = side->conns,
                       .link = &side->conns};
    if (c->next)
        c->next->link = &c->next;
    side->conns = c;
    side->conn_n++;
    if (name)
        snprintf(c->host, sizeof c->host, "%s", name);
    else
        net_address_write(to, c->host);
    c->address = *to;
    c->has_address = !name;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    bool proxied = port == 80 && net_address_fake(to) == NAMES_PROXY_POSITION;
    if (side->conn_n > SIDE_CONNECTIONS_MAX) {
        conn_refuse(c, false, "too many connections are open at once");
    } else if (proxied) {
        c->proxied = true;
        c->state = ASKS;
        loop_watch(&c->inside, EPOLLIN);
    } else {
        conn_begin(c);
    }
}

void carry_narrow(struct side *side)
{
    for (struct conn *c = side->conns, *next; c; c = next) {
        next = c->next;
        if (c->state == ASKS || c->state == REFUSES || c->state == LEAVES || !why_refused(c))
            continue;
        conn_note(c, false, "the rule was taken back while the connection was open");
        conn_reset(c);
    }
}

static void conn_late(struct conn *c)
{
    switch (c->state) {
    case ASKS:
        conn_reset(c);
        break;
    case WAITS:
    case LOOKS_UP:
        conn_refuse(c, true, "the name cannot be resolved: no name server answered in time");
        break;
    case CONNECTS:
        errno = ETIMEDOUT;
        conn_try_next(c);
        break;
    case OPEN:
        conn_note(c, true, "it was idle for too long");
        conn_reset(c);
        break;
    case REFUSES:
    case LEAVES:
        conn_free(c);
        break;
    }
}

void carry_tick(struct side *side, int64_t now_ms)
{
    for (struct conn *c = side->conns, *next; c; c = next) {
        next = c->next;
        if (now_ms > c->until_ms)
            conn_late(c);
    }
}

void carry_catch_up(struct side *side)
{
    for (struct conn *c = side->conns, *next; c; c = next) {
        next = c->next;
        if (c->state == OPEN)
            conn_inside_ready(&c->inside, EPOLLIN);
    }
}

void carry_close(struct side *side)
{
    while (side->conns)
        conn_reset(side->conns);
}
