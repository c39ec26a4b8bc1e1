/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as an address: its host lies in it, what is shown has neither a query nor a control
 * character, and showing one with a scheme again changes nothing. A text that is encoded for a path
 * is read back as the same bytes.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "net/http.h"
#include "net/http_client.h"
#include "net/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check_host(struct str url)
{
    struct str host = url_host(url);

    assert(host.n <= url.n && (!host.n || (host.p >= url.p && host.p + host.n <= url.p + url.n)));
    assert(!host.n || !memchr(host.p, '/', host.n));
    if (url_is_loopback(url))
        assert(host.n && !memchr(url.p, '\\', url.n));
}

static void check_shown(struct str url)
{
    AUTO_BUF struct buf once = {0}, twice = {0};

    buf_init(&once, 4096);
    buf_init(&twice, 4096);
    url_add_shown(&once, url);
    assert(!once.overflow);
    for (size_t i = 0; i < once.n; i++)
        assert((unsigned char)once.p[i] >= ' ' && once.p[i] != 0x7F);
    url_add_shown(&twice, buf_str(&once));
    if (str_starts(buf_str(&once), "http://") && once.n < 100)
        assert(str_eq(buf_str(&once), buf_str(&twice)));
    if (!memchr(url.p, '?', url.n) && !memchr(url.p, '#', url.n))
        return;
    assert(!once.n || !memchr(once.p, '?', once.n));
}

static void there_and_back(struct str text)
{
    AUTO_BUF struct buf encoded = {0}, decoded = {0}, again = {0};

    buf_init(&encoded, 3 * text.n + 1);
    buf_init(&decoded, text.n + 1);
    buf_init(&again, 3 * text.n + 1);
    http_encode_path(&encoded, text);
    assert(!encoded.overflow);
    if (http_decode(buf_str(&encoded), false, &decoded) < 0)
        return;
    assert(str_eq(buf_str(&decoded), text));
    http_encode_path(&again, buf_str(&decoded));
    assert(str_eq(buf_str(&again), buf_str(&encoded)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str text = {n ? (const char *)data : "", n};

    check_host(text);
    check_shown(text);
    there_and_back(text);
    return 0;
}
