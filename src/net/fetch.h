/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests over HTTP and HTTPS to services of others. The program glovebox-fetch makes them: it is
 * linked with libcurl, which neither `glovebox` nor the library is. It receives everything,
 * keys included, over a socket; its environment has only the variables for proxies and
 * certificates.
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
    int64_t connect_ms, idle_ms, whole_ms; /* 0: no limit; idle: without a byte either way */
    uint64_t max_bytes;                    /* of an answer's body; 0: no limit */
};

enum fetch_kind {
    FETCH_HEAD, /* status, header_lines */
    FETCH_BODY, /* bytes */
    FETCH_END,
    FETCH_FAILED, /* failure, words */
};

struct fetch_event {
    enum fetch_kind kind;
    unsigned status;
    struct str header_lines; /* with line ends: fetch_header reads them */
    struct str bytes;        /* of the body; or the words of a failure, as libcurl has them */
    enum fetch_failure failure;
};

/* Starts the program. -1 with ERR_UNSUPPORTED when it is missing. */
int fetch_open(struct fetch **ret, struct err *err);
/* Ends it, also in the middle of an answer. NULL is fine. */
void fetch_close(struct fetch *fetch);

/* Begins a request; the previous one must have ended. After a failure of this or of fetch_next,
 * only fetch_close may follow. -1 with ERR_USAGE for a line end in a header, ERR_LIMIT for a body
 * that is too large, ERR_UNSUPPORTED when the program could not start (libcurl is missing). */
int fetch_send(struct fetch *fetch, const struct fetch_request *request, struct err *err);
/* Waits for the next event; its texts live until the next call. -1 with ERR_TIMEOUT at the deadline
 * (of clock_mono_ms; 0: none) and when cancel_fd (-1: none) becomes readable: *ret_cancelled. After
 * the latter it may be called again. */
int fetch_next(struct fetch *fetch, int64_t deadline_ms, int cancel_fd, struct fetch_event *ret,
               bool *ret_cancelled, struct err *err);
/* For callers with a loop of their own: what to poll for reading, and the next event that has come
 * already: 1, or 0 when none has; -1 as fetch_next. Take events until it is 0. */
int fetch_poll_fd(const struct fetch *fetch);
int fetch_take(struct fetch *fetch, struct fetch_event *ret, struct err *err);

/* The value of the last header with this name (any case), trimmed; empty for none. */
struct str fetch_header(struct str header_lines, const char *name);

#endif
