/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as what a guest sends to glovebox-net, and as what that reports: a question of DNS, the
 * beginning of TLS, rules, rows, a request to the proxy. The first byte chooses.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "network/dns.h"
#include "network/hello.h"
#include "network/proxy_head.h"
#include "network/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void ask(struct str bytes)
{
    struct dns_question q;
    struct net_address fake;
    char out[DNS_ANSWER_MAX];

    net_address_make_fake(1, &fake);
    if (!dns_question_read(bytes, &q))
        return;
    assert(memchr(q.name, '\0', sizeof q.name));
    assert(q.code == DNS_FINE || q.code == DNS_MALFORMED || q.code == DNS_NO_NAME ||
           q.code == DNS_NO_VERB);
    size_t length = dns_answer(bytes, &q, q.code, &fake, out);
    assert(length >= 12 && length <= DNS_ANSWER_MAX && (out[2] & 0x80) &&
           memcmp(out, bytes.p, 2) == 0);
}

/* What is a whole hello stays one, whatever follows; and no part of it is another one. */
static void greet(struct str bytes)
{
    struct hello whole, part;
    enum hello_kind kind = hello_read(bytes, &whole);

    assert(memchr(whole.name, '\0', sizeof whole.name));
    for (size_t cut = 0; cut < bytes.n && cut < 100; cut++) {
        enum hello_kind before = hello_read(str_slice(bytes, 0, cut), &part);
        assert(before != HELLO_WHOLE ||
               (kind == HELLO_WHOLE && strcmp(part.name, whole.name) == 0 &&
                part.hides == whole.hides));
        assert(before != HELLO_BAD || kind == HELLO_BAD);
    }
}

static void rule(struct str bytes)
{
    struct net_rules rules, again;
    struct buf text = {0};
    struct err err;

    if (net_rules_read(bytes, &rules, &err) < 0)
        return;
    buf_init(&text, 1 << 20);
    for (size_t i = 0; i < rules.n; i++) {
        assert(rules.list[i].is_address || rules.list[i].below || rules.list[i].name[0]);
        assert(!rules.list[i].is_address || !net_address_is_metadata(&rules.list[i].address));
        (void)buf_adds(&text, i ? "," : "");
        net_rule_write(&rules.list[i], &text);
    }
    assert(net_rules_read(buf_str(&text), &again, &err) == 0 && again.n == rules.n);
    assert(!net_rules_beyond(&again, &rules) && !net_rules_beyond(&rules, &again));
    net_rules_done(&again);
    net_rules_done(&rules);
    buf_done(&text);
}

static void report(struct str bytes)
{
    struct net_rows rows;
    struct err err;

    if (net_rows_read(bytes, &rows, &err) < 0)
        return;
    assert(rows.n <= NET_ROWS_MAX + 1);
    for (size_t i = 0; i < rows.n; i++)
        assert(memchr(rows.list[i].host, '\0', sizeof rows.list[i].host) &&
               memchr(rows.list[i].reason, '\0', sizeof rows.list[i].reason));
    net_rows_done(&rows);
}

static void proxy(struct str bytes)
{
    struct buf forward = {0};
    struct proxy_head head;

    buf_init(&forward, (size_t)4 * PROXY_HEAD_MAX);
    enum proxy_kind kind = proxy_head_read(bytes, &head, &forward);
    if (kind == PROXY_CONNECT || kind == PROXY_PLAIN)
        assert(head.end <= bytes.n && head.port &&
               (head.is_address || net_name_ok(str_from(head.host))));
    if (kind == PROXY_PLAIN) /* one head, and no other one in it */
        assert(str_find(buf_str(&forward), STR("\r\n\r\n")) == (long)forward.n - 4);
    buf_done(&forward);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static void (*const decoders[])(struct str bytes) = {ask, greet, rule, report, proxy};

    if (n)
        decoders[data[0] % 5]((struct str){(const char *)data + 1, n - 1});
    return 0;
}
