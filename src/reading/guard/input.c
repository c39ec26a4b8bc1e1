/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks the text itself, in any language.
 */
#include <string.h>

#include "base/utf8.h"
#include "guard/check.h"
#include "guard/guard.h"

static void sizes(struct check *c, struct str code)
{
    const struct policy *p = c->policy;
    size_t chars = p->max_code_chars && code.n > p->max_code_chars ? utf8_count(code) : 0;
    size_t lines = p->max_lines && code.n > p->max_lines ? str_count_lines(code) : 0;

    if (chars > p->max_code_chars)
        found_at(c, RULE_TOO_LONG, NULL, STR(""), "%zu characters, more than %zu", chars,
                 p->max_code_chars);
    if (lines > p->max_lines)
        found_at(c, RULE_TOO_MANY_LINES, NULL, STR(""), "%zu lines, more than %zu", lines,
                 p->max_lines);
}

/* True for the control characters of the writing direction: U+202A to U+202E, U+2066 to U+2069. */
static bool is_bidi(const char *p)
{
    unsigned char last = (unsigned char)p[2];

    if (p[1] == '\x80')
        return last >= 0xAA && last <= 0xAE;
    return p[1] == '\x81' && last >= 0xA6 && last <= 0xA9;
}

static void directions(struct check *c, struct str code)
{
    const char *p = code.p, *end = code.p + code.n;

    while (p && end - p >= 3 && (p = memchr(p, '\xE2', (size_t)(end - p) - 2))) {
        if (is_bidi(p)) {
            found_at(c, RULE_BIDI_CONTROL, NULL, STR(""),
                     "a character that turns the direction of writing, in line %zu",
                     str_count_lines(str_slice(code, 0, (size_t)(p - code.p))) +
                         (p == code.p || p[-1] == '\n'));
            return;
        }
        p++;
    }
}

void check_input(struct check *c)
{
    struct str code = c->in->code;

    sizes(c, code);
    if (code.n && memchr(code.p, '\0', code.n))
        found_at(c, RULE_NUL_CHARACTER, NULL, STR(""), "a NUL character at byte %zu",
                 (size_t)((const char *)memchr(code.p, '\0', code.n) - code.p));
    directions(c, code);
}
