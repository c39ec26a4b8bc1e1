/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/printable.h"

#include "base/utf8.h"

enum { STRING_MAX = 4096 };

/* ESC [ parameters final */
static size_t control_length(struct str s)
{
    size_t i = 2;

    while (i < s.n && s.p[i] >= 0x20 && s.p[i] < 0x40)
        i++;
    return i < s.n && s.p[i] >= 0x40 && s.p[i] < 0x7f ? i + 1 : i;
}

/* ESC and one of ] P _ ^, then text up to BEL or ESC \. Without such an end, only the first two
 * bytes count. */
static size_t string_length(struct str s)
{
    for (size_t i = 2; i < s.n && i < STRING_MAX && s.p[i] != '\n'; i++) {
        if (s.p[i] == '\a')
            return i + 1;
        if (s.p[i] == '\x1b')
            return i + 1 < s.n && s.p[i + 1] == '\\' ? i + 2 : i;
    }
    return 2;
}

/* The length of the escape sequence (ECMA-48) that s begins with. */
static size_t escape_length(struct str s)
{
    if (s.n < 2)
        return s.n;
    if (s.p[1] == '[')
        return control_length(s);
    if (s.p[1] == ']' || s.p[1] == 'P' || s.p[1] == '_' || s.p[1] == '^')
        return string_length(s);
    return s.p[1] >= 0x20 && s.p[1] < 0x7f ? 2 : 1;
}

/* U+0080 to U+009F, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069, U+FEFF. */
static bool is_hidden(const unsigned char *p, size_t n)
{
    if (n == 2)
        return p[0] == 0xc2 && p[1] < 0xa0;
    if (n != 3)
        return false;
    return (p[0] == 0xe2 && p[1] == 0x80 && (p[2] == 0x8e || p[2] == 0x8f)) ||
           (p[0] == 0xe2 && p[1] == 0x80 && p[2] >= 0xa8 && p[2] <= 0xae) ||
           (p[0] == 0xe2 && p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9) ||
           (p[0] == 0xef && p[1] == 0xbb && p[2] == 0xbf);
}

static size_t character_length(const char *p, size_t n)
{
    unsigned char c = (unsigned char)p[0];
    size_t want = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

    return want <= n && utf8_valid((struct str){p, want}) ? want : 0;
}

/* The next part of s to write, which may be empty. Returns how many bytes of s it replaces. */
static size_t next_piece(struct str s, struct str *ret)
{
    unsigned char c = (unsigned char)s.p[0];

    *ret = (struct str){"", 0};
    if (c == 0x1b)
        return escape_length(s);
    if (c == '\r') {
        if (s.n == 1 || s.p[1] != '\n')
            *ret = STR("\n");
        return 1;
    }
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
        return 1;
    size_t n = character_length(s.p, s.n);
    if (!n)
        *ret = STR("\xef\xbf\xbd");
    else if (!is_hidden((const unsigned char *)s.p, n))
        *ret = (struct str){s.p, n};
    return n ? n : 1;
}

void printable_add(struct buf *b, struct str s)
{
    struct str piece;

    while (s.n) {
        size_t n = next_piece(s, &piece);
        if (buf_add_str(b, piece) < 0)
            return;
        s = str_slice(s, n, s.n);
    }
}

void printable_add_word(struct buf *b, struct str s, size_t max)
{
    struct str piece;
    size_t count = 0;

    for (s = str_trim(s); s.n;) {
        size_t n = next_piece(s, &piece);
        s = str_slice(s, n, s.n);
        if (!piece.n)
            continue;
        if (count++ == max) {
            (void)buf_adds(b, "...");
            return;
        }
        if (buf_add_str(b, piece.p[0] == '\n' || piece.p[0] == '\t' ? STR(" ") : piece) < 0)
            return;
    }
}

char *printable_text(struct str s)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 3 * s.n + 1);
    printable_add(&b, s);
    return buf_take(&b);
}
