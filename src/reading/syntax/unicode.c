/* SPDX-License-Identifier: Apache-2.0 */
#include "syntax/unicode.h"

#include <string.h>
#include <utf8proc.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "syntax/source.h"
#include "syntax/unicode_hash.h"
#include "unicode_tables.h"

/* ---- UTF-8 ---- */

/* Decodes a character of n bytes, whose first byte has this length; -1 if it is invalid. */
static int64_t read_wide(const unsigned char *p, size_t n)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t code = p[0] & (0x7FU >> n);

    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return -1;
        code = code << 6 | (p[i] & 0x3F);
    }
    return code < smallest[n] || code > 0x10FFFF ? -1 : (int64_t)code;
}

uint32_t unicode_next(struct str text, size_t *at)
{
    const unsigned char *p = (const unsigned char *)text.p + *at;
    size_t n = *p < 0xC0 ? 0 : *p < 0xE0 ? 2 : *p < 0xF0 ? 3 : *p < 0xF8 ? 4 : 0;

    if (*p >= 0x80) {
        int64_t code = n && n <= text.n - *at ? read_wide(p, n) : -1;
        *at += code < 0 ? 1 : n;
        return code < 0 ? 0xFFFD : (uint32_t)code;
    }
    *at += 1;
    return *p;
}

int unicode_add(struct buf *b, uint32_t code)
{
    char bytes[4];

    return buf_add(b, bytes, utf8_put(bytes, code));
}

/* ---- kinds of characters ---- */

/* True if a property that exists since version `since` (UNICODE_SINCE_BITS) exists in a target. */
static bool known(unsigned since, unsigned target)
{
    since &= (1 << UNICODE_SINCE_BITS) - 1;
    return since && since <= target - PYTHON_OLDEST + 1;
}

/* The index in unicode_runs of a character's run. */
static uint32_t run_of(uint32_t code)
{
    enum { BITS = 3 * UNICODE_SINCE_BITS };
    size_t low = 0, high = ARRAY_LEN(unicode_runs);

    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (unicode_runs[middle] >> BITS <= code)
            low = middle;
        else
            high = middle;
    }
    return unicode_runs[low];
}

bool unicode_is_identifier_start(uint32_t code, unsigned target)
{
    return known(run_of(code) >> 2 * UNICODE_SINCE_BITS, target);
}

bool unicode_is_identifier_part(uint32_t code, unsigned target)
{
    return known(run_of(code) >> UNICODE_SINCE_BITS, target);
}

bool unicode_is_printable(uint32_t code, unsigned target)
{
    return known(run_of(code), target);
}

/* ---- names ---- */

enum { SYLLABLES = 0xAC00, VOWELS = 21, TAILS = 28 };

static const char *const leads[] = {"G",  "GG", "N", "D",  "DD", "R", "M", "B", "BB", "S",
                                    "SS", "",   "J", "JJ", "C",  "K", "T", "P", "H"};
static const char *const vowels[VOWELS] = {"A",   "AE", "YA", "YAE", "EO", "E",  "YEO",
                                           "YE",  "O",  "WA", "WAE", "OE", "YO", "U",
                                           "WEO", "WE", "WI", "YU",  "EU", "YI", "I"};
static const char *const tails[TAILS] = {"",   "G",  "GG", "GS", "N",  "NJ", "NH", "D", "L",  "LG",
                                         "LM", "LB", "LS", "LT", "LP", "LH", "M",  "B", "BS", "S",
                                         "SS", "NG", "J",  "C",  "K",  "T",  "P",  "H"};

/* Cuts the longest of the parts with which *rest begins off it; -1 if there is none. */
static int32_t take_part(struct str *rest, const char *const *parts, size_t n)
{
    int32_t best = -1;
    size_t length = 0;

    for (size_t i = 0; i < n; i++)
        if (str_starts(*rest, parts[i]) && (best < 0 || strlen(parts[i]) > length)) {
            best = (int32_t)i;
            length = strlen(parts[i]);
        }
    *rest = str_slice(*rest, length, rest->n);
    return best;
}

static int32_t syllable(struct str letters)
{
    int32_t lead = take_part(&letters, leads, ARRAY_LEN(leads));
    int32_t vowel = take_part(&letters, vowels, VOWELS);
    int32_t tail = take_part(&letters, tails, TAILS);

    if (lead < 0 || vowel < 0 || letters.n)
        return -1;
    return SYLLABLES + (lead * VOWELS + vowel) * TAILS + tail;
}

/* The character of an ideograph's name: four or five digits, in upper case. */
static int32_t ideograph(struct str digits, unsigned target)
{
    uint32_t code = 0;

    if (digits.n != 4 && digits.n != 5)
        return -1;
    for (size_t i = 0; i < digits.n; i++) {
        char c = digits.p[i];
        if (!(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'F'))
            return -1;
        code = code << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'A' + 10);
    }
    for (size_t i = 0; i < ARRAY_LEN(unicode_ideographs); i++)
        if (code >= unicode_ideographs[i].first && code <= unicode_ideographs[i].last)
            return unicode_is_identifier_start(code, target) ? (int32_t)code : -1;
    return -1;
}

static int32_t listed(struct str name, unsigned target)
{
    const uint64_t hash = unicode_name_hash(name.p, name.n);
    size_t low = 0, high = ARRAY_LEN(unicode_names);

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (unicode_names[middle] < hash)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == ARRAY_LEN(unicode_names) || (unicode_names[low] ^ hash) >> (64 - UNICODE_HASH_BITS))
        return -1;
    uint32_t word = (uint32_t)unicode_names[low];
    return known(word >> UNICODE_CODE_BITS, target) ? (int32_t)(word & 0x1FFFFF) : -1;
}

/* Names that follow a rule are matched in upper case only, as in CPython. */
int32_t unicode_by_name(struct str name, unsigned target)
{
    static const struct str hangul = STR("HANGUL SYLLABLE "), han = STR("CJK UNIFIED IDEOGRAPH-");

    if (str_starts(name, hangul.p))
        return syllable(str_slice(name, hangul.n, name.n));
    if (str_starts(name, han.p))
        return ideograph(str_slice(name, han.n, name.n), target);
    return listed(name, target);
}

/* ---- normal form ---- */

int unicode_normalize(struct str text, struct buf *ret)
{
    const utf8proc_option_t options = UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT;
    utf8proc_uint8_t *out = NULL;
    utf8proc_ssize_t n =
        utf8proc_map((const utf8proc_uint8_t *)text.p, (utf8proc_ssize_t)text.n, &out, options);

    int result = n < 0 ? -1 : buf_add(ret, out, (size_t)n);
    free(out);
    return result;
}
