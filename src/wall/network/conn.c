/* SPDX-License-Identifier: Apache-2.0
 *
 * What the guest sends waits until its first bytes were looked at: TLS must name the server that
 * the connection leads to (hello.h).
 */
#include "network/conn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "network/hello.h"
#include "network/proxy_head.h"
#include "network/refusal.h"

enum {
    FIRST_MAX = HELLO_MAX + 1024, /* bytes that wait for the check */
    IDLE_MS = 15 * 60 * 1000,
    REFUSAL_MS = 2000,
};

#define OUTSIDE_OF(w) ((struct conn *)((char *)(w)-offsetof(struct conn, outside)))

/* ---- ends ---- */

/* A later answer does not open the connection. Until then, the lookup counts for the guest. */
static void forget_lookup(struct conn *c)
{
    if (c->lookup)
        c->lookup->owner = NULL;
    c->lookup = NULL;
}

void conn_free(struct conn *c)
{
    struct side *side = c->side;

    forget_lookup(c);
    if (c->booked)
        net_book_leave(&side->book, c->row);
    loop_forget(&c->inside);
    loop_forget(&c->outside);
    free(c->out.p);
    free(c->in.p);
    *c->link = c->next;
    if (c->next)
        c->next->link = c->link;
    side->conn_n--;
    loop_free_later(c);
}

void conn_reset(struct conn *c)
{
    const struct linger now = {.l_onoff = 1, .l_linger = 0};

    if (c->inside.fd >= 0)
        (void)setsockopt(c->inside.fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    if (c->outside.fd >= 0)
        (void)setsockopt(c->outside.fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    conn_free(c);
}

void conn_note(struct conn *c, bool allowed, const char *reason)
{
    struct net_row row = {.port = c->port, .allowed = allowed};

    memcpy(row.host, c->host, sizeof row.host);
    snprintf(row.reason, sizeof row.reason, "%s", reason);
    if (c->has_address)
        net_address_write(&c->address, row.address);
    if (c->booked)
        net_book_leave(&c->side->book, c->row);
    c->row = net_book_note(&c->side->book, &row);
    c->booked = true;
}

void conn_watch(struct conn *c)
{
    bool takes = c->checked ? !c->out.p : c->out.n < FIRST_MAX;
    uint32_t inside = c->in.p ? EPOLLOUT : 0, outside = c->out.p && c->checked ? EPOLLOUT : 0;

    if (c->state == OPEN && !c->out.ended && takes)
        inside |= EPOLLIN;
    if (c->state == OPEN && !c->in.ended && !c->in.p)
        outside |= EPOLLIN;
    loop_watch(&c->inside, inside);
    loop_watch(&c->outside, c->state == CONNECTS ? EPOLLOUT : outside);
}

/* ---- refusals ---- */

/* The guest's request has come: sends the page, and then reads until the guest closes, because
 * bytes that are left would make the kernel reset the connection before the page is read. */
static void send_page(struct conn *c)
{
    if (flow_flush(&c->in, c->inside.fd) < 0) {
        conn_free(c);
        return;
    }
    (void)shutdown(c->inside.fd, SHUT_WR);
    c->state = LEAVES;
}

enum { REMEDY_MAX = NET_NAME_MAX + 16 };

/* A rule that would allow the connection, or "". A name that leads to a private address is helped
 * by a rule with the address; nothing helps against a metadata service. */
static void find_remedy(const struct conn *c, const char *reason, char ret[REMEDY_MAX])
{
    bool unruled = str_starts(str_from(reason), "no rule"), metadata;
    char address[NET_ADDRESS_TEXT];

    ret[0] = '\0';
    metadata = c->has_address && net_address_is_metadata(&c->address);
    if (metadata || (!unruled && !str_starts(str_from(reason), "the name leads")))
        return;
    if (unruled && c->by_name) {
        snprintf(ret, REMEDY_MAX, "%s:%u", c->host, c->port);
        return;
    }
    net_address_write(&c->address, address);
    snprintf(ret, REMEDY_MAX, net_address_is_v4(&c->address) ? "%s:%u" : "[%s]:%u", address,
             c->port);
}

void conn_refuse(struct conn *c, bool allowed, const char *reason)
{
    char remedy[REMEDY_MAX];
    /* A tunnel that is open carries what is not ours. */
    bool page = c->proxied ? !c->tunnel || c->state != OPEN : c->port == 80;

    conn_note(c, allowed, reason);
    forget_lookup(c);
    loop_forget(&c->outside);
    if (!page) {
        conn_reset(c);
        return;
    }
    free(c->in.p);
    find_remedy(c, reason, remedy);
    c->in = (struct flow){
        .p = refusal_page(&(struct refusal){c->host, c->port, allowed, reason, remedy})};
    c->in.n = strlen(c->in.p);
    c->state = REFUSES;
    c->until_ms = clock_mono_ms() + REFUSAL_MS;
    loop_watch(&c->inside, EPOLLIN);
    if (c->out.n || c->proxied)
        send_page(c);
}

static void read_refused(struct conn *c)
{
    char head[4096];
    ssize_t n = recv(c->inside.fd, head, sizeof head, 0);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0)
        conn_free(c);
    else if (c->state == REFUSES)
        send_page(c);
}

/* Frees a connection that is over; otherwise waits for what can happen next. */
static void conn_settle(struct conn *c)
{
    if (c->side->bytes_max && c->side->bytes > c->side->bytes_max) {
        conn_note(c, true, "the sandbox has carried as many bytes as it may");
        conn_reset(c);
        return;
    }
    if (c->checked)
        flow_end(&c->out, c->outside.fd);
    flow_end(&c->in, c->inside.fd);
    if (c->out.shut && c->in.shut)
        conn_free(c);
    else
        conn_watch(c);
}

static void count_bytes(struct conn *c, bool out, uint64_t n)
{
    struct net_row *row = &c->side->book.rows[c->row];

    *(out ? &row->bytes_out : &row->bytes_in) += n;
    c->side->bytes += n;
}

/* ---- the first bytes ---- */

/* Looks at what the guest has sent so far. Returns false if it is refused, and freed. */
static bool conn_check(struct conn *c)
{
    struct hello hello;
    char reason[NET_REASON_MAX];

    if (!c->by_name) { /* the rule names the address itself */
        c->checked = true;
        count_bytes(c, true, c->out.n);
        return true;
    }
    enum hello_kind kind = hello_read((struct str){c->out.p, c->out.n}, &hello);
    if (kind == HELLO_MORE && c->out.n < FIRST_MAX && !c->out.ended)
        return true;
    if (kind == HELLO_WHOLE && hello.hides)
        snprintf(reason, sizeof reason, "TLS hides which server is meant (ECH)");
    else if (kind == HELLO_WHOLE && hello.name[0] && strcmp(hello.name, c->host) != 0)
        snprintf(reason, sizeof reason, "TLS names another server");
    else if (kind == HELLO_WHOLE && !hello.name[0] &&
             !net_rules_has_name(&c->side->rules, str_from(c->host)))
        snprintf(reason, sizeof reason, "TLS names no server, and the rule is for many (*)");
    else if (kind == HELLO_BAD || (kind == HELLO_MORE && c->out.n >= FIRST_MAX))
        snprintf(reason, sizeof reason, "this is no valid beginning of TLS");
    else
        c->checked = true;
    if (!c->checked) {
        conn_refuse(c, false, reason);
        return false;
    }
    count_bytes(c, true, c->out.n);
    return true;
}

/* Reads bytes that have to be looked at. Returns false if the connection is over. */
static bool read_first(struct conn *c)
{
    char piece[8192];
    ssize_t n = recv(c->inside.fd, piece, sizeof piece, 0);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (n < 0) {
        conn_reset(c);
        return false;
    }
    if (n == 0)
        c->out.ended = true;
    else
        flow_keep(&c->out, piece, (size_t)n);
    if (!c->out.n) { /* it ended without a word */
        c->checked = true;
        return true;
    }
    return conn_check(c);
}

/* ---- the proxy ---- */

/* What follows the head of CONNECT before our answer was not meant for the server that we connect:
 * a client waits for the answer. */
static void take_ask(struct conn *c, enum proxy_kind kind, const struct proxy_head *head,
                     struct buf *forward)
{
    size_t rest = c->out.n - head->end;

    memcpy(c->host, head->host, sizeof c->host);
    if (head->is_address)
        net_address_write(&head->address, c->host);
    c->port = head->port;
    c->by_name = !head->is_address;
    c->has_address = head->is_address;
    c->address = head->address;
    c->tunnel = kind == PROXY_CONNECT;
    if (c->tunnel && rest) {
        conn_refuse(c, false, "bytes follow CONNECT before it is answered");
        return;
    }
    if (!c->tunnel)
        (void)buf_add_str(forward, (struct str){c->out.p + head->end, rest});
    free(c->out.p);
    c->out = (struct flow){0};
    if (!c->tunnel)
        flow_keep(&c->out, forward->p, forward->n);
    conn_begin(c);
}

static void read_ask(struct conn *c)
{
    AUTO_BUF struct buf forward = {0};
    struct proxy_head head;
    char piece[PROXY_HEAD_MAX];
    ssize_t n = recv(c->inside.fd, piece, sizeof piece, 0);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        conn_free(c);
        return;
    }
    flow_keep(&c->out, piece, (size_t)n);
    buf_init(&forward, (size_t)4 * PROXY_HEAD_MAX);
    enum proxy_kind kind = proxy_head_read((struct str){c->out.p, c->out.n}, &head, &forward);
    if (kind == PROXY_BAD)
        conn_refuse(c, false, "this is no valid request to a proxy");
    else if (kind != PROXY_MORE)
        take_ask(c, kind, &head, &forward);
}

/* ---- events ---- */

void conn_inside_ready(struct watched *w, uint32_t events)
{
    struct conn *c = (struct conn *)w;
    uint64_t n = 0;

    if (c->state == REFUSES || c->state == LEAVES) {
        read_refused(c);
        return;
    }
    if (c->state == ASKS) {
        read_ask(c);
        return;
    }
    if (c->state != OPEN) { /* the guest has given up, or only begun to send */
        if (events & (EPOLLERR | EPOLLHUP))
            conn_free(c);
        return;
    }
    c->until_ms = clock_mono_ms() + IDLE_MS;
    if (!c->checked) {
        if (events & (EPOLLIN | EPOLLERR | EPOLLHUP) && !read_first(c))
            return;
        if (c->checked && flow_flush(&c->out, c->outside.fd) < 0) {
            conn_reset(c);
            return;
        }
    } else if (flow_move(&c->out, c->inside.fd, c->outside.fd, &n) < 0) {
        conn_reset(c);
        return;
    }
    count_bytes(c, true, n);
    if (flow_flush(&c->in, c->inside.fd) < 0)
        conn_reset(c);
    else
        conn_settle(c);
}

static void conn_open(struct conn *c)
{
    static const char established[] = "HTTP/1.1 200 Connection established\r\n\r\n";

    conn_note(c, true, "");
    c->state = OPEN;
    if (c->tunnel)
        flow_keep(&c->in, established, strlen(established));
    if (c->proxied && !c->tunnel) { /* the head is ours, and is no TLS */
        c->checked = true;
        count_bytes(c, true, c->out.n);
    }
    c->until_ms = clock_mono_ms() + IDLE_MS;
    conn_watch(c);
}

void conn_outside_ready(struct watched *w, uint32_t events)
{
    struct conn *c = OUTSIDE_OF(w);
    int error = 0;
    socklen_t size = sizeof error;
    uint64_t n = 0;

    (void)events;
    if (c->state == CONNECTS) {
        if (getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 || error) {
            errno = error;
            conn_try_next(c);
        } else if (events & EPOLLOUT) {
            conn_open(c);
        }
        return;
    }
    if (c->state != OPEN)
        return;
    c->until_ms = clock_mono_ms() + IDLE_MS;
    if (flow_move(&c->in, w->fd, c->inside.fd, &n) < 0 ||
        (c->checked && flow_flush(&c->out, w->fd) < 0)) {
        conn_reset(c);
        return;
    }
    count_bytes(c, false, n);
    conn_settle(c);
}
