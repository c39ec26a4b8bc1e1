/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/json_edit.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "formats/json_write.h"

#define SPACE " \t\r\n"

/* ---- JSON with comments as plain JSON of the same length ---- */

static size_t string_end(struct str s, size_t at)
{
    for (at++; at < s.n && s.p[at] != '"'; at++)
        at += s.p[at] == '\\';
    return at < s.n ? at + 1 : s.n;
}

/* The end of a comment that begins here; `at` if none does. */
static size_t comment_end(struct str s, size_t at)
{
    struct str rest = str_slice(s, at, s.n);
    bool line = str_starts(rest, "//"), block = str_starts(rest, "/*");

    if (!line && !block)
        return at;
    for (at += 2; at < s.n; at++) {
        if (line && s.p[at] == '\n')
            return at;
        if (block && s.p[at] == '*' && at + 1 < s.n && s.p[at + 1] == '/')
            return at + 2;
    }
    return s.n;
}

static void blank(char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != '\n')
            *from = ' ';
}

static void blank_comments(char *text, size_t n)
{
    const struct str s = {text, n};

    for (size_t at = 0; at < n;) {
        size_t end = text[at] == '"' ? string_end(s, at) : comment_end(s, at);
        if (text[at] != '"')
            blank(text + at, text + end);
        at = end > at ? end : at + 1;
    }
}

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

static size_t skip_space(struct str s, size_t at)
{
    while (at < s.n && is_one_of(s.p[at], SPACE))
        at++;
    return at;
}

/* Blanks each comma between a value and a closing bracket. Call it after blank_comments. */
static void blank_commas(char *text, size_t n)
{
    const struct str s = {text, n};
    char last = '{'; /* the previous character that is not white space */

    for (size_t at = 0; at < n;) {
        size_t next = skip_space(s, at + 1);
        char was = text[at];
        if (was == ',' && !is_one_of(last, "{[,") && next < n && is_one_of(text[next], "}]"))
            text[at] = ' ';
        last = is_one_of(was, SPACE) ? last : was;
        at = was == '"' ? string_end(s, at) : at + 1;
    }
}

/* ---- locations in plain JSON, which is valid ---- */

static size_t value_end(struct str s, size_t at)
{
    size_t depth = 0;

    do {
        if (s.p[at] == '"') {
            at = string_end(s, at);
            continue;
        }
        depth += s.p[at] == '{' || s.p[at] == '[';
        depth -= s.p[at] == '}' || s.p[at] == ']';
        at++;
    } while (at < s.n && (depth || !is_one_of(s.p[at], ",}]" SPACE)) &&
             !(depth == 0 && s.p[at - 1] == '"'));
    return at;
}

struct member_place {
    size_t from, to; /* the value; from == 0: the member is missing */
    size_t key;      /* of that member */
    size_t before;   /* the end of the value before it; 0: it is the first */
    size_t first;    /* the first member */
    size_t last_end; /* of the last member's value; 0 for an empty object */
    size_t close;    /* the object's bracket */
};

/* Finds a member of the object that begins at `open`. */
static struct member_place find_member(struct str s, size_t open, const char *name)
{
    size_t at = skip_space(s, open + 1);
    struct member_place p = {.first = at};

    while (s.p[at] == '"') {
        size_t key_end = string_end(s, at);
        bool ours = str_is(str_slice(s, at + 1, key_end - 1), name);
        size_t from = skip_space(s, skip_space(s, key_end) + 1);
        if (ours) {
            p.key = at;
            p.before = p.last_end;
        }
        p.last_end = value_end(s, from);
        if (ours) {
            p.from = from;
            p.to = p.last_end;
        }
        at = skip_space(s, p.last_end);
        if (s.p[at] == ',')
            at = skip_space(s, at + 1);
    }
    p.close = at;
    return p;
}

/* ---- the new text ---- */

/* The white space at the beginning of the line. */
static struct str indent_at(struct str s, size_t at)
{
    size_t from = at, to;

    while (from > 0 && s.p[from - 1] != '\n')
        from--;
    for (to = from; to < s.n && (s.p[to] == ' ' || s.p[to] == '\t'); to++)
        ;
    return str_slice(s, from, to);
}

/* The indent of a new member: that of the first member if it has its own line. */
static char *member_indent(struct str s, const struct member_place *p, size_t open)
{
    struct str first = indent_at(s, p->first), outer = indent_at(s, open);

    if (p->last_end && first.p + first.n == s.p + p->first &&
        memchr(s.p + open, '\n', p->first - open))
        return xstrndup(first.p, first.n);
    return xasprintf("%.*s  ", (int)outer.n, outer.p);
}

static void json_edit_add_value(struct buf *b, const json_t *value, struct str indent)
{
    AUTO_FREE char *text = json_write(value, true);
    struct str rest = str_from(text), line;

    for (bool first = true; str_next(&rest, '\n', &line); first = false) {
        if (!first) {
            (void)buf_addc(b, '\n');
            (void)buf_add_str(b, indent);
        }
        (void)buf_add_str(b, line);
    }
}

/* The file's text and two copies of the same length: one without comments; one also without
 * trailing commas, which is plain JSON. */
struct edited {
    struct str text, commas, plain;
};

/* Adds a last member to the object at `open`, after any comments that follow the previous member.
 */
static void add_member(struct buf *b, const struct edited *e, size_t open, const char *name,
                       const json_t *value)
{
    struct member_place p = find_member(e->plain, open, name);
    size_t after = p.last_end ? p.last_end : open + 1, to = p.close;
    bool has_comma = !p.last_end || memchr(e->commas.p + after, ',', p.close - after);
    AUTO_FREE char *inner = member_indent(e->text, &p, open);
    struct str outer = indent_at(e->text, open);

    while (to > after && is_one_of(e->text.p[to - 1], SPACE))
        to--;
    (void)buf_add(b, e->text.p, after);
    (void)buf_adds(b, has_comma ? "" : ",");
    (void)buf_add(b, e->text.p + after, to - after);
    (void)buf_addf(b, "\n%s\"%s\": ", inner, name);
    json_edit_add_value(b, value, str_from(inner));
    if (!memchr(e->text.p + to, '\n', p.close - to))
        (void)buf_addf(b, "\n%.*s", (int)outer.n, outer.p);
    (void)buf_add(b, e->text.p + to, e->text.n - to);
}

static void replace_value(struct buf *b, struct str text, const struct member_place *p,
                          const json_t *value)
{
    (void)buf_add(b, text.p, p->from);
    json_edit_add_value(b, value, indent_at(text, p->from));
    (void)buf_add(b, text.p + p->to, text.n - p->to);
}

/* Also removes the comma after the member, or, if it is the last one, the comma before it. */
static void remove_member(struct buf *b, const struct edited *e, const struct member_place *p)
{
    size_t from = p->key, to = p->to, comma = skip_space(e->commas, p->to);
    const char *before = p->before ? memchr(e->commas.p + p->before, ',', from - p->before) : NULL;

    while (from > 0 && is_one_of(e->text.p[from - 1], " \t"))
        from--;
    if (from > 0 && e->text.p[from - 1] == '\n')
        from--;
    if (comma < e->commas.n && e->commas.p[comma] == ',') {
        to = comma + 1;
        before = NULL;
    }
    size_t cut = before ? (size_t)(before - e->commas.p) : from;
    (void)buf_add(b, e->text.p, cut);
    if (before && cut < from)
        (void)buf_add(b, e->text.p + cut + 1, from - cut - 1);
    (void)buf_add(b, e->text.p + to, e->text.n - to);
}

static void json_edit_drop(struct buf *b, const struct edited *e, const char *section,
                           const char *name)
{
    struct member_place outer = find_member(e->plain, skip_space(e->plain, 0), section),
                        inner = {0};

    if (outer.from)
        inner = find_member(e->plain, outer.from, name);
    if (inner.from)
        remove_member(b, e, &inner);
    else
        (void)buf_add_str(b, e->text);
}

static void json_edit_put(struct buf *b, const struct edited *e, const char *section,
                          const char *name, const json_t *value)
{
    size_t open = skip_space(e->plain, 0);
    struct member_place outer = find_member(e->plain, open, section);

    if (!outer.from) {
        json_t *servers = json_pack("{s:O}", name, value);
        add_member(b, e, open, section, servers);
        json_decref(servers);
        return;
    }
    struct member_place inner = find_member(e->plain, outer.from, name);
    if (inner.from)
        replace_value(b, e->text, &inner, value);
    else
        add_member(b, e, outer.from, name, value);
}

/* True if the text is an object, and its section is an object or missing. A key that the file
 * spells with escapes does not fit either: find_member compares spellings and would miss it. */
static bool is_fit(struct str plain, const char *section, const char *name)
{
    json_error_t where;
    json_t *all = json_loadb(plain.p, plain.n, JSON_REJECT_DUPLICATES, &where);
    const json_t *servers = json_object_get(all, section);
    bool fit = json_is_object(all) && (!servers || json_is_object(servers));

    if (fit && servers) {
        size_t outer = find_member(plain, skip_space(plain, 0), section).from;
        fit = outer && !json_object_get(servers, name) == !find_member(plain, outer, name).from;
    }

    json_decref(all);
    return fit;
}

int json_edit(struct str text, const char *section, const char *name, const json_t *value,
              struct buf *ret)
{
    if (!str_trim(text).n)
        text = STR("{}\n");
    AUTO_FREE char *commas = xstrndup(text.p, text.n);
    blank_comments(commas, text.n);
    AUTO_FREE char *plain = xmalloc(text.n + 1);
    memcpy(plain, commas, text.n + 1);
    blank_commas(plain, text.n);
    if (!is_fit((struct str){plain, text.n}, section, name))
        return -1;
    struct edited e = {text, {commas, text.n}, {plain, text.n}};
    if (value)
        json_edit_put(ret, &e, section, name, value);
    else
        json_edit_drop(ret, &e, section, name);
    return ret->overflow ? -1 : 0;
}
