/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses HTTP/1.x: request heads, chunked bodies, percent-encoding. It does no I/O: it takes bytes
 * and returns views of them. It is strict where two parsers of one request could differ (RFC 9112:
 * line ends, lengths, white space before a colon), because there may be a proxy in front.
 */
#ifndef NET_HTTP_H
#define NET_HTTP_H

#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

enum http_method {
    HTTP_GET,
    HTTP_HEAD,
    HTTP_POST,
    HTTP_PUT,
    HTTP_DELETE,
    HTTP_OPTIONS,
    HTTP_OTHER, /* not a method that we know */
};
const char *http_method_name(enum http_method method);

enum {
    HTTP_HEAD_MAX = 16 << 10,
    HTTP_TARGET_MAX = 8 << 10,
    HTTP_HEADERS_MAX = 100,
};

struct http_header {
    struct str name, value;
};

struct http_head {
    enum http_method method;
    struct str method_name; /* as it was sent */
    struct str path;        /* begins with '/', or is "*"; still encoded */
    struct str query;       /* the part after the '?', still encoded */
    unsigned minor;         /* of HTTP/1.N */
    struct http_header headers[HTTP_HEADERS_MAX];
    size_t header_count;
    struct str host;
    bool keep_alive;
    bool expects_continue;
    bool chunked;
    bool has_length;
    uint64_t length;
};

/* Why a request is refused: a status, and a sentence for the client. */
struct http_refusal {
    int status;
    const char *why;
};

/* The number of bytes of the head, its empty line included; 0 while it is incomplete; -1 if it is
 * refused. The views in *ret point into `in`. */
long http_head_read(struct str in, struct http_head *ret, struct http_refusal *why);
/* The header's value; of several headers with this name the first. .p is NULL if there is none. */
struct str http_header(const struct http_head *head, const char *name);
/* True if the word is in the comma-separated list. Parameters (";q=1") are ignored. */
bool http_list_has(struct str value, const char *word);
/* The media type: "text/html" of "Text/HTML; charset=utf-8". */
struct str http_media_type(struct str value);

/* Appends s with %XX decoded; in a query, '+' becomes a space. -1 for an invalid %XX, for a NUL,
 * and at the ceiling. */
int http_decode(struct str s, bool query, struct buf *ret);
/* Cuts the first "name=value" off a query. */
bool http_query_next(struct str *rest, struct str *ret_name, struct str *ret_value);

const char *http_reason(int status);

/* ---- a chunked body ---- */

struct http_chunks {
    enum { CHUNK_SIZE, CHUNK_DATA, CHUNK_DATA_END, CHUNK_TRAILER, CHUNK_DONE } state;
    uint64_t left;
    char line[64]; /* of the chunk's size; extensions are ignored */
    size_t line_n, passed;
};

/* Reads bytes from the beginning of `in`. Returns how many it used; *ret_content is the part of
 * them that is content. Call it again while it uses some and the state is not CHUNK_DONE. -1 if the
 * body is malformed. */
long http_chunks_read(struct http_chunks *c, struct str in, struct str *ret_content);

#endif
