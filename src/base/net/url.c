/* SPDX-License-Identifier: Apache-2.0 */
#include "net/url.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/ascii.h"
#include "formats/printable.h"

enum { SHOWN_MAX = 160 };

static bool is_scheme_char(char c)
{
    return ascii_is_alnum(c) || c == '+' || c == '-' || c == '.';
}

/* The length of "scheme://", or 0. It counts only at the beginning, because a query may contain a
 * URL as well. */
static size_t scheme_end(struct str url)
{
    size_t n = 0;

    while (n < url.n && is_scheme_char(url.p[n]))
        n++;
    return str_starts(str_slice(url, n, url.n), "://") ? n + 3 : 0;
}

/* Where the part after "scheme://" begins and ends. */
static struct str authority(struct str url, size_t *ret_begin)
{
    size_t begin = scheme_end(url), end = begin;

    while (end < url.n && (!url.p[end] || !strchr("/?#\\", url.p[end])))
        end++;
    *ret_begin = begin;
    return str_slice(url, begin, end);
}

static struct str without_user(struct str part)
{
    for (size_t i = part.n; i; i--)
        if (part.p[i - 1] == '@')
            return str_slice(part, i, part.n);
    return part;
}

struct str url_host(struct str url)
{
    size_t begin;
    struct str host = without_user(authority(url, &begin));

    if (str_starts(host, "[")) {
        long close = str_find(host, STR("]"));
        return str_slice(host, 1, close < 0 ? host.n : (size_t)close);
    }
    long colon = str_find(host, STR(":"));
    return colon < 0 ? host : str_slice(host, 0, (size_t)colon);
}

bool url_is_loopback(struct str url)
{
    struct str host = url_host(url);
    struct in_addr address;
    char text[INET_ADDRSTRLEN];

    /* Some parsers take a backslash as the end of the host, and others, such as libcurl, do not. */
    if (memchr(url.p, '\\', url.n))
        return false;
    if (str_is_nocase(host, "localhost") || str_is(host, "::1"))
        return true;
    if (host.n >= sizeof text || memchr(host.p, '\0', host.n))
        return false;
    memcpy(text, host.p, host.n);
    text[host.n] = '\0';
    return inet_pton(AF_INET, text, &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

/* Parts are cut from the URL as a terminal shows it, since hidden characters could obscure where
 * the password ends. */
void url_add_shown(struct buf *b, struct str url)
{
    AUTO_BUF struct buf clean = {0}, shown = {0};
    size_t begin;

    buf_init(&clean, 3 * url.n);
    printable_add_word(&clean, url, url.n);
    url = buf_str(&clean);
    struct str part = authority(url, &begin);
    struct str path = str_slice(url, begin + part.n, url.n);
    size_t n = 0;

    while (n < path.n && path.p[n] != '?' && path.p[n] != '#')
        n++;
    buf_init(&shown, url.n);
    (void)buf_add_str(&shown, str_slice(url, 0, begin));
    (void)buf_add_str(&shown, without_user(part));
    (void)buf_add_str(&shown, str_slice(path, 0, n));
    printable_add_word(b, buf_str(&shown), SHOWN_MAX);
}
