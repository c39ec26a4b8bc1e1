/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as an HTTP request: its head, and what follows as a chunked body, whole and in pieces
 * of every size, which must give the same. The server's files are compiled in: the library has
 * none.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "net/http_chunks.c"
#include "net/http_head.c"
#include "net/http_text.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check_inside(struct str in, struct str view)
{
    assert(!view.n || (view.p >= in.p && view.p + view.n <= in.p + in.n) || str_is(view, "/"));
}

static void check_head(struct str in, const struct http_head *head)
{
    struct str rest = head->query, name, value;
    AUTO_BUF struct buf b = {0};

    buf_init(&b, HTTP_TARGET_MAX);
    check_inside(in, head->path);
    check_inside(in, head->query);
    check_inside(in, head->host);
    assert(head->path.n && !(head->chunked && head->has_length));
    for (size_t i = 0; i < head->header_count; i++) {
        check_inside(in, head->headers[i].name);
        check_inside(in, head->headers[i].value);
        (void)http_list_has(head->headers[i].value, "close");
    }
    (void)http_decode(head->path, false, &b);
    while (http_query_next(&rest, &name, &value))
        (void)http_decode(value, true, &b);
}

/* -1 when it is malformed, 1 when it is whole. */
static int read_body(struct str in, size_t piece, struct buf *ret)
{
    struct http_chunks c = {.state = CHUNK_SIZE};
    struct str content;
    size_t at = 0;

    while (at < in.n && c.state != CHUNK_DONE) {
        size_t end = at + piece < in.n ? at + piece : in.n;
        long took = http_chunks_read(&c, str_slice(in, at, end), &content);
        if (took < 0)
            return -1;
        assert(took > 0 && (size_t)took <= end - at);
        (void)buf_add_str(ret, content);
        at += (size_t)took;
    }
    return c.state == CHUNK_DONE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str in = {(const char *)data, n};
    struct http_refusal why;
    static struct http_head head;
    AUTO_BUF struct buf whole = {0}, pieces = {0};

    if (n > 64 << 10)
        return 0;
    long took = http_head_read(in, &head, &why);
    assert(took <= (long)n && took <= HTTP_HEAD_MAX);
    if (took < 0)
        assert(why.status >= 400 && why.why && strcmp(http_reason(why.status), "Unknown") != 0);
    if (took > 0)
        check_head(in, &head);
    struct str rest = took > 0 ? str_slice(in, (size_t)took, n) : in;
    buf_init(&whole, n);
    buf_init(&pieces, n);
    int once = read_body(rest, n + 1, &whole);
    int again = read_body(rest, 1 + n % 7, &pieces);
    assert(once == again && (once < 0 || str_eq(buf_str(&whole), buf_str(&pieces))));
    return 0;
}
