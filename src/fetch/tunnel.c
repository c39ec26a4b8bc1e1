/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch/tunnel.h"

#include <curl/curl.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"

enum { CONNECT_MS = 10000, PIECE = 64 << 10 };

/* Bytes on their way in one direction. */
struct way {
    char bytes[PIECE];
    size_t at, n;
};

struct tunnel {
    CURL *easy;
    curl_socket_t far;
    int near;
    struct way up, down;
    bool over; /* nothing more is to be read, or there is no reader */
    char words[CURL_ERROR_SIZE];
};

/* ---- the connection ---- */

/* With a file of authorities of its own, those of the system are not trusted. */
static void set_trust(CURL *e, const struct tunnel_place *place)
{
    curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(e, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (*place->ca) {
        curl_easy_setopt(e, CURLOPT_CAINFO, place->ca);
        curl_easy_setopt(e, CURLOPT_CAPATH, NULL);
    }
    if (*place->cert) {
        curl_easy_setopt(e, CURLOPT_SSLCERT, place->cert);
        curl_easy_setopt(e, CURLOPT_SSLKEY, place->key);
        /* OpenSSL would ask the terminal for the password of a key that has one. */
        curl_easy_setopt(e, CURLOPT_KEYPASSWD, "");
    }
}

static CURLcode connect_to(struct tunnel *t, const struct tunnel_place *place)
{
    const char *brackets = strchr(place->host, ':') ? "[]" : "";
    AUTO_FREE char *url = xasprintf("https://%.1s%s%s:%s", brackets, place->host,
                                    *brackets ? &brackets[1] : "", place->port);
    CURL *e = t->easy;

    curl_easy_setopt(e, CURLOPT_URL, url);
    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, t->words);
    curl_easy_setopt(e, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(e, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L);
    /* The bytes are HTTP/1.1: no other protocol is offered. */
    curl_easy_setopt(e, CURLOPT_SSL_ENABLE_ALPN, 0L);
    set_trust(e, place);
    CURLcode code = curl_easy_perform(e);
    return code ? code : curl_easy_getinfo(e, CURLINFO_ACTIVESOCKET, &t->far);
}

/* ---- relaying: each returns whether something moved ---- */

static bool is_later(void)
{
    return errno == EAGAIN || errno == EINTR;
}

static bool read_near(struct tunnel *t)
{
    if (t->up.n)
        return false;
    ssize_t n = recv(t->near, t->up.bytes, PIECE, MSG_DONTWAIT);
    t->over |= n == 0 || (n < 0 && !is_later());
    t->up.at = 0;
    t->up.n = n > 0 ? (size_t)n : 0;
    return n > 0;
}

static bool write_near(struct tunnel *t)
{
    if (!t->down.n)
        return false;
    ssize_t n = send(t->near, t->down.bytes + t->down.at, t->down.n, MSG_DONTWAIT | MSG_NOSIGNAL);
    t->over |= n < 0 && !is_later();
    if (n <= 0)
        return false;
    t->down.at += (size_t)n;
    t->down.n -= (size_t)n;
    return true;
}

static CURLcode read_far(struct tunnel *t, bool *moved)
{
    size_t n = 0;

    if (t->down.n)
        return CURLE_OK;
    CURLcode code = curl_easy_recv(t->easy, t->down.bytes, PIECE, &n);
    t->over |= code == CURLE_OK && n == 0;
    t->down.at = 0;
    t->down.n = code == CURLE_OK ? n : 0;
    *moved |= t->down.n > 0;
    return code == CURLE_AGAIN ? CURLE_OK : code;
}

static CURLcode write_far(struct tunnel *t, bool *moved)
{
    size_t n = 0;

    if (!t->up.n)
        return CURLE_OK;
    CURLcode code = curl_easy_send(t->easy, t->up.bytes + t->up.at, t->up.n, &n);
    t->up.at += n;
    t->up.n -= n;
    *moved |= n > 0;
    return code == CURLE_AGAIN ? CURLE_OK : code;
}

/* A side that has nothing to do is not asked: its end would be reported again and again. The caller
 * is always asked, and its end is ours. */
static void wait_for_either(struct tunnel *t)
{
    short near = (t->up.n ? 0 : POLLIN) | (t->down.n ? POLLOUT : 0);
    short far = (t->down.n ? 0 : POLLIN) | (t->up.n ? POLLOUT : 0);
    struct pollfd polls[] = {{.fd = t->near, .events = near},
                             {.fd = far ? (int)t->far : -1, .events = far}};

    if (poll(polls, 2, -1) > 0)
        t->over |= (polls[0].revents & (POLLHUP | POLLERR)) != 0;
}

static CURLcode relay(struct tunnel *t)
{
    CURLcode code = CURLE_OK;

    while (!code && !t->over) {
        bool moved = read_near(t);
        code = write_far(t, &moved);
        /* An engine that refuses says why before it closes. */
        CURLcode from = read_far(t, &moved);
        code = from ? from : code;
        moved |= write_near(t);
        if (!moved && !code && !t->over)
            wait_for_either(t);
    }
    return code;
}

int tunnel_run(const struct tunnel_place *place, int socket)
{
    struct tunnel *t = xcalloc(1, sizeof *t);

    t->near = socket;
    t->easy = mem_must(curl_easy_init());
    CURLcode code = connect_to(t, place);
    if (!code)
        code = relay(t);
    if (code)
        fprintf(stderr, "%s\n", t->words[0] ? t->words : curl_easy_strerror(code));
    curl_easy_cleanup(t->easy);
    free(t);
    return code ? -1 : 0;
}
