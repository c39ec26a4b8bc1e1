/* SPDX-License-Identifier: Apache-2.0
 *
 * glovebox-fetch: the small program that makes requests over HTTP for glovebox, with libcurl.
 *
 * It is a program of its own because libcurl brings some twenty shared libraries, which neither a
 * static `glovebox` nor a host of libglovebox.so should carry. It reads requests as frames
 * (net/fetch_wire.h) from its standard input and writes what comes to its standard output, and it
 * exits when its input closes, also in the middle of an answer. With --tunnel it makes one
 * connection with TLS to a container engine instead, and relays bytes.
 *
 * Keys are in the requests, so no core is ever written, requests are wiped, and nothing of one is
 * printed.
 */
#include <curl/curl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "fetch/transfer.h"
#include "fetch/tunnel.h"

enum { WRONG_USE = 2, OUR_FAULT = 125 };

static void leave_no_trace(void)
{
    const struct rlimit none = {0, 0};

    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)signal(SIGPIPE, SIG_IGN);
}

/* False at the end of the input. */
static bool receive(void *p, size_t n)
{
    return fd_read_exactly(STDIN_FILENO, p, n) == (ssize_t)n;
}

/* Into memory of its exact size, which is not moved: no copy of a key stays behind. */
static char *read_record(size_t *ret_n)
{
    unsigned char length[4];
    uint32_t n = 0;

    if (!receive(length, sizeof length))
        return NULL;
    for (unsigned i = 0; i < sizeof length; i++)
        n |= (uint32_t)length[i] << (8 * i);
    if (n > FETCH_REQUEST_MAX)
        exit(OUR_FAULT);
    char *record = xmalloc((size_t)n + 1);
    *ret_n = n;
    if (receive(record, n))
        return record;
    free(record);
    return NULL;
}

static void serve(void)
{
    struct transfer *transfer = transfer_open(STDIN_FILENO, STDOUT_FILENO);
    struct fetch_order order;
    char *record;
    size_t n;

    while ((record = read_record(&n))) {
        if (!fetch_order_get((struct str){record, n}, &order))
            exit(OUR_FAULT);
        transfer_run(transfer, &order);
        explicit_bzero(record, n);
        free(record);
    }
    transfer_close(transfer);
}

static int run_tunnel(char **words)
{
    const struct tunnel_place place = {words[0], words[1], words[2], words[3], words[4]};

    return tunnel_run(&place, STDIN_FILENO) < 0 ? OUR_FAULT : 0;
}

int main(int argc, char **argv)
{
    int type;
    socklen_t n = sizeof type;

    leave_no_trace();
    bool tunnel = argc == 7 && strcmp(argv[1], "--tunnel") == 0;
    if ((argc != 1 && !tunnel) || getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &n) < 0) {
        fputs("glovebox-fetch is a part of glovebox and is started by it\n", stderr);
        return WRONG_USE;
    }
    if (curl_global_init(CURL_GLOBAL_DEFAULT))
        return OUR_FAULT;
    if (tunnel)
        _exit(run_tunnel(argv + 2));
    serve();
    /* Not curl_global_cleanup: it may wait for a name server. */
    _exit(0);
}
