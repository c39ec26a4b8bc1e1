/* SPDX-License-Identifier: Apache-2.0 */
#include "network/proxy_head.h"

#include <string.h>

#include "base/ascii.h"
#include "base/num.h"

#define HEAD_END "\r\n\r\n"

static bool read_port(struct str text, uint16_t *ret)
{
    int64_t port = 0;

    for (size_t i = 0; i < text.n; i++)
        if (!ascii_is_digit(text.p[i]))
            return false;
    if (text.n == 0 || !num_int64(text, &port) || port < 1 || port > 65535)
        return false;
    *ret = (uint16_t)port;
    return true;
}

/* "host:port", "[v6]:port", or without a port where there is a usual one. */
static bool read_authority(struct str text, uint16_t usual, struct proxy_head *ret)
{
    const char *close = text.n && text.p[0] == '[' ? memchr(text.p, ']', text.n) : NULL;
    const char *colon = memchr(text.p, ':', text.n);
    size_t end = close ? (size_t)(close - text.p) + 1 : colon ? (size_t)(colon - text.p) : text.n;
    struct str host = close ? str_slice(text, 1, end - 1) : str_slice(text, 0, end);

    ret->port = usual;
    if (end < text.n &&
        (text.p[end] != ':' || !read_port(str_slice(text, end + 1, text.n), &ret->port)))
        return false;
    if (!ret->port || host.n > NET_NAME_MAX)
        return false;
    for (size_t i = 0; i < host.n; i++)
        ret->host[i] = ascii_lower(host.p[i]);
    ret->host[host.n] = '\0';
    if (close || net_address_read(host, &ret->address))
        ret->is_address = net_address_read(host, &ret->address);
    return ret->is_address || (!close && net_name_ok(str_from(ret->host)));
}

/* Control characters in a line could end it for the server, and not for us. */
static bool is_clean(struct str line)
{
    for (size_t i = 0; i < line.n; i++)
        if ((unsigned char)line.p[i] < ' ' && line.p[i] != '\t')
            return false;
    return true;
}

static bool is_for_proxy(struct str line)
{
    static const char *const names[] = {"proxy-connection", "proxy-authorization", "connection",
                                        "keep-alive", NULL};
    const char *colon = memchr(line.p, ':', line.n);

    return colon && str_one_of_nocase(str_slice(line, 0, (size_t)(colon - line.p)), names);
}

/* A header without a name, or a line that continues the previous one, is read differently by
 * different servers. */
static bool is_header(struct str line)
{
    const char *colon = memchr(line.p, ':', line.n);
    size_t n = colon ? (size_t)(colon - line.p) : 0;

    for (size_t i = 0; i < n; i++)
        if (!ascii_is_word(line.p[i]) && !strchr("-!#$%&'*+.^`|~", line.p[i]))
            return false;
    return n > 0 && is_clean(line);
}

static bool forward_headers(struct str rest, struct buf *out)
{
    while (rest.n) {
        long end = str_find(rest, STR("\r\n"));
        struct str line = str_slice(rest, 0, end < 0 ? rest.n : (size_t)end);
        rest = str_slice(rest, end < 0 ? rest.n : (size_t)end + 2, rest.n);
        if (!is_header(line))
            return false;
        if (is_for_proxy(line))
            continue;
        (void)buf_add_str(out, line);
        (void)buf_adds(out, "\r\n");
    }
    (void)buf_adds(out, "Connection: close" HEAD_END);
    return !out->overflow;
}

static enum proxy_kind read_plain(struct str method, struct str target, struct str headers,
                                  struct proxy_head *ret, struct buf *forward)
{
    static const char scheme[] = "http://";

    if (!str_starts(target, scheme))
        return PROXY_BAD;
    struct str rest = str_slice(target, strlen(scheme), target.n);
    const char *slash = memchr(rest.p, '/', rest.n);
    size_t n = slash ? (size_t)(slash - rest.p) : rest.n;
    struct str path = slash ? str_slice(rest, n, rest.n) : STR("/");
    if (!read_authority(str_slice(rest, 0, n), 80, ret))
        return PROXY_BAD;
    (void)buf_add_str(forward, method);
    (void)buf_addc(forward, ' ');
    (void)buf_add_str(forward, path);
    (void)buf_adds(forward, " HTTP/1.1\r\n");
    return forward_headers(headers, forward) ? PROXY_PLAIN : PROXY_BAD;
}

/* A token (RFC 9110): upper case letters are enough for methods. */
static bool is_method(struct str method)
{
    for (size_t i = 0; i < method.n; i++)
        if (method.p[i] < 'A' || method.p[i] > 'Z')
            return false;
    return method.n > 0 && method.n < 20;
}

enum proxy_kind proxy_head_read(struct str bytes, struct proxy_head *ret, struct buf *forward)
{
    struct str line, headers, method, target;
    long end = str_find(bytes, STR(HEAD_END)), first = str_find(bytes, STR("\r\n"));

    *ret = (struct proxy_head){0};
    if (end < 0)
        return bytes.n < PROXY_HEAD_MAX ? PROXY_MORE : PROXY_BAD;
    if (end > PROXY_HEAD_MAX)
        return PROXY_BAD;
    ret->end = (size_t)end + strlen(HEAD_END);
    line = str_slice(bytes, 0, (size_t)first);
    headers = first < end ? str_slice(bytes, (size_t)first + 2, (size_t)end) : STR("");
    if (!is_clean(line) || !str_next(&line, ' ', &method) || !str_next(&line, ' ', &target) ||
        !is_method(method) || (!str_is(line, "HTTP/1.1") && !str_is(line, "HTTP/1.0")))
        return PROXY_BAD;
    if (!str_is(method, "CONNECT"))
        return read_plain(method, target, headers, ret, forward);
    return read_authority(target, 0, ret) ? PROXY_CONNECT : PROXY_BAD;
}
