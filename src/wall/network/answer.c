/* SPDX-License-Identifier: Apache-2.0
 *
 * The name server that a guest has: it knows the names that the rules allow, and gives each an
 * address of 198.18.0.0/15. Nothing is asked outside: a lookup alone carries nothing out.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "network/side.h"

enum { ROUND = 32, PEER_MS = 5000 };

/* Returns the answer's length; 0 for none. */
static size_t answer(struct side *side, struct str message, char ret[DNS_ANSWER_MAX])
{
    struct dns_question q;
    struct net_address fake;

    side_count(side);
    if (!dns_question_read(message, &q))
        return 0;
    if (q.code != DNS_FINE)
        return dns_answer(message, &q, q.code, NULL, ret);
    struct str name = str_from(q.name);
    if (str_is(name, NAMES_PROXY)) {
        net_address_make_fake(NAMES_PROXY_POSITION, &fake);
        return dns_answer(message, &q, DNS_FINE, &fake, ret);
    }
    if (!net_name_ok(name) || !net_rules_allow_name(&side->rules, name, 0)) {
        if (q.name[0] && q.wants_v4 && !str_ends(name, ".arpa"))
            side_note_refused(side, q.name, 0, "no rule allows this name");
        return dns_answer(message, &q, DNS_NO_NAME, NULL, ret);
    }
    if (!names_give(&side->names, name, &fake))
        return dns_answer(message, &q, DNS_FAILED, NULL, ret);
    return dns_answer(message, &q, DNS_FINE, &fake, ret);
}

void answer_udp(struct watched *w, uint32_t events)
{
    struct side *side = ((struct side_socket *)w)->side;
    char message[DNS_QUERY_MAX], reply[DNS_ANSWER_MAX];
    struct sockaddr_storage from;

    (void)events;
    for (int i = 0; i < ROUND && !side->paused; i++) {
        socklen_t size = sizeof from;
        ssize_t n = recvfrom(w->fd, message, sizeof message, 0, (struct sockaddr *)&from, &size);
        if (n < 0)
            return;
        size_t length = answer(side, (struct str){message, (size_t)n}, reply);
        if (length)
            (void)sendto(w->fd, reply, length, MSG_NOSIGNAL, (struct sockaddr *)&from, size);
    }
}

/* ---- over TCP: each message has its length before it ---- */

struct dns_peer {
    struct watched w;
    struct side *side;
    int64_t until_ms;
    size_t n;
    char in[2 + DNS_QUERY_MAX];
    struct dns_peer *next, **link;
};

static void peer_close(struct dns_peer *p)
{
    loop_forget(&p->w);
    *p->link = p->next;
    if (p->next)
        p->next->link = p->link;
    p->side->peer_n--;
    loop_free_later(p);
}

/* Answers the first message if it is complete. False when more bytes are needed, or it is over. */
static bool peer_answer(struct dns_peer *p)
{
    char reply[2 + DNS_ANSWER_MAX];

    if (p->n < 2)
        return false;
    size_t length = (size_t)(unsigned char)p->in[0] << 8 | (unsigned char)p->in[1];
    if (length > DNS_QUERY_MAX) {
        peer_close(p);
        return false;
    }
    if (p->n < 2 + length)
        return false;
    size_t n = answer(p->side, (struct str){p->in + 2, length}, reply + 2);
    p->n -= 2 + length;
    memmove(p->in, p->in + 2 + length, p->n);
    reply[0] = (char)(n >> 8);
    reply[1] = (char)n;
    if (n && send(p->w.fd, reply, n + 2, MSG_NOSIGNAL) == (ssize_t)(n + 2))
        return true;
    peer_close(p);
    return false;
}

/* Answers what has come, as far as the guest may have answers now. */
static void answer_all(struct dns_peer *p)
{
    while (!p->side->paused && peer_answer(p))
        ;
}

static void peer_ready(struct watched *w, uint32_t events)
{
    struct dns_peer *p = (struct dns_peer *)w;

    (void)events;
    if (p->side->paused)
        return;
    ssize_t n = recv(w->fd, p->in + p->n, sizeof p->in - p->n, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        peer_close(p);
        return;
    }
    p->n += (size_t)n;
    answer_all(p);
}

void answer_tcp(struct watched *w, uint32_t events)
{
    struct side *side = ((struct side_socket *)w)->side;
    int fd = accept4(w->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    (void)events;
    if (fd < 0)
        return;
    side_count(side);
    if (side->peer_n == SIDE_DNS_PEERS_MAX) {
        close(fd);
        return;
    }
    struct dns_peer *p = xcalloc(1, sizeof *p);
    *p = (struct dns_peer){.w = {.fd = fd, .ready = peer_ready},
                           .side = side,
                           .until_ms = clock_mono_ms() + PEER_MS,
                           .next = side->peers,
                           .link = &side->peers};
    if (p->next)
        p->next->link = &p->next;
    side->peers = p;
    side->peer_n++;
    loop_watch(&p->w, side->paused ? 0 : EPOLLIN);
}

void answer_listen(struct side *side, uint32_t events)
{
    for (struct dns_peer *p = side->peers; p; p = p->next)
        loop_watch(&p->w, events);
}

void answer_tick(struct side *side, int64_t now_ms)
{
    for (struct dns_peer *p = side->peers, *next; p; p = next) {
        next = p->next;
        if (now_ms > p->until_ms)
            peer_close(p);
        else
            answer_all(p);
    }
}

void answer_close(struct side *side)
{
    while (side->peers)
        peer_close(side->peers);
}
