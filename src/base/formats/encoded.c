/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/encoded.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

json_t *json_text(struct str s)
{
    AUTO_BUF struct buf b = {0};

    if (utf8_valid(s))
        return json_stringn_nocheck(s.n ? s.p : "", s.n);
    buf_init(&b, 3 * s.n + 1);
    (void)utf8_add_clean(&b, s);
    return json_stringn_nocheck(b.p, b.n);
}

json_t *json_text_or_null(struct str s)
{
    return s.n ? json_text(s) : json_null();
}

static json_t *base64_text(struct str s)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 2 * s.n + 8);
    (void)base64_add(&b, s);
    return json_stringn_nocheck(b.p, b.n);
}

json_t *json_error(const struct err *err)
{
    return json_pack("{s:s, s:o}", "kind", err_kind_name(err->kind), "message",
                     json_text(str_from(err->msg)));
}

void encoded_set_text(json_t *object, const char *key, struct str s)
{
    char longer[64];

    json_object_set_new_nocheck(object, key, json_text(s));
    if (utf8_valid(s))
        return;
    snprintf(longer, sizeof longer, "%s_base64", key);
    json_object_set_new_nocheck(object, longer, base64_text(s));
}

/* ---- reading base64 ---- */

/* Decodes four base64 digits into up to three bytes. False if they are invalid or not canonical. */
static bool decode_four(const char *p, unsigned char out[3], size_t *ret_n)
{
    size_t digits = p[3] != '=' ? 4 : p[2] != '=' ? 3 : 2;
    unsigned bits = 0;

    for (size_t i = 0; i < 4; i++) {
        int d = i < digits ? base64_digit(p[i]) : 0;
        if (d < 0)
            return false;
        bits = bits << 6 | (unsigned)d;
    }
    for (size_t i = 0; i < 3; i++)
        out[i] = (unsigned char)(bits >> (16 - 8 * i));
    *ret_n = digits - 1;
    return (digits == 4 || out[digits - 1] == 0) && (digits != 2 || out[2] == 0);
}

/* Strict: every byte sequence has exactly one encoding. `ret` may be NULL: then s is only checked.
 */
static bool base64_read(struct str s, struct buf *ret)
{
    unsigned char bytes[3];
    size_t n = 3;

    if (s.n % 4)
        return false;
    for (size_t i = 0; i < s.n; i += 4) {
        if (n < 3 || !decode_four(s.p + i, bytes, &n))
            return false;
        if (ret && buf_add(ret, bytes, n) < 0)
            return false;
    }
    return true;
}

int encoded_read(struct str content, struct str encoding, struct buf *ret, struct err *err)
{
    if (str_is_nocase(encoding, "base64"))
        return base64_read(content, ret) ? 0 : err_set(err, ERR_USAGE, "the content is not base64");
    if (encoding.n && !str_is_nocase(encoding, "utf-8") && !str_is_nocase(encoding, "utf8"))
        return err_set(err, ERR_USAGE, "there is no encoding '%.*s'; use utf-8 or base64",
                       (int)(encoding.n < 60 ? encoding.n : 60), encoding.p);
    return buf_add_str(ret, content) == 0
               ? 0
               : err_set(err, ERR_LIMIT, "the content is larger than %zu bytes", ret->limit);
}
