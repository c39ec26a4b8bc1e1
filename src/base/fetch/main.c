/* SPDX-License-Identifier: Apache-2.0
 *
 * glovebox-fetch: the small program that makes requests over HTTP for glovebox, with libcurl.
 *
 * It is a separate program because libcurl brings some twenty shared libraries, which neither a
 * static `glovebox` nor a host of libglovebox.so should carry. It reads requests as frames
 * (net/fetch_wire.h) from its standard input and writes the answers to its standard output. It
 * exits when its input closes, even in the middle of an answer.
 *
 * Requests contain keys, so this program writes no core dump, wipes each request, and prints no
 * part of it.
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

enum { WRONG_USE = 2, OUR_FAULT = 125 };

static void leave_no_trace(void)
{
    const struct rlimit none = {0, 0};

    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)signal(SIGPIPE, SIG_IGN);
}

/* False at the end of input. */
static bool main_receive(void *p, size_t n)
{
    return fd_read_exactly(STDIN_FILENO, p, n) == (ssize_t)n;
}

/* Reads a record into memory of its exact size, which is never moved: no copy of a key is left
 * behind. */
static char *read_record(size_t *ret_n)
{
    unsigned char length[4];
    uint32_t n = 0;

    if (!main_receive(length, sizeof length))
        return NULL;
    for (unsigned i = 0; i < sizeof length; i++)
        n |= (uint32_t)length[i] << (8 * i);
    if (n > FETCH_REQUEST_MAX)
        exit(OUR_FAULT);
    char *record = xmalloc((size_t)n + 1);
    *ret_n = n;
    if (main_receive(record, n))
        return record;
    free(record);
    return NULL;
}

static void main_serve(void)
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

int main(int argc, char **argv)
{
    int type;
    socklen_t n = sizeof type;

    (void)argv;
    leave_no_trace();
    if (argc != 1 || getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &n) < 0) {
        fputs("glovebox-fetch is a part of glovebox and is started by it\n", stderr);
        return WRONG_USE;
    }
    if (curl_global_init(CURL_GLOBAL_DEFAULT))
        return OUR_FAULT;
    main_serve();
    /* Not curl_global_cleanup: it may wait for a name server. */
    _exit(0);
}
