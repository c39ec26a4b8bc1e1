/* SPDX-License-Identifier: Apache-2.0
 *
 * A connection after http_upgrade: bytes in pieces of every size, beginning in the same piece as
 * the request, with a receiver that holds them now and then. The sizes come from a generator with a
 * fixed seed.
 */
#include <errno.h>
#include <event2/event.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "net/http_server.h"
#include "net/listen.h"
#include "tap.h"

#define REQUEST                                                                                    \
    "POST /lines HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n"                  \
    "Content-Length: 2\r\n\r\n{}"
#define ANSWER "HTTP/1.1 101 "

enum { ROUNDS = 300, BYTES_MAX = 200 << 10, STEPS_MAX = 20000 };

static unsigned long seed = 1;

static size_t random_below(size_t n)
{
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    return n ? (size_t)(seed >> 33) % n : 0;
}

/* ---- the server: sends back what comes ---- */

struct peer {
    struct http_exchange *x; /* after the upgrade, until `done` */
    struct buf got;
    bool holds; /* now and then */
    bool held;
    unsigned wrong; /* bytes that came while they were held */
    unsigned gone, done;
};

static struct peer peer;

static void on_head(void *ctx, struct http_exchange *x)
{
    (void)ctx;
    http_body_max(x, 100);
}

static void on_request(void *ctx, struct http_exchange *x)
{
    (void)ctx;
    peer.x = x;
    http_upgrade(x, "echo");
}

static void on_bytes(void *ctx, struct http_exchange *x, struct str bytes)
{
    (void)ctx;
    peer.wrong += peer.held;
    (void)buf_add_str(&peer.got, bytes);
    http_piece(x, bytes);
    if (peer.holds && random_below(3) == 0) {
        peer.held = true;
        http_hold(x, true);
    }
}

static void on_drained(void *ctx, struct http_exchange *x)
{
    (void)ctx;
    (void)x;
}

static void on_gone(void *ctx, struct http_exchange *x)
{
    (void)ctx;
    (void)x;
    peer.gone++;
}

static void on_done(void *ctx, struct http_exchange *x)
{
    (void)ctx;
    (void)x;
    peer.done++;
    peer.x = NULL;
}

static uint64_t none_held(void *ctx)
{
    (void)ctx;
    return 0;
}

static char *refusal(void *ctx, int status, const char *why)
{
    (void)ctx;
    return xasprintf("%d %s", status, why);
}

static struct event_base *base;
static struct http_server *server;
static struct listener listener;
static struct sockaddr_un place;
static socklen_t place_n = sizeof place;

static void open_server(void)
{
    static const struct http_handler handler = {.head = on_head,
                                                .request = on_request,
                                                .bytes = on_bytes,
                                                .drained = on_drained,
                                                .gone = on_gone,
                                                .done = on_done,
                                                .held = none_held,
                                                .refusal = refusal};
    static const struct http_limits limits = {.header_ms = 60000,
                                              .body_ms = 60000,
                                              .idle_ms = 60000,
                                              .write_ms = 60000,
                                              .connections = 8,
                                              .bodies = 1 << 20};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct err err = {0};

    place.sun_family = AF_UNIX; /* the kernel chooses a name */
    OK(bind(fd, (const struct sockaddr *)&place, sizeof place.sun_family) == 0 &&
           listen(fd, 8) == 0 && getsockname(fd, (struct sockaddr *)&place, &place_n) == 0,
       "a socket");
    base = event_base_new();
    OK(listen_adopt(fd, &listener, &err) == 0 &&
           http_server_open(base, &handler, &limits, &server, &err) == 0 &&
           http_server_add(server, &listener, &err) == 0,
       "a server: %s", err.msg);
}

static void close_server(void)
{
    http_server_close(server);
    listen_close(&listener);
    event_base_free(base);
    buf_done(&peer.got);
}

/* ---- the client ---- */

static int connected(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    buf_done(&peer.got);
    peer = (struct peer){.holds = peer.holds};
    buf_init(&peer.got, BYTES_MAX);
    if (connect(fd, (const struct sockaddr *)&place, place_n) < 0)
        fd_close(&fd);
    return fd;
}

static void turn(void)
{
    (void)event_base_loop(base, EVLOOP_NONBLOCK);
    if (peer.held && peer.x && random_below(4) == 0) {
        peer.held = false;
        http_hold(peer.x, false);
    }
}

/* Reads what is there. False at the end. */
static bool take(int fd, struct buf *ret)
{
    char chunk[16 << 10];
    ssize_t n = read(fd, chunk, 1 + random_below(sizeof chunk));

    if (n > 0)
        (void)buf_add(ret, chunk, (size_t)n);
    return n > 0 || (n < 0 && errno == EAGAIN);
}

/* Sends the text in pieces, and reads until the answers have `wanted` bytes behind their head. */
static void talk(int fd, struct str text, size_t piece, size_t wanted, struct buf *answer)
{
    size_t sent = 0;

    for (int i = 0; i < STEPS_MAX; i++) {
        long head = str_find(buf_str(answer), STR("\r\n\r\n"));
        if (head >= 0 && answer->n - (size_t)head - 4 >= wanted && sent == text.n)
            return;
        size_t n = 1 + random_below(piece);
        ssize_t took = sent < text.n ? send(fd, text.p + sent,
                                            n < text.n - sent ? n : text.n - sent, MSG_NOSIGNAL)
                                     : 0;
        sent += took > 0 ? (size_t)took : 0;
        turn();
        (void)take(fd, answer);
    }
}

static void settle(const unsigned *count)
{
    for (int i = 0; i < STEPS_MAX && !*count; i++) {
        turn();
        (void)poll(NULL, 0, i > 100);
    }
}

/* ---- the tests ---- */

static bool echoes(size_t n, size_t piece)
{
    AUTO_BUF struct buf text = {0}, answer = {0};
    int fd = connected();

    buf_init(&text, BYTES_MAX + sizeof REQUEST);
    buf_init(&answer, BYTES_MAX + 1000);
    (void)buf_adds(&text, REQUEST);
    for (size_t i = 0; i < n; i++)
        (void)buf_addc(&text, (char)random_below(256));
    talk(fd, buf_str(&text), piece, n, &answer);
    struct str sent = str_slice(buf_str(&text), sizeof REQUEST - 1, text.n);
    long head = str_find(buf_str(&answer), STR("\r\n\r\n"));
    bool good = head > 0 && str_starts(buf_str(&answer), ANSWER) &&
                str_eq(buf_str(&peer.got), sent) &&
                str_eq(str_slice(buf_str(&answer), (size_t)head + 4, answer.n), sent);
    good = good && !peer.wrong && !peer.gone && !peer.done;
    fd_close(&fd);
    if (peer.held && peer.x)
        http_hold(peer.x, false);
    peer.held = false;
    settle(&peer.done);
    return good && peer.gone == 1 && peer.done == 1;
}

static void test_bytes(void)
{
    unsigned good = 0;

    for (int i = 0; i < ROUNDS; i++) {
        peer.holds = i % 2;
        good += echoes(random_below(i % 30 ? 4 << 10 : BYTES_MAX),
                       i % 3 ? 1 + random_below(600) : sizeof REQUEST + random_below(64 << 10));
    }
    EQ_INT(good, ROUNDS);
    peer.holds = false;
    OK(echoes(0, 1), "no byte behind the request");
}

static int upgraded(struct buf *answer)
{
    int fd = connected();

    buf_init(answer, 1000);
    talk(fd, STR(REQUEST), 1000, 0, answer);
    return fd;
}

static void test_server_ends(void)
{
    AUTO_BUF struct buf answer = {0};
    AUTO_CLOSE int fd = upgraded(&answer);
    bool open = true;

    http_piece(peer.x, STR("last"));
    http_end(peer.x);
    settle(&peer.done);
    while ((open = take(fd, &answer)) && poll(&(struct pollfd){fd, POLLIN, 0}, 1, 1000) > 0)
        turn();
    OK(!open && str_ends(buf_str(&answer), "\r\n\r\nlast"), "the last bytes come before the end");
    OK(peer.done == 1 && !peer.gone, "the client has not gone");
}

static void test_server_breaks(void)
{
    AUTO_BUF struct buf answer = {0};
    AUTO_CLOSE int fd = upgraded(&answer);

    http_break(peer.x);
    settle(&peer.done);
    OK(peer.done == 1 && !peer.gone && !take(fd, &answer), "a connection that is broken off");
}

static void test_half_closed(void)
{
    AUTO_BUF struct buf answer = {0};
    AUTO_CLOSE int fd = upgraded(&answer);

    OK(shutdown(fd, SHUT_WR) == 0, "the client closes its sending end");
    settle(&peer.done);
    OK(peer.gone == 1 && peer.done == 1, "it is gone");
}

static void test_closed_while_open(void)
{
    AUTO_BUF struct buf answer = {0};
    AUTO_CLOSE int fd = upgraded(&answer);

    OK(fd >= 0, "a connection is open");
    close_server();
    OK(peer.done == 1, "the server is closed: each exchange has its end");
}

int main(void)
{
    open_server();
    RUN(test_bytes());
    RUN(test_server_ends());
    RUN(test_server_breaks());
    RUN(test_half_closed());
    RUN(test_closed_while_open());
    return tap_done();
}
