/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <string.h>

#include "base/ascii.h"

static bool is_tail(unsigned char c)
{
    return (c & 0xC0) == 0x80;
}

/* The length of the character at p, of which n > 0 bytes are left; 0 if it is invalid. Table 3-7 of
 * the Unicode standard. */
static size_t char_length(const unsigned char *p, size_t n)
{
    unsigned char c = p[0], low = 0x80, high = 0xBF;
    size_t need = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;

    if (need <= 1)
        return need;
    if (c == 0xE0)
        low = 0xA0;
    if (c == 0xED)
        high = 0x9F;
    if (c == 0xF0)
        low = 0x90;
    if (c == 0xF4)
        high = 0x8F;
    if (n < need || p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < need; i++)
        if (!is_tail(p[i]))
            return 0;
    return need;
}

size_t utf8_valid_prefix(struct str s)
{
    const unsigned char *p = (const unsigned char *)s.p;
    size_t i = 0;

    while (i < s.n) {
        size_t n = char_length(p + i, s.n - i);
        if (!n)
            break;
        i += n;
    }
    return i;
}

bool utf8_valid(struct str s)
{
    return utf8_valid_prefix(s) == s.n;
}

size_t utf8_count(struct str s)
{
    const unsigned char *p = (const unsigned char *)s.p;
    size_t count = 0;

    for (size_t i = 0; i < s.n; count++) {
        size_t n = char_length(p + i, s.n - i);
        i += n ? n : 1;
    }
    return count;
}

int utf8_add_clean(struct buf *b, struct str s)
{
    while (s.n) {
        size_t good = utf8_valid_prefix(s);
        if (buf_add(b, s.p, good) < 0)
            return -1;
        if (good == s.n)
            break;
        if (buf_adds(b, "\xEF\xBF\xBD") < 0)
            return -1;
        s = str_slice(s, good + 1, s.n);
    }
    return 0;
}

size_t utf8_cut(struct str s, size_t n)
{
    if (n >= s.n)
        return s.n;
    for (size_t back = 0; back < 4 && back <= n; back++)
        if (!is_tail((unsigned char)s.p[n - back]))
            return n - back;
    return n; /* not UTF-8: any position will do */
}

unsigned utf8_first(struct str s, size_t *ret_n)
{
    const unsigned char *p = (const unsigned char *)s.p;
    size_t n = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    unsigned c = n == 1 ? p[0] : p[0] & (0x7fu >> n);

    for (size_t i = 1; i < n && i < s.n; i++)
        c = c << 6 | (p[i] & 0x3f);
    *ret_n = n < s.n ? n : s.n;
    return c;
}

size_t utf8_put(char *out, unsigned c)
{
    size_t n = 0;

    if (c < 0x80) {
        out[n++] = (char)c;
        return n;
    }
    if (c < 0x800) {
        out[n++] = (char)(0xC0 | c >> 6);
    } else if (c < 0x10000) {
        out[n++] = (char)(0xE0 | c >> 12);
        out[n++] = (char)(0x80 | (c >> 6 & 0x3F));
    } else {
        out[n++] = (char)(0xF0 | c >> 18);
        out[n++] = (char)(0x80 | (c >> 12 & 0x3F));
        out[n++] = (char)(0x80 | (c >> 6 & 0x3F));
    }
    out[n++] = (char)(0x80 | (c & 0x3F));
    return n;
}

bool utf8_is_hidden(unsigned c)
{
    /* The direction marks are those of the "Trojan Source" attack (CVE-2021-42574). */
    static const struct {
        unsigned first, last;
    } hidden[] = {
        {0x00, 0x1f},     {0x7f, 0x9f},     {0x00ad, 0x00ad},   {0x061c, 0x061c},
        {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},
        {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff},
    };

    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
        if (c >= hidden[i].first && c <= hidden[i].last)
            return true;
    return false;
}

int percent_add(struct buf *b, struct str s, const char *plain)
{
    int result = 0;

    for (size_t i = 0; i < s.n && result == 0; i++) {
        char c = s.p[i];
        bool stays = ascii_is_alnum(c) || (c && strchr(plain, c));
        result = stays ? buf_addc(b, c) : buf_addf(b, "%%%02X", (unsigned char)c);
    }
    return result;
}

int base64_add(struct buf *b, struct str bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *p = (const unsigned char *)bytes.p;

    for (size_t i = 0; i < bytes.n; i += 3) {
        size_t left = bytes.n - i;
        unsigned v = (unsigned)p[i] << 16;
        if (left > 1)
            v |= (unsigned)p[i + 1] << 8;
        if (left > 2)
            v |= p[i + 2];
        char out[4] = {digits[v >> 18], digits[v >> 12 & 63], left > 1 ? digits[v >> 6 & 63] : '=',
                       left > 2 ? digits[v & 63] : '='};
        if (buf_add(b, out, 4) < 0)
            return -1;
    }
    return 0;
}

int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

ssize_t base64_decode(struct str s, char *out)
{
    unsigned bits = 0, have = 0;
    char *to = out;

    while (s.n && s.p[s.n - 1] == '=')
        s.n--;
    for (size_t i = 0; i < s.n; i++) {
        int digit = base64_digit(s.p[i]);
        if (digit < 0)
            return -1;
        bits = bits << 6 | (unsigned)digit;
        have += 6;
        if (have >= 8) {
            have -= 8;
            *to++ = (char)(bits >> have);
        }
    }
    return to - out;
}
