/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch/transfer.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "net/url.h"

struct transfer {
    int in, out;
    CURLM *multi;
    /* of the current request */
    CURL *easy;
    const struct fetch_order *order;
    struct curl_slist *headers;
    struct buf head; /* header lines of the answer, or of a 1xx answer before it */
    bool head_whole, head_sent;
    uint64_t bytes; /* of the body, decompressed */
    int64_t begin_ms, moved_ms;
    curl_off_t sent, received;
    enum fetch_failure reason; /* why one of our callbacks stopped libcurl; 0: none did */
    char words[CURL_ERROR_SIZE];
};

/* ---- frames out ---- */

static void put_frame(const struct transfer *t, const struct buf *record)
{
    unsigned char length[4];

    fetch_frame_length((uint32_t)record->n, length);
    if (fd_write_all(t->out, length, sizeof length) < 0 ||
        fd_write_all(t->out, record->p, record->n) < 0)
        _exit(0);
}

static void put_head(struct transfer *t)
{
    AUTO_BUF struct buf record = {0};
    long status = 0;

    if (t->head_sent)
        return;
    t->head_sent = true;
    curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    buf_init(&record, FETCH_ANSWER_MAX);
    wire_put_u32(&record, FETCH_FRAME_HEAD);
    wire_put_u32(&record, (uint32_t)status);
    wire_put_str(&record, buf_str(&t->head));
    put_frame(t, &record);
}

static void put_body(const struct transfer *t, struct str bytes)
{
    while (bytes.n) {
        AUTO_BUF struct buf record = {0};
        size_t n = bytes.n < FETCH_PIECE_MAX ? bytes.n : FETCH_PIECE_MAX;
        buf_init(&record, FETCH_ANSWER_MAX);
        wire_put_u32(&record, FETCH_FRAME_BODY);
        wire_put_str(&record, str_slice(bytes, 0, n));
        put_frame(t, &record);
        bytes = str_slice(bytes, n, bytes.n);
    }
}

static void put_end(const struct transfer *t)
{
    AUTO_BUF struct buf record = {0};

    buf_init(&record, FETCH_ANSWER_MAX);
    wire_put_u32(&record, FETCH_FRAME_END);
    put_frame(t, &record);
}

static void put_failure(const struct transfer *t, enum fetch_failure failure, const char *words)
{
    AUTO_BUF struct buf record = {0};

    buf_init(&record, FETCH_ANSWER_MAX);
    wire_put_u32(&record, FETCH_FRAME_FAILED);
    wire_put_u32(&record, failure);
    wire_put_cstr(&record, words);
    put_frame(t, &record);
}

/* ---- what libcurl calls ---- */

/* Receives one line of a head. A new status line means that the head before it was of a 100 or 103.
 * NOLINTNEXTLINE(readability-non-const-parameter): libcurl's type */
static size_t on_header(char *p, size_t size, size_t n, void *ctx)
{
    struct transfer *t = ctx;
    struct str line = {p, size * n};

    t->moved_ms = clock_mono_ms();
    t->head_whole = str_trim(line).n == 0;
    if (str_starts(line, "HTTP/")) {
        buf_clear(&t->head);
        return line.n;
    }
    if (buf_add_str(&t->head, line) == 0)
        return line.n;
    t->reason = FETCH_TOO_LARGE;
    return 0;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's type */
static size_t on_body(char *p, size_t size, size_t n, void *ctx)
{
    struct transfer *t = ctx;
    struct str bytes = {p, size * n};

    t->moved_ms = clock_mono_ms();
    t->bytes += bytes.n;
    if (t->order->max_bytes && t->bytes > t->order->max_bytes) {
        t->reason = FETCH_TOO_LARGE;
        return 0;
    }
    put_head(t);
    put_body(t, bytes);
    t->moved_ms = clock_mono_ms(); /* writing may have waited long for the caller */
    return bytes.n;
}

static int on_progress(void *ctx, curl_off_t down_all, curl_off_t down, curl_off_t up_all,
                       curl_off_t up)
{
    struct transfer *t = ctx;

    (void)down_all;
    (void)up_all;
    if (down != t->received || up != t->sent)
        t->moved_ms = clock_mono_ms();
    t->received = down;
    t->sent = up;
    return 0;
}

/* ---- one request ---- */

static void set_limits(struct transfer *t)
{
    CURL *e = t->easy;
    const struct fetch_order *o = t->order;

    /* libcurl takes 0 as five minutes, so use a day */
    curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, o->connect_ms ? (long)o->connect_ms : 86400000L);
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    /* An HTTP/0.9 answer has no status: any server that sends bytes first would count as one. */
    curl_easy_setopt(e, CURLOPT_HTTP09_ALLOWED, 0L);
}

/* libcurl, unlike the program curl, does not read these variables. */
static void set_trust(CURL *e)
{
    const char *file = getenv("CURL_CA_BUNDLE");
    const char *folder = getenv("SSL_CERT_DIR");

    if (!file || !*file)
        file = getenv("SSL_CERT_FILE");
    curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 2L);
    if (file && *file)
        curl_easy_setopt(e, CURLOPT_CAINFO, file);
    if (folder && *folder)
        curl_easy_setopt(e, CURLOPT_CAPATH, folder);
}

/* Plain HTTP to this machine must not go through a proxy: the key would leave the machine
 * unencrypted. */
static bool is_local(struct str url)
{
    return str_is_nocase(str_slice(url, 0, 7), "http://") && url_is_loopback(url);
}

static void add_header(struct transfer *t, const char *line)
{
    t->headers = mem_must(curl_slist_append(t->headers, line));
}

static void set_headers(struct transfer *t)
{
    struct wire w = {.rest = t->order->header_lines};

    for (uint32_t i = 0; i < t->order->header_n && !w.bad; i++) {
        char *line = wire_cstr(&w);
        add_header(t, line);
        explicit_bzero(line, strlen(line));
        free(line);
    }
    /* Without Expect, libcurl does not wait up to a second before it sends the body. */
    add_header(t, "Expect:");
    curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers);
    curl_easy_setopt(t->easy, CURLOPT_USERAGENT, "glovebox/" GLOVEBOX_VERSION);
    curl_easy_setopt(t->easy, CURLOPT_ACCEPT_ENCODING, "");
}

static void set_method(struct transfer *t)
{
    const struct fetch_order *o = t->order;

    if (o->body.n || str_is(o->method, "POST")) {
        curl_easy_setopt(t->easy, CURLOPT_POST, 1L);
        curl_easy_setopt(t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)o->body.n);
        curl_easy_setopt(t->easy, CURLOPT_POSTFIELDS, o->body.p);
    }
    AUTO_FREE char *method = xstrndup(o->method.p, o->method.n);
    if (str_is(o->method, "HEAD"))
        curl_easy_setopt(t->easy, CURLOPT_NOBODY, 1L);
    else if (!str_is(o->method, "GET") && !str_is(o->method, "POST"))
        curl_easy_setopt(t->easy, CURLOPT_CUSTOMREQUEST, method);
}

static void transfer_set_place(struct transfer *t)
{
    AUTO_FREE char *url = xstrndup(t->order->url.p, t->order->url.n);
    AUTO_FREE char *socket = xstrndup(t->order->socket.p, t->order->socket.n);

    curl_easy_setopt(t->easy, CURLOPT_URL, url);
    if (*socket)
        curl_easy_setopt(t->easy, CURLOPT_UNIX_SOCKET_PATH, socket);
    if (is_local(t->order->url))
        curl_easy_setopt(t->easy, CURLOPT_NOPROXY, "*");
}

static void set_functions(struct transfer *t)
{
    CURL *e = t->easy;

    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, t->words);
    curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(e, CURLOPT_HEADERDATA, t);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, t);
    curl_easy_setopt(e, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(e, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(e, CURLOPT_XFERINFODATA, t);
}

static void transfer_begin(struct transfer *t, const struct fetch_order *order)
{
    t->order = order;
    t->easy = mem_must(curl_easy_init());
    t->head_whole = t->head_sent = false;
    t->bytes = 0;
    t->sent = t->received = 0;
    t->reason = 0;
    t->words[0] = '\0';
    t->begin_ms = t->moved_ms = clock_mono_ms();
    buf_clear(&t->head);
    set_limits(t);
    set_trust(t->easy);
    transfer_set_place(t);
    set_method(t);
    set_headers(t);
    set_functions(t);
}

static bool has_passed(int64_t since_ms, uint64_t limit_ms)
{
    return limit_ms && clock_mono_ms() - since_ms >= (int64_t)limit_ms;
}

/* The limit that is exceeded, as a message; NULL if none is. */
static const char *over(const struct transfer *t)
{
    if (has_passed(t->begin_ms, t->order->whole_ms))
        return "the answer took too long";
    if (has_passed(t->moved_ms, t->order->idle_ms))
        return "the server sends nothing";
    return NULL;
}

/* Runs the transfer. True when libcurl is done, with its result; false when a limit is reached. */
static bool move(struct transfer *t, CURLcode *ret)
{
    struct curl_waitfd caller = {.fd = t->in, .events = CURL_WAIT_POLLIN};
    int running = 1, left;
    CURLMsg *done;

    for (;;) {
        if (curl_multi_perform(t->multi, &running) != CURLM_OK)
            return false;
        if (!running && (done = curl_multi_info_read(t->multi, &left))) {
            *ret = done->data.result;
            return true;
        }
        if (over(t))
            return false;
        caller.revents = 0;
        if (curl_multi_poll(t->multi, &caller, 1, 100, NULL) != CURLM_OK)
            return false;
        if (caller.revents)
            _exit(0); /* the caller is gone, or broke the protocol */
    }
}

/* All others of libcurl's hundred codes count as a broken connection. */
static const struct {
    CURLcode code;
    enum fetch_failure failure;
} failures[] = {
    {CURLE_COULDNT_RESOLVE_HOST, FETCH_NOT_CONNECTED},
    {CURLE_COULDNT_RESOLVE_PROXY, FETCH_NOT_CONNECTED},
    {CURLE_COULDNT_CONNECT, FETCH_NOT_CONNECTED},
    {CURLE_PROXY, FETCH_NOT_CONNECTED},
    {CURLE_PEER_FAILED_VERIFICATION, FETCH_NOT_TRUSTED},
    {CURLE_SSL_CONNECT_ERROR, FETCH_NOT_TRUSTED},
    {CURLE_SSL_CACERT_BADFILE, FETCH_NOT_TRUSTED},
    {CURLE_SSL_CERTPROBLEM, FETCH_NOT_TRUSTED},
    {CURLE_SSL_ISSUER_ERROR, FETCH_NOT_TRUSTED},
    {CURLE_SSL_CIPHER, FETCH_NOT_TRUSTED},
    {CURLE_OPERATION_TIMEDOUT, FETCH_TIMED_OUT},
    {CURLE_URL_MALFORMAT, FETCH_BAD_REQUEST},
};

static enum fetch_failure failure_of(CURLcode code)
{
    for (size_t i = 0; i < ARRAY_LEN(failures); i++)
        if (failures[i].code == code)
            return failures[i].failure;
    return FETCH_BROKEN;
}

static void transfer_report(struct transfer *t, bool finished, CURLcode code)
{
    const char *passed = over(t);

    if (finished && code == CURLE_OK && t->head_whole) {
        put_head(t);
        put_end(t);
    } else if (finished && code == CURLE_OK) {
        put_failure(t, FETCH_BROKEN, "the answer ended inside its headers");
    } else if (t->reason == FETCH_TOO_LARGE) {
        put_failure(t, FETCH_TOO_LARGE, "the answer is too large");
    } else if (!finished) {
        put_failure(t, passed ? FETCH_TIMED_OUT : FETCH_BROKEN, passed ? passed : "libcurl failed");
    } else {
        put_failure(t, failure_of(code), t->words[0] ? t->words : curl_easy_strerror(code));
    }
}

static void wipe_headers(struct transfer *t)
{
    for (struct curl_slist *h = t->headers; h; h = h->next)
        explicit_bzero(h->data, strlen(h->data));
    curl_slist_free_all(t->headers);
    t->headers = NULL;
}

static bool is_http(struct str url)
{
    return str_is_nocase(str_slice(url, 0, 7), "http://") ||
           str_is_nocase(str_slice(url, 0, 8), "https://");
}

void transfer_run(struct transfer *t, const struct fetch_order *order)
{
    CURLcode code = CURLE_OK;

    if (!is_http(order->url)) {
        put_failure(t, FETCH_BAD_REQUEST, "the address must begin with http:// or https://");
        return;
    }
    transfer_begin(t, order);
    curl_multi_add_handle(t->multi, t->easy);
    bool finished = move(t, &code);
    transfer_report(t, finished, code);
    curl_multi_remove_handle(t->multi, t->easy);
    curl_easy_cleanup(t->easy);
    wipe_headers(t);
}

struct transfer *transfer_open(int in, int out)
{
    struct transfer *t = xcalloc(1, sizeof *t);

    t->in = in;
    t->out = out;
    t->multi = mem_must(curl_multi_init());
    buf_init(&t->head, FETCH_HEADERS_MAX);
    return t;
}

void transfer_close(struct transfer *t)
{
    curl_multi_cleanup(t->multi);
    buf_done(&t->head);
    free(t);
}
