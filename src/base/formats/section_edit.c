/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/section_edit.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

/* JSON's escapes are valid in TOML, too. */
static void toml_add_value(struct buf *b, const char *key, const json_t *value)
{
    AUTO_FREE char *text = json_dumps(value, JSON_ENCODE_ANY);

    (void)buf_addf(b, "%s = %s\n", key, text);
}

/* One empty line is put before the section, so earlier ones are removed: otherwise each call would
 * add one. */
static void drop_empty_end(struct buf *b)
{
    while (b->n && b->p[b->n - 1] == '\n' && (b->n == 1 || b->p[b->n - 2] == '\n'))
        b->n--;
}

static void add_section(struct buf *b, const char *name, json_t *entry)
{
    const char *key;
    json_t *value;

    drop_empty_end(b);
    (void)buf_addf(b, "%s[mcp_servers.%s]\n", b->n ? "\n" : "", name);
    json_object_foreach(entry, key, value) toml_add_value(b, key, value);
}

/* The table of a heading without spaces and quotes: "mcp_servers.glovebox" for
 * [ mcp_servers."glovebox" ]. */
static void add_table_name(struct buf *b, struct str heading)
{
    for (size_t i = 1; i < heading.n && heading.p[i] != ']'; i++)
        if (!strchr("[ \t\"'", heading.p[i]))
            (void)buf_addc(b, heading.p[i]);
}

static bool is_heading(struct str line)
{
    long end = str_find(line, STR("]"));
    struct str rest = end < 0 ? STR("?") : str_trim(str_slice(line, (size_t)end + 1, line.n));

    return !rest.n || *rest.p == '#' || *rest.p == ']';
}

static bool is_our_table(struct str heading, const char *ours)
{
    AUTO_BUF struct buf name = {0};
    size_t n = strlen(ours);

    buf_init(&name, heading.n + 1);
    add_table_name(&name, heading);
    return str_starts(buf_str(&name), ours) && (name.n == n || name.p[n] == '.');
}

int section_edit_toml(struct str old, const char *name, json_t *entry, struct buf *ret)
{
    AUTO_FREE char *table = xasprintf("mcp_servers.%s", name);
    struct str line;
    bool ours = false;

    if (!utf8_valid(old) || str_find(old, STR("\"\"\"")) >= 0 || str_find(old, STR("'''")) >= 0)
        return -1; /* a string of several lines may look like a heading */
    while (str_next(&old, '\n', &line)) {
        struct str trimmed = str_trim(line);
        if (ours && str_starts(trimmed, "[") && !is_heading(trimmed))
            return -1; /* a list of several lines */
        if (str_starts(trimmed, "["))
            ours = is_our_table(trimmed, table);
        if (!ours) {
            (void)buf_add_str(ret, line);
            (void)buf_addc(ret, '\n');
        }
    }
    if (entry)
        add_section(ret, name, entry);
    return ret->overflow ? -1 : 0;
}

/* ---- YAML ---- */

/* True for the key in quotes, which is the same key. */
static bool is_quoted_key(struct str line, const char *key)
{
    struct str text = str_trim(line);
    size_t n = strlen(key);

    return text.n > n + 2 && (*text.p == '"' || *text.p == '\'') && text.p[n + 1] == *text.p &&
           str_is(str_slice(text, 1, n + 1), key);
}

/* True for a line that belongs to a key with this indent; an empty line counts as one, too. */
static bool is_below(struct str line, size_t indent)
{
    return !str_trim(line).n || str_indent(line) > indent;
}

/* JSON is valid YAML. Without an entry, appends nothing. */
static void yaml_add(struct buf *b, const char *name, size_t indent, json_t *entry)
{
    const char *key;
    json_t *value;

    if (!entry)
        return;
    (void)buf_addf(b, "%*s%s:\n", (int)indent, "", name);
    json_object_foreach(entry, key, value)
    {
        AUTO_FREE char *text = json_dumps(value, JSON_ENCODE_ANY);
        (void)buf_addf(b, "%*s%s: %s\n", (int)(2 * indent), "", key, text);
    }
}

/* Returns the indent of the section's first key; 2 if it is empty. */
static size_t yaml_inner(struct str rest)
{
    struct str line;

    while (str_next_line(&rest, &line))
        if (str_trim(line).n && *str_trim(line).p != '#')
            return str_indent(line) ? str_indent(line) : 2;
    return 2;
}

/* Appends the section's line unchanged, except that an empty section in braces loses the braces
 * when it gets an entry. -1 if the section is written on this line. */
static int yaml_add_heading(struct buf *b, struct str line, size_t heading, const json_t *entry)
{
    struct str value = str_trim(str_slice(line, heading, line.n));
    bool empty = str_starts(value, "{}");

    if (value.n && *value.p != '#' && !empty)
        return -1;
    return buf_addf(b, "%.*s\n", (int)(entry && empty ? heading : line.n), line.p);
}

int section_edit_yaml(struct str old, const char *section, const char *name, json_t *entry,
                      struct buf *ret)
{
    AUTO_FREE char *heading = xasprintf("%s:", section), *key = xasprintf("%s:", name);
    bool within = false, ours = false, found = false;
    size_t inner = 2;
    struct str line;

    if (!utf8_valid(old) || memchr(old.p ? old.p : "", '\t', old.n))
        return -1;
    while (str_next_line(&old, &line)) {
        if (is_quoted_key(line, section) || is_quoted_key(line, name))
            return -1;
        if (str_starts(line, heading)) {
            if (yaml_add_heading(ret, line, strlen(heading), entry) < 0)
                return -1;
            within = found = true;
            inner = yaml_inner(old);
            yaml_add(ret, name, inner, entry);
            continue;
        }
        within = within && (is_below(line, 0) || *line.p == '#');
        if (within && str_indent(line) == inner)
            ours = str_starts(str_trim(line), key);
        else
            ours = ours && within && is_below(line, inner);
        if (!ours) {
            (void)buf_add_str(ret, line);
            (void)buf_addc(ret, '\n');
        }
    }
    if (!found && entry)
        (void)buf_addf(ret, "%s\n", heading);
    if (!found)
        yaml_add(ret, name, inner, entry);
    return ret->overflow ? -1 : 0;
}
