/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/headers.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "formats/encoded.h"
#include "formats/json_get.h"

#define ENCODED_HEAD "=?base64?"
#define ENCODED_TAIL "?="

bool mcp_header_name(const struct rpc_message *m, struct str *ret)
{
    static const char *const members[][2] = {
        {"tools/call", "name"}, {"prompts/get", "name"}, {"resources/read", "uri"}};

    if (!m->method) /* a response */
        return false;
    for (size_t i = 0; i < ARRAY_LEN(members); i++)
        if (strcmp(m->method, members[i][0]) == 0) {
            *ret = json_str(json_object_get(m->params, members[i][1]));
            return true;
        }
    return false;
}

static bool is_encoded(struct str s)
{
    return str_starts(s, ENCODED_HEAD) && str_ends(s, ENCODED_TAIL);
}

bool mcp_header_is(struct str given, struct str value)
{
    AUTO_BUF struct buf plain = {0};
    struct err err;

    if (!is_encoded(given))
        return str_eq(given, value);
    buf_init(&plain, given.n);
    return encoded_read(str_slice(given, strlen(ENCODED_HEAD), given.n - strlen(ENCODED_TAIL)),
                        STR("base64"), &plain, &err) == 0 &&
           str_eq(buf_str(&plain), value);
}

static bool headers_is_plain(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < ' ' || s.p[i] > '~')
            return false;
    return str_trim(s).n == s.n && !is_encoded(s);
}

void mcp_header_add(struct buf *b, const char *name, struct str value)
{
    bool plain = headers_is_plain(value);

    (void)buf_addf(b, "\r\n%s: %s", name, plain ? "" : ENCODED_HEAD);
    (void)(plain ? buf_add_str(b, value) : base64_add(b, value));
    (void)buf_adds(b, plain ? "" : ENCODED_TAIL);
}
