/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as the answer of a container engine or a daemon: the client ends, and the ceilings
 * hold. The first byte has the way in which the answer is taken.
 */
#include <assert.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/http_client.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { AS_LINES = 1, IN_PIECES = 2, UPGRADE = 4, BODY_MAX = 4096 };

static void on_line(void *ctx, struct str line)
{
    assert(line.n <= BODY_MAX);
    *(size_t *)ctx += line.n;
}

static int on_piece(void *ctx, struct str bytes, struct err *err)
{
    (void)err;
    *(size_t *)ctx += bytes.n;
    return 0;
}

static void ask(int fd, unsigned how, size_t n)
{
    size_t taken = 0;
    const struct http_ask ask = {.method = "GET",
                                 .path = "/",
                                 .timeout_ms = 1000,
                                 .cancel_fd = -1,
                                 .body_max = BODY_MAX,
                                 .upgrade = how & UPGRADE ? "tcp" : NULL,
                                 .line = how & AS_LINES ? on_line : NULL,
                                 .piece = how & IN_PIECES ? on_piece : NULL,
                                 .ctx = &taken};
    struct http_client client;
    struct http_reply reply;
    struct err err = {0};

    http_client_init(&client, fd, NULL);
    int result = http_client_ask(&client, &ask, &reply, &err);
    assert(result == 0 ? reply.status >= 101 && reply.status <= 599 : err.kind != ERR_NONE);
    assert(result == 0 || client.fd < 0);
    assert(reply.body.n <= BODY_MAX && taken <= n && http_client_unread(&client).n <= n);
    http_reply_done(&reply);
    http_client_done(&client);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    int pair[2];

    if (n < 2 || n > 64 << 10 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
        return 0;
    ssize_t sent = send(pair[1], data + 1, n - 1, MSG_NOSIGNAL);
    (void)shutdown(pair[1], SHUT_WR);
    if (sent == (ssize_t)n - 1)
        ask(pair[0], data[0], n);
    else
        (void)close(pair[0]);
    (void)close(pair[1]);
    return 0;
}
