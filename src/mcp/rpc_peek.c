/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/rpc_peek.h"

#include <jansson.h>
#include <string.h>

#include "base/json_get.h"

enum { ESCAPE_BYTES = 6 }; /* of one character: \u0069 */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t skip_blank(struct str s, size_t i)
{
    while (i < s.n && is_blank(s.p[i]))
        i++;
    return i;
}

/* From the opening quote to behind the closing one. */
static size_t skip_text(struct str s, size_t i)
{
    for (i++; i < s.n; i++) {
        const char *quote = memchr(s.p + i, '"', s.n - i);
        const char *escape = quote ? memchr(s.p + i, '\\', (size_t)(quote - s.p) - i) : NULL;
        if (!quote)
            return s.n;
        if (!escape)
            return (size_t)(quote - s.p) + 1;
        i = (size_t)(escape - s.p) + 1;
    }
    return s.n;
}

static size_t skip_nested(struct str s, size_t i)
{
    size_t depth = 0;

    while (i < s.n) {
        char c = s.p[i];
        if (c == '"') {
            i = skip_text(s, i);
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        i++;
        if (!depth)
            return i;
    }
    return s.n;
}

static size_t skip_value(struct str s, size_t i)
{
    if (i < s.n && s.p[i] == '"')
        return skip_text(s, i);
    if (i < s.n && (s.p[i] == '{' || s.p[i] == '['))
        return skip_nested(s, i);
    while (i < s.n && !is_blank(s.p[i]) && !strchr(",}]", s.p[i]))
        i++;
    return i;
}

/* Whether a key, in quotes, is this name. A client may write it with escapes. */
static bool is_key(struct str text, const char *name)
{
    size_t n = strlen(name);
    json_t *key = NULL;

    if (text.n == n + 2)
        return memcmp(text.p + 1, name, n) == 0;
    if (text.n > n + 2 && text.n <= ESCAPE_BYTES * n + 2)
        key = json_loadb(text.p, text.n, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    bool same = str_is(json_str(key), name);
    json_decref(key);
    return same;
}

/* One member; the place behind it, or the end where there is none. */
static size_t take_member(struct str s, size_t i, struct rpc_peek *ret)
{
    size_t key = i, colon = skip_blank(s, skip_text(s, i)), value = skip_blank(s, colon + 1);
    size_t end = skip_value(s, value);

    if (colon >= s.n || s.p[colon] != ':' || value >= s.n)
        return s.n;
    struct str name = str_trim(str_slice(s, key, colon)), text = str_slice(s, value, end);
    if (is_key(name, "id"))
        ret->id = text;
    else if (is_key(name, "method"))
        ret->method = text;
    return end;
}

bool rpc_peek(struct str line, struct rpc_peek *ret)
{
    size_t i = skip_blank(line, 0);

    *ret = (struct rpc_peek){0};
    if (i >= line.n || line.p[i] != '{')
        return false;
    i = skip_blank(line, i + 1);
    while (i < line.n && line.p[i] == '"') {
        i = skip_blank(line, take_member(line, i, ret));
        if (i < line.n && line.p[i] == ',')
            i = skip_blank(line, i + 1);
    }
    return true;
}
