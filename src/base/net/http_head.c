/* SPDX-License-Identifier: Apache-2.0 */
#include "base/ascii.h"
#include "net/http.h"

#include <string.h>

#include "base/mem.h"

static const char *const methods[] = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "?"};

const char *http_method_name(enum http_method method)
{
    return methods[method];
}

static long http_head_refuse(struct http_refusal *why, int status, const char *text)
{
    *why = (struct http_refusal){status, text};
    return -1;
}

/* RFC 9110, 5.6.2 */
static bool is_token_char(char c)
{
    return ascii_is_alnum(c) || (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_token(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_token_char(s.p[i]))
            return false;
    return s.n > 0;
}

/* ---- the first line ---- */

static enum http_method method_of(struct str s)
{
    for (int i = 0; i < HTTP_OTHER; i++)
        if (str_is(s, methods[i]))
            return (enum http_method)i;
    return HTTP_OTHER;
}

/* A request to a proxy has "http://host/path" as its target; only the path counts (RFC 9112,
 * 3.2.2). */
static struct str drop_origin(struct str target)
{
    struct str rest = target;

    if (str_starts(rest, "http://"))
        rest = str_slice(rest, 7, rest.n);
    else if (str_starts(rest, "https://"))
        rest = str_slice(rest, 8, rest.n);
    else
        return target;
    const char *slash = memchr(rest.p, '/', rest.n);
    return slash ? str_slice(rest, (size_t)(slash - rest.p), rest.n) : STR("/");
}

static long read_target(struct str target, struct http_head *ret, struct http_refusal *why)
{
    if (target.n > HTTP_TARGET_MAX)
        return http_head_refuse(why, 414, "the address is longer than 8 KiB");
    for (size_t i = 0; i < target.n; i++)
        if ((unsigned char)target.p[i] <= ' ' || target.p[i] == 0x7F)
            return http_head_refuse(why, 400,
                                    "the address contains a blank or a control character");
    target = drop_origin(target);
    if (!target.n || (target.p[0] != '/' && !str_is(target, "*")))
        return http_head_refuse(why, 400, "the address does not begin with '/'");
    const char *mark = memchr(target.p, '?', target.n);
    size_t n = mark ? (size_t)(mark - target.p) : target.n;
    ret->path = str_slice(target, 0, n);
    ret->query = str_slice(target, mark ? n + 1 : n, target.n);
    return 0;
}

static long read_version(struct str version, struct http_head *ret, struct http_refusal *why)
{
    if (version.n != 8 || !str_starts(version, "HTTP/") || version.p[6] != '.')
        return http_head_refuse(why, 400, "the first line is not 'METHOD ADDRESS HTTP/1.1'");
    if (version.p[5] != '1' || version.p[7] < '0' || version.p[7] > '9')
        return http_head_refuse(why, 505, "the only supported versions are HTTP/1.1 and HTTP/1.0");
    ret->minor = version.p[7] == '0' ? 0 : 1;
    ret->keep_alive = ret->minor > 0;
    return 0;
}

static long read_first_line(struct str line, struct http_head *ret, struct http_refusal *why)
{
    struct str rest = line, method, target;

    if (!str_next(&rest, ' ', &method) || !is_token(method) || !rest.p ||
        !str_next(&rest, ' ', &target) || !rest.p)
        return http_head_refuse(why, 400, "the first line is not 'METHOD ADDRESS HTTP/1.1'");
    ret->method = method_of(method);
    ret->method_name = method;
    return read_version(rest, ret, why) < 0 ? -1 : read_target(target, ret, why);
}

/* ---- the headers ---- */

static struct str trim(struct str s)
{
    while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
        s = str_slice(s, 1, s.n);
    while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
        s.n--;
    return s;
}

static long read_header(struct str line, struct http_head *ret, struct http_refusal *why)
{
    const char *colon = memchr(line.p, ':', line.n);
    struct str name = {line.p, colon ? (size_t)(colon - line.p) : 0};

    if (!is_token(name))
        return http_head_refuse(why, 400, "a header is not 'Name: value'");
    struct str value = trim(str_slice(line, name.n + 1, line.n));
    for (size_t i = 0; i < value.n; i++)
        if (((unsigned char)value.p[i] < ' ' && value.p[i] != '\t') || value.p[i] == 0x7F)
            return http_head_refuse(why, 400, "a header contains a control character");
    if (ret->header_count == HTTP_HEADERS_MAX)
        return http_head_refuse(why, 431, "there are more than 100 headers");
    ret->headers[ret->header_count++] = (struct http_header){name, value};
    return 0;
}

static long take_length(struct str value, struct http_head *ret, struct http_refusal *why)
{
    uint64_t n = 0;

    if (ret->has_length || !value.n || value.n > 18)
        return http_head_refuse(why, 400, "Content-Length is given twice, or is not a number");
    for (size_t i = 0; i < value.n; i++) {
        if (value.p[i] < '0' || value.p[i] > '9')
            return http_head_refuse(why, 400, "Content-Length is not a number");
        n = n * 10 + (uint64_t)(value.p[i] - '0');
    }
    ret->length = n;
    ret->has_length = true;
    return 0;
}

static long take_encoding(struct str value, struct http_head *ret, struct http_refusal *why)
{
    if (ret->minor == 0)
        return http_head_refuse(why, 400, "Transfer-Encoding requires HTTP/1.1");
    if (ret->chunked)
        return http_head_refuse(why, 400, "Transfer-Encoding is given twice");
    if (!str_is_nocase(value, "chunked"))
        return http_head_refuse(why, 501, "the only supported transfer encoding is 'chunked'");
    ret->chunked = true;
    return 0;
}

static long take_host(struct str value, struct http_head *ret, struct http_refusal *why)
{
    if (ret->host.p)
        return http_head_refuse(why, 400, "Host is given twice");
    ret->host = value;
    return 0;
}

static long take_connection(struct str value, struct http_head *ret, struct http_refusal *why)
{
    (void)why;
    if (http_list_has(value, "close"))
        ret->keep_alive = false;
    else if (ret->minor == 0 && http_list_has(value, "keep-alive"))
        ret->keep_alive = true;
    return 0;
}

static long take_expect(struct str value, struct http_head *ret, struct http_refusal *why)
{
    if (!str_is_nocase(value, "100-continue"))
        return http_head_refuse(why, 417, "the only supported expectation is '100-continue'");
    ret->expects_continue = ret->minor > 0;
    return 0;
}

typedef long take_fn(struct str value, struct http_head *ret, struct http_refusal *why);
static const struct {
    const char *name;
    take_fn *take;
} meanings[] = {
    {"content-length", take_length},
    {"transfer-encoding", take_encoding},
    {"host", take_host},
    {"connection", take_connection},
    {"expect", take_expect},
};

static long use_headers(struct http_head *ret, struct http_refusal *why)
{
    for (size_t i = 0; i < ret->header_count; i++)
        for (size_t k = 0; k < ARRAY_LEN(meanings); k++)
            if (str_is_nocase(ret->headers[i].name, meanings[k].name) &&
                meanings[k].take(ret->headers[i].value, ret, why) < 0)
                return -1;
    if (ret->chunked && ret->has_length)
        return http_head_refuse(why, 400,
                                "Content-Length and Transfer-Encoding cannot be given together");
    if (ret->minor > 0 && !ret->host.p)
        return http_head_refuse(why, 400, "there is no Host header");
    return 0;
}

/* ---- the whole ---- */

/* Cuts off a line, without its CR LF. Returns 0 if its end has not arrived. */
static int http_head_next_line(struct str *rest, struct str *ret)
{
    const char *end = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;

    if (!end)
        return 0;
    size_t n = (size_t)(end - rest->p);
    if (n == 0 || rest->p[n - 1] != '\r')
        return -1;
    *ret = str_slice(*rest, 0, n - 1);
    *rest = str_slice(*rest, n + 1, rest->n);
    return 1;
}

static long incomplete(struct str in, struct http_refusal *why)
{
    if (in.n < HTTP_HEAD_MAX)
        return 0;
    return memchr(in.p, '\n', in.n)
               ? http_head_refuse(why, 431, "the headers are longer than 16 KiB")
               : http_head_refuse(why, 414, "the address is longer than 8 KiB");
}

long http_head_read(struct str in, struct http_head *ret, struct http_refusal *why)
{
    struct str rest = in, line;
    bool first = true;
    int got;

    ret->header_count = 0;
    ret->host = (struct str){NULL, 0};
    ret->expects_continue = ret->chunked = ret->has_length = false;
    ret->length = 0;
    while ((got = http_head_next_line(&rest, &line)) > 0) {
        if (first && !line.n && rest.n + 2 == in.n)
            continue; /* one empty line before the first line is skipped (RFC 9112, 2.2) */
        if (!first && !line.n)
            break;
        if ((first ? read_first_line(line, ret, why) : read_header(line, ret, why)) < 0)
            return -1;
        first = false;
    }
    if (got < 0)
        return http_head_refuse(why, 400, "each line before the body must end with CR LF");
    if (got == 0)
        return incomplete(in, why);
    if (in.n - rest.n > HTTP_HEAD_MAX)
        return http_head_refuse(why, 431, "the headers are longer than 16 KiB");
    return use_headers(ret, why) < 0 ? -1 : (long)(in.n - rest.n);
}

struct str http_header(const struct http_head *head, const char *name)
{
    for (size_t i = 0; i < head->header_count; i++)
        if (str_is_nocase(head->headers[i].name, name))
            return head->headers[i].value;
    return (struct str){NULL, 0};
}
