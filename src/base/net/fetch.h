/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests over HTTP and HTTPS to other people's services. The program glovebox-fetch makes them:
 * it is linked with libcurl; `glovebox` and the library are not. It receives everything, keys
 * included, over a socket; its environment has only the variables for proxies and certificates.
 *
 *     fetch_open(&fetch, &err);
 *     fetch_send(fetch, &request, &err);
 *     do {
 *         if (fetch_next(fetch, deadline_ms, cancel_fd, &event, &cancelled, &err) < 0) ...
 *     } while (event.kind != FETCH_END && event.kind != FETCH_FAILED);
 *     fetch_close(fetch);
 *
 * Certificates are always verified. Redirects are not followed: a caller sees the 3xx.
 */
#ifndef NET_FETCH_H
#define NET_FETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "net/fetch_wire.h"

struct fetch;

struct fetch_request {
    const char *method;
    const char *url;
    const char *socket;         /* path of a Unix socket to connect to; NULL for none */
    const char *const *headers; /* "Name: value", without line ends; NULL-terminated, or NULL */
    struct str body;
    int64_t connect_ms, idle_ms, whole_ms; /* 0: no limit; idle: with no byte either way */
    uint64_t max_bytes;                    /* of an answer's body; 0: no limit */
};

enum fetch_kind {
    FETCH_HEAD, /* status, header_lines */
    FETCH_BODY, /* bytes */
    FETCH_END,
    FETCH_FAILED, /* failure, bytes */
};

struct fetch_event {
    enum fetch_kind kind;
    unsigned status;
    struct str header_lines; /* with line ends: fetch_header reads them */
    struct str bytes;        /* of the body; or libcurl's message for a failure */
    enum fetch_failure failure;
};

/* Starts the program. -1 with ERR_UNSUPPORTED when it is missing. */
int fetch_open(struct fetch **ret, struct err *err);
/* Kills the program, even in the middle of an answer. NULL is fine. */
void fetch_close(struct fetch *fetch);

/* Begins a request; the previous one must have ended. After a failure of fetch_send or fetch_next
 * only fetch_close may be called. -1 with ERR_USAGE for a line end in a header, ERR_LIMIT for a
 * body that is too large, ERR_UNSUPPORTED if the program could not start (libcurl is missing). */
int fetch_send(struct fetch *fetch, const struct fetch_request *request, struct err *err);
/* Waits for the next event; its strings are valid until the next call. -1 with ERR_TIMEOUT at the
 * deadline (by clock_mono_ms; 0: none), or with *ret_cancelled when cancel_fd (-1: none) becomes
 * readable: after that, fetch_next may be called again. */
int fetch_next(struct fetch *fetch, int64_t deadline_ms, int cancel_fd, struct fetch_event *ret,
               bool *ret_cancelled, struct err *err);
/* For callers with their own loop: the descriptor to poll for reading, and fetch_take, which
 * returns an event that has already arrived: 1, or 0 if there is none; -1 as fetch_next. Call it
 * until it returns 0. */
int fetch_poll_fd(const struct fetch *fetch);
int fetch_take(struct fetch *fetch, struct fetch_event *ret, struct err *err);

/* The value of the last header with this name (in any case), trimmed; empty if there is none. */
struct str fetch_header(struct str header_lines, const char *name);

#endif
