/* SPDX-License-Identifier: Apache-2.0 */
#include "syntax/codec.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "syntax/unicode.h"

struct codec_name {
    const char *name;
    uint8_t kind; /* enum codec_kind */
    uint8_t table;
};

#include "codec_tables.h"

/* ---- names ---- */

enum { LONGEST_NAME = 40 };

/* Converts to lower case, and each run of characters other than letters, digits and dots to one
 * `_`. False if the name is longer than every known name. */
static bool normal_name(struct str name, char *ret)
{
    size_t n = 0;
    bool gap = false;

    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (!ascii_is_alnum(c) && c != '.') {
            gap = true;
            continue;
        }
        if (n + 2 >= LONGEST_NAME)
            return false;
        if (gap && n)
            ret[n++] = '_';
        gap = false;
        ret[n++] = ascii_lower(c);
    }
    ret[n] = '\0';
    return true;
}

static int codec_compare(const void *key, const void *entry)
{
    return strcmp(key, ((const struct codec_name *)entry)->name);
}

static const struct codec_name *find_codec(const char *name)
{
    return bsearch(name, codec_names, ARRAY_LEN(codec_names), sizeof *codec_names, codec_compare);
}

struct codec codec_find(struct str name)
{
    char normal[LONGEST_NAME];

    if (!normal_name(name, normal))
        return (struct codec){CODEC_UNKNOWN, NULL};
    const struct codec_name *found = find_codec(normal);
    for (char *dot = normal; !found && (dot = strchr(dot, '.'));)
        *dot = '_';
    if (!found)
        found = find_codec(normal);
    if (!found)
        return (struct codec){CODEC_UNKNOWN, NULL};
    return (struct codec){(enum codec_kind)found->kind, codec_chars[found->table]};
}

/* ---- decoding ---- */

/* The length of the invalid sequence at p, as CPython reports it: the bytes that could begin a
 * character, at least one. */
static size_t wrong_length(struct str s, const char **ret_reason)
{
    static const char *const whole[] = {"\xC2\x80", "\xE1\x80\x80", "\xF1\x80\x80\x80"};
    unsigned char c = (unsigned char)s.p[0];
    size_t need = c < 0xC2 || c > 0xF4 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    size_t good = 1;

    *ret_reason = need ? "invalid continuation byte" : "invalid start byte";
    /* The first n bytes can begin a character if some continuation makes it valid: all 0x80, or,
     * where that would be overlong, all 0xBF. */
    for (size_t n = 2; n < need && n <= s.n; n++) {
        char low[4], high[4];
        memcpy(low, whole[need - 2], need);
        memset(high, 0xBF, sizeof high);
        memcpy(low, s.p, n);
        memcpy(high, s.p, n);
        if (!utf8_valid((struct str){low, need}) && !utf8_valid((struct str){high, need}))
            break;
        good = n;
    }
    return good;
}

static const char *wrong_utf8(struct arena *arena, struct str bytes, size_t at)
{
    const char *reason;
    size_t n = wrong_length(str_slice(bytes, at, bytes.n), &reason);

    if (n > 1)
        return arena_printf(arena, "'utf-8' codec can't decode bytes in position %zu-%zu: %s", at,
                            at + n - 1, reason);
    return arena_printf(arena, "'utf-8' codec can't decode byte 0x%02x in position %zu: %s",
                        (unsigned char)bytes.p[at], at, reason);
}

static int decode_utf8(struct str bytes, struct arena *arena, struct buf *ret,
                       const char **ret_message)
{
    size_t valid = utf8_valid_prefix(bytes);

    if (valid < bytes.n) {
        *ret_message = wrong_utf8(arena, bytes, valid);
        return -1;
    }
    return buf_add_str(ret, bytes);
}

static int decode_table(const struct codec *codec, struct str bytes, struct arena *arena,
                        struct buf *ret, const char **ret_message)
{
    bool ascii = codec->kind == CODEC_ASCII;

    for (size_t i = 0; i < bytes.n; i++) {
        unsigned char c = (unsigned char)bytes.p[i];
        unsigned code = !ascii ? codec->chars[c] : c < 0x80 ? c : CODEC_NO_CHAR;
        if (code == CODEC_NO_CHAR) {
            *ret_message =
                arena_printf(arena, "'%s' codec can't decode byte 0x%02x in position %zu: %s",
                             ascii ? "ascii" : "charmap", c, i,
                             ascii ? "ordinal not in range(128)" : "character maps to <undefined>");
            return -1;
        }
        if (unicode_add(ret, code) < 0)
            return -1;
    }
    return 0;
}

int codec_decode(const struct codec *codec, struct str bytes, struct arena *arena, struct buf *ret,
                 const char **ret_message)
{
    if (codec->kind == CODEC_UTF8)
        return decode_utf8(bytes, arena, ret, ret_message);
    return decode_table(codec, bytes, arena, ret, ret_message);
}
