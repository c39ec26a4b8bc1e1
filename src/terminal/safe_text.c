/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal/safe_text.h"

#include "base/mem.h"
#include "base/utf8.h"

/* Characters that change how the rest is shown, or are invisible. The direction marks are those of
 * "Trojan Source" (CVE-2021-42574). */
static const struct {
    unsigned first, last;
} unsafe[] = {
    {0x00, 0x1f},     {0x7f, 0x9f},     {0x00ad, 0x00ad},   {0x061c, 0x061c},
    {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff},
};

static bool is_unsafe(unsigned c)
{
    for (size_t i = 0; i < ARRAY_LEN(unsafe); i++)
        if (c >= unsafe[i].first && c <= unsafe[i].last)
            return true;
    return false;
}

/* The first character of valid UTF-8. */
static unsigned decode(struct str s, size_t *ret_n)
{
    const unsigned char *p = (const unsigned char *)s.p;
    size_t n = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    unsigned c = n == 1 ? p[0] : p[0] & (0x7fu >> n);

    for (size_t i = 1; i < n; i++)
        c = c << 6 | (p[i] & 0x3f);
    *ret_n = n;
    return c;
}

static void add_valid(struct buf *b, struct str s, bool keep_lines)
{
    size_t n;

    for (; s.n; s = str_slice(s, n, s.n)) {
        unsigned c = decode(s, &n);
        if (!is_unsafe(c) || (keep_lines && (c == '\n' || c == '\t')))
            buf_add(b, s.p, n);
        else
            buf_addf(b, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
    }
}

void safe_text_add(struct buf *b, struct str text, bool keep_lines)
{
    while (text.n) {
        size_t good = utf8_valid_prefix(text);
        add_valid(b, str_slice(text, 0, good), keep_lines);
        if (good < text.n)
            buf_addf(b, "\\x%02x", (unsigned char)text.p[good++]);
        text = str_slice(text, good, text.n);
    }
}
