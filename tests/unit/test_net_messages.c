/* SPDX-License-Identifier: Apache-2.0
 *
 * What glovebox-net reads of a guest: questions of DNS, and the beginning of TLS. And its book.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "network/dns.h"
#include "network/hello.h"
#include "network/names.h"
#include "network/proxy_head.h"
#include "network/rows.h"
#include "tap.h"

/* ---- DNS ---- */

#define HEAD "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"
#define NAME                                                                                       \
    "\x03"                                                                                         \
    "API\x07"                                                                                      \
    "example\x03"                                                                                  \
    "com\x00"
#define A_IN "\x00\x01\x00\x01"

static const char question[] = HEAD NAME A_IN;
#define QUESTION ((struct str){question, sizeof question - 1})

static void test_question(void)
{
    struct dns_question q;

    OK(dns_question_read(QUESTION, &q), "a question");
    EQ_INT(q.code, DNS_FINE);
    EQ_STR(q.name, "api.example.com");
    OK(q.wants_v4, "for an address");
    static const char other[] = HEAD NAME "\x00\x1c\x00\x01";
    OK(dns_question_read((struct str){other, sizeof other - 1}, &q) && !q.wants_v4, "AAAA");
    static const char strange[] = HEAD "\x03"
                                       "a.b\x01"
                                       " \x00" A_IN;
    OK(dns_question_read((struct str){strange, sizeof strange - 1}, &q), "strange labels");
    EQ_STR(q.name, "a?b.?");
    OK(!net_name_ok(str_from(q.name)), "which is no host's name");
    static const char pointer[] = HEAD "\xc0\x0c" A_IN;
    OK(dns_question_read((struct str){pointer, sizeof pointer - 1}, &q), "a name that points");
    EQ_INT(q.code, DNS_MALFORMED);
    static const char reply[] = "\x12\x34\x81\x00\x00\x01\x00\x00\x00\x00\x00\x00" NAME A_IN;
    OK(!dns_question_read((struct str){reply, sizeof reply - 1}, &q), "no answer to an answer");
}

static void test_cuts(void)
{
    struct dns_question q;
    size_t fine = 0;
    char out[DNS_ANSWER_MAX];

    for (size_t n = 0; n < sizeof question - 1; n++) {
        AUTO_FREE char *part = xmalloc(n + 1);
        memcpy(part, question, n);
        if (!dns_question_read((struct str){part, n}, &q))
            continue;
        fine += q.code == DNS_FINE;
        OK(dns_answer((struct str){part, n}, &q, q.code, NULL, out) == 12, "a head at %zu", n);
    }
    EQ_INT(fine, 0);
}

static void test_answer(void)
{
    struct dns_question q;
    struct net_address a;
    char out[DNS_ANSWER_MAX];

    net_address_make_fake(7, &a);
    (void)dns_question_read(QUESTION, &q);
    size_t n = dns_answer(QUESTION, &q, DNS_FINE, &a, out);
    EQ_INT(n, sizeof question - 1 + 16);
    OK(memcmp(out, "\x12\x34\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00", 12) == 0, "its head");
    OK(memcmp(out + 12, question + 12, sizeof question - 13) == 0, "the question");
    OK(memcmp(out + n - 4, "\xc6\x12\x00\x07", 4) == 0, "198.18.0.7");
    n = dns_answer(QUESTION, &q, DNS_NO_NAME, NULL, out);
    OK(n == sizeof question - 1 && (out[3] & 15) == DNS_NO_NAME && out[7] == 0, "no such name");
}

/* ---- TLS ---- */

static void put_number(struct buf *b, size_t n, size_t size)
{
    while (size--)
        (void)buf_addc(b, (char)(n >> (8 * size)));
}

/* Extensions of a hello, which `name` (or NULL) and `other`, an extension's number, make up. */
static void put_extensions(struct buf *b, const char *name, unsigned other, int names)
{
    AUTO_BUF struct buf list = {0};

    buf_init(&list, 2000);
    for (int i = 0; name && i < names; i++) {
        put_number(&list, 0, 2);
        put_number(&list, strlen(name) + 5, 2);
        put_number(&list, strlen(name) + 3, 2);
        put_number(&list, 0, 1);
        put_number(&list, strlen(name), 2);
        (void)buf_adds(&list, name);
    }
    if (other) {
        put_number(&list, other, 2);
        put_number(&list, 3, 2);
        (void)buf_adds(&list, "abc");
    }
    put_number(b, list.n, 2);
    (void)buf_add_str(b, buf_str(&list));
}

static void put_hello(struct buf *ret, const char *name, unsigned other, int names, size_t record)
{
    AUTO_BUF struct buf m = {0}, extensions = {0};
    char zeros[32] = {0};

    buf_init(&m, 4000);
    buf_init(&extensions, 2000);
    put_extensions(&extensions, name, other, names);
    put_number(&m, 1, 1);
    put_number(&m, 2 + 32 + 1 + 4 + 2 + extensions.n, 3);
    put_number(&m, 0x0303, 2);
    (void)buf_add(&m, zeros, 32);
    put_number(&m, 0, 1);
    put_number(&m, 2, 2);
    put_number(&m, 0x1301, 2);
    put_number(&m, 1, 1);
    put_number(&m, 0, 1);
    (void)buf_add_str(&m, buf_str(&extensions));
    buf_init(ret, 8000);
    for (size_t at = 0; at < m.n; at += record) {
        size_t n = m.n - at < record ? m.n - at : record;
        put_number(ret, 22, 1);
        put_number(ret, 0x0301, 2);
        put_number(ret, n, 2);
        (void)buf_add(ret, m.p + at, n);
    }
}

static enum hello_kind read_hello(const char *name, unsigned other, int names, size_t record,
                                  struct hello *ret)
{
    AUTO_BUF struct buf b = {0};

    put_hello(&b, name, other, names, record);
    return hello_read(buf_str(&b), ret);
}

static void test_hello(void)
{
    struct hello h;

    EQ_INT(read_hello("API.Example.com", 0, 1, 4000, &h), HELLO_WHOLE);
    EQ_STR(h.name, "api.example.com");
    OK(!h.hides, "in the open");
    EQ_INT(read_hello("api.example.com", 0, 1, 7, &h), HELLO_WHOLE);
    EQ_STR(h.name, "api.example.com");
    EQ_INT(read_hello(NULL, 0, 0, 4000, &h), HELLO_WHOLE);
    EQ_STR(h.name, "");
    EQ_INT(read_hello("a.b", 0xfe0d, 1, 4000, &h), HELLO_WHOLE);
    OK(h.hides, "ECH");
    EQ_INT(read_hello("a.b", 0xffce, 1, 4000, &h), HELLO_WHOLE);
    OK(h.hides, "its predecessor");
    EQ_INT(read_hello("a.b", 0, 2, 4000, &h), HELLO_BAD);
    EQ_INT(hello_read(STR("GET / HTTP/1.1\r\n"), &h), HELLO_NOT_TLS);
    EQ_INT(hello_read(STR(""), &h), HELLO_MORE);
    EQ_INT(hello_read(STR("\x15"), &h), HELLO_MORE);
    EQ_INT(hello_read(STR("\x15\x03\x01\x00\x02\x01\x64\x16\x03\x01"), &h), HELLO_BAD);
    EQ_INT(hello_read(STR("\x17\x03"), &h), HELLO_BAD);
    EQ_INT(hello_read(STR("\x15\x01 and no TLS"), &h), HELLO_NOT_TLS);
    EQ_INT(hello_read(STR("\x80\x2e\x01\x03\x01"), &h), HELLO_BAD);
    EQ_INT(hello_read(STR("\x16\x03\x01\xff\xff"), &h), HELLO_BAD);
    EQ_INT(hello_read(STR("\x16\x03\x01\x00\x04\x02\x00\x00\x00"), &h), HELLO_BAD);
}

static void test_hello_cuts(void)
{
    AUTO_BUF struct buf b = {0};
    struct hello h;
    size_t more = 0;

    put_hello(&b, "api.example.com", 0, 1, 20);
    for (size_t n = 0; n < b.n; n++) {
        AUTO_FREE char *part = xmalloc(n + 1);
        memcpy(part, b.p, n);
        more += hello_read((struct str){part, n}, &h) == HELLO_MORE;
    }
    EQ_INT(more, b.n);
}

/* ---- the proxy ---- */

static enum proxy_kind ask(const char *text, struct proxy_head *ret, struct buf *forward)
{
    buf_done(forward);
    buf_init(forward, 4 * PROXY_HEAD_MAX);
    return proxy_head_read(str_from(text), ret, forward);
}

static void test_proxy(void)
{
    static const char *const bad[] = {
        "CONNECT a.b HTTP/1.1\r\n\r\n",
        "CONNECT a.b:0 HTTP/1.1\r\n\r\n",
        "CONNECT a.b:99999 HTTP/1.1\r\n\r\n",
        "CONNECT a.b:+443 HTTP/1.1\r\n\r\n",
        "CONNECT a@b.c:443 HTTP/1.1\r\n\r\n",
        "CONNECT http://a.b:443 HTTP/1.1\r\n\r\n",
        "CONNECT 127.1:443 HTTP/1.1\r\n\r\n",
        "CONNECT a.b:443 HTTP/1.1 x\r\n\r\n",
        "CONNECT a.b:443\tx HTTP/1.1\r\n\r\n",
        "CONNECT  a.b:443 HTTP/1.1\r\n\r\n",
        "CONNECT a.b:443\r\n\r\n",
        "CONNECT a.b\r:443 HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET https://a.b/ HTTP/1.1\r\n\r\n",
        "GET http://x@a.b/ HTTP/1.1\r\n\r\n",
        "GET http://a.b/ HTTP/1.1\r\nX: 1\r\n y\r\n\r\n",
        "GET http://a.b/ HTTP/1.1\r\nno header\r\n\r\n",
        "GET http://a.b/ HTTP/1.1\r\nX: 1\nY: 2\r\n\r\n",
        "GET http://a.b/ HTTP/1.1\r\nContent-Length : 5\r\n\r\n",
        "get http://a.b/ HTTP/1.1\r\n\r\n",
    };
    AUTO_BUF struct buf forward = {0};
    struct proxy_head h;

    EQ_INT(ask("CONNECT API.Example.com:443 HTTP/1.1\r\nHost: x\r\n\r\nrest", &h, &forward),
           PROXY_CONNECT);
    EQ_STR(h.host, "api.example.com");
    OK(h.port == 443 && !h.is_address && h.end == 49, "its port, and where it ends");
    EQ_INT(ask("CONNECT [2001:db8::1]:443 HTTP/1.1\r\n\r\n", &h, &forward), PROXY_CONNECT);
    OK(h.is_address && h.port == 443, "an address of IPv6");
    EQ_INT(ask("GET http://a.b/c?d HTTP/1.1\r\nHost: a.b\r\nProxy-Connection: x\r\n"
               "Connection: keep-alive\r\nAccept: */*\r\n\r\n",
               &h, &forward),
           PROXY_PLAIN);
    EQ_STR(forward.p, "GET /c?d HTTP/1.1\r\nHost: a.b\r\nAccept: */*\r\nConnection: close\r\n\r\n");
    OK(h.port == 80 && strcmp(h.host, "a.b") == 0, "the usual port");
    EQ_INT(ask("GET http://10.1.2.3:81 HTTP/1.0\r\n\r\n", &h, &forward), PROXY_PLAIN);
    OK(h.is_address && h.port == 81 && str_starts(buf_str(&forward), "GET / HTTP/1.1"),
       "an address");
    EQ_INT(ask("CONNECT a.b:443 HTTP/1.1\r\nHost: x\r\n", &h, &forward), PROXY_MORE);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        OK(ask(bad[i], &h, &forward) == PROXY_BAD, "request %zu is refused", i);
    AUTO_FREE char *longer = xmalloc(PROXY_HEAD_MAX + 1);
    memset(longer, 'A', PROXY_HEAD_MAX);
    longer[PROXY_HEAD_MAX] = '\0';
    EQ_INT(ask(longer, &h, &forward), PROXY_BAD);
}

/* ---- names and the book ---- */

static void test_name_table(void)
{
    struct names names = {0};
    struct net_address a, b;
    char name[32];
    size_t given = 0;

    OK(names_give(&names, STR("a.b"), &a) && names_give(&names, STR("c.d"), &b), "two names");
    OK(!net_address_eq(&a, &b), "have two addresses");
    EQ_STR(names_find(&names, &a), "a.b");
    OK(names_give(&names, STR("a.b"), &b) && net_address_eq(&a, &b), "a name keeps its address");
    for (int i = 0; i < NAMES_MAX; i++) {
        snprintf(name, sizeof name, "n%d.example", i);
        given += names_give(&names, str_from(name), &b);
    }
    EQ_INT(given, NAMES_MAX - 2);
    OK(net_address_read(STR("198.18.0.1"), &a) && !names_find(&names, &a),
       "an address without one");
    names_done(&names);
}

static struct net_row row(const char *host, bool allowed)
{
    struct net_row r = {.port = 443, .allowed = allowed};

    snprintf(r.host, sizeof r.host, "%s", host);
    return r;
}

static size_t take(struct net_book *book, struct net_row **ret)
{
    AUTO_BUF struct buf b = {0};
    struct net_rows rows = {0};
    struct err err;

    buf_init(&b, NET_REPORT_MAX);
    net_book_take(book, &b);
    OK(!b.overflow && net_rows_read(buf_str(&b), &rows, &err) == 0, "the report can be read");
    *ret = rows.list;
    return rows.n;
}

static void test_book(void)
{
    struct net_book book;
    struct net_row a = row("a.b", true), refused = row("c.d", false), *rows;
    char name[32];

    net_book_init(&book);
    size_t open = net_book_note(&book, &a);
    net_book_leave(&book, net_book_note(&book, &a));
    net_book_leave(&book, net_book_note(&book, &refused));
    book.rows[open].bytes_in += 7;
    EQ_INT(take(&book, &rows), 2);
    OK(strcmp(rows[0].host, "a.b") == 0 && rows[0].count == 2 && rows[0].bytes_in == 7, "added up");
    OK(!rows[1].allowed && rows[1].count == 1, "a refusal");
    free(rows);
    book.rows[open].bytes_out += 3;
    EQ_INT(take(&book, &rows), 1);
    OK(rows[0].count == 0 && rows[0].bytes_out == 3, "the open one goes on in its row");
    free(rows);
    for (int i = 0; i < 3 * NET_ROWS_MAX; i++) {
        snprintf(name, sizeof name, "n%d.example", i);
        struct net_row r = row(name, i % 2);
        net_book_leave(&book, net_book_note(&book, &r));
    }
    EQ_INT(take(&book, &rows), NET_ROWS_MAX);
    EQ_STR(rows[NET_ROWS_MAX - 1].host, "(others)");
    OK(rows[NET_ROWS_MAX - 1].count == 2 * NET_ROWS_MAX + 1 && !rows[NET_ROWS_MAX - 1].allowed,
       "the rest in one row");
    free(rows);
    net_book_leave(&book, open);
    EQ_INT(take(&book, &rows), 0);
    free(rows);
    net_book_done(&book);
}

int main(void)
{
    RUN(test_question());
    RUN(test_cuts());
    RUN(test_answer());
    RUN(test_hello());
    RUN(test_hello_cuts());
    RUN(test_proxy());
    RUN(test_name_table());
    RUN(test_book());
    return tap_done();
}
