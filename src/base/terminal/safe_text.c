/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal/safe_text.h"

#include "base/utf8.h"

enum { ESCAPE_MAX = 4 }; /* the most bytes that replace one byte of the text */

static void add_valid(struct buf *b, struct str s, bool keep_lines)
{
    size_t n;

    for (; s.n; s = str_slice(s, n, s.n)) {
        unsigned c = utf8_first(s, &n);
        if (!utf8_is_hidden(c) || (keep_lines && (c == '\n' || c == '\t')))
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

char *safe_text(struct str text, bool keep_lines)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, ESCAPE_MAX * text.n);
    safe_text_add(&b, text, keep_lines);
    return buf_take(&b);
}

char *safe_line(const char *text)
{
    return safe_text(str_from(text), false);
}
