/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "net/http.h"

bool http_list_has(struct str value, const char *word)
{
    struct str one;

    while (value.p && str_next(&value, ',', &one))
        if (str_is_nocase(http_media_type(one), word))
            return true;
    return false;
}

struct str http_media_type(struct str value)
{
    const char *end = value.n ? memchr(value.p, ';', value.n) : NULL;

    return str_trim(str_slice(value, 0, end ? (size_t)(end - value.p) : value.n));
}

int http_decode(struct str s, bool query, struct buf *ret)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '%') {
            int high = i + 2 < s.n ? ascii_hex(s.p[i + 1]) : -1,
                low = high < 0 ? -1 : ascii_hex(s.p[i + 2]);
            if (low < 0 || (!high && !low))
                return -1;
            c = (char)(high * 16 + low);
            i += 2;
        } else if (c == '+' && query) {
            c = ' ';
        }
        if (buf_addc(ret, c) < 0)
            return -1;
    }
    return 0;
}

bool http_query_next(struct str *rest, struct str *ret_name, struct str *ret_value)
{
    struct str pair;

    while (rest->n && str_next(rest, '&', &pair)) {
        if (!pair.n)
            continue;
        const char *equals = memchr(pair.p, '=', pair.n);
        size_t n = equals ? (size_t)(equals - pair.p) : pair.n;
        *ret_name = str_slice(pair, 0, n);
        *ret_value = str_slice(pair, equals ? n + 1 : n, pair.n);
        return true;
    }
    return false;
}

const char *http_reason(int status)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {
        {200, "OK"},
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {406, "Not Acceptable"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {411, "Length Required"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {415, "Unsupported Media Type"},
        {417, "Expectation Failed"},
        {421, "Misdirected Request"},
        {426, "Upgrade Required"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {504, "Gateway Timeout"},
        {505, "HTTP Version Not Supported"},
    };

    for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "Unknown";
}
