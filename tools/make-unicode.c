/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes gen/unicode_tables.h: make-unicode FOLDER, the folder of the Unicode Character Database.
 *
 * Each version of Python knows the characters of one version of Unicode, so every fact carries the
 * first Python that knows it (src/reading/syntax/unicode_hash.h says how). What a newer Unicode
 * than the folder's brought is added from the table `newer`, as far as few words can say it.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "syntax/unicode_hash.h"

enum { CODES = 0x110000, NAMES_MAX = 100000, FIELDS = 15 };

/* The first Python that knows the character at all, and as a beginning of identifiers, as a part of
 * them, as printable; 0: none. */
struct character {
    uint8_t since, start, part, printable;
};

struct range {
    uint32_t first, last;
};

static struct character characters[CODES];
static struct range ideographs[64];
static size_t ideograph_count;
static uint64_t names[NAMES_MAX];
static size_t name_count;

static void fail(const char *what, const char *on)
{
    fprintf(stderr, "make-unicode: %s: %s\n", on, what);
    exit(1);
}

/* ---- reading ---- */

struct table {
    FILE *file;
    const char *name;
    char line[4096];
    char *fields[FIELDS];
};

static void table_open(struct table *t, const char *folder, const char *name)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    t->name = name;
    t->file = fopen(path, "r");
    if (!t->file)
        fail(strerror(errno), path);
}

static char *trimmed(char *s)
{
    s += strspn(s, " ");
    size_t n = strlen(s);
    while (n && (s[n - 1] == ' ' || s[n - 1] == '\n'))
        s[--n] = '\0';
    return s;
}

/* The next line that says something, cut at its semicolons. */
static bool table_next(struct table *t)
{
    do {
        if (!fgets(t->line, sizeof t->line, t->file)) {
            fclose(t->file);
            return false;
        }
        t->line[strcspn(t->line, "#")] = '\0';
    } while (!*trimmed(t->line));

    char *rest = t->line;
    for (size_t i = 0; i < FIELDS; i++) {
        char *field = rest ? rest : t->line + strlen(t->line);
        rest = rest ? strchr(rest, ';') : NULL;
        if (rest)
            *rest++ = '\0';
        t->fields[i] = trimmed(field);
    }
    return true;
}

/* "0041" or "0041..005A" */
static struct range range_of(const struct table *t)
{
    char *end;
    struct range r = {(uint32_t)strtoul(t->fields[0], &end, 16), 0};

    r.last = strncmp(end, "..", 2) ? r.first : (uint32_t)strtoul(end + 2, NULL, 16);
    if (r.last < r.first || r.last >= CODES)
        fail("no such character", t->fields[0]);
    return r;
}

/* Python 3.11 has Unicode 14.0, 3.12 has 15.0, 3.13 has 15.1, 3.14 has 16.0. */
static uint8_t since_of(const char *version)
{
    double v = strtod(version, NULL);

    return v <= 14 ? 1 : v <= 15 ? 2 : v < 15.5 ? 3 : v <= 16 ? 4 : 0;
}

static void read_ages(const char *folder)
{
    struct table t;

    table_open(&t, folder, "DerivedAge.txt");
    while (table_next(&t)) {
        struct range r = range_of(&t);
        for (uint32_t c = r.first; c <= r.last; c++)
            characters[c].since = since_of(t.fields[1]);
    }
}

static void read_properties(const char *folder)
{
    struct table t;

    table_open(&t, folder, "DerivedCoreProperties.txt");
    while (table_next(&t)) {
        struct range r = range_of(&t);
        for (uint32_t c = r.first; c <= r.last; c++) {
            struct character *at = &characters[c];
            if (!strcmp(t.fields[1], "XID_Start"))
                at->start = at->since;
            if (!strcmp(t.fields[1], "XID_Continue"))
                at->part = at->since;
        }
    }
    characters['_'].start = 1;
}

static void add_name(const char *name, uint32_t code, uint8_t since)
{
    if (name_count == NAMES_MAX)
        fail("more names than expected", name);
    uint64_t word = unicode_name_hash(name, strlen(name));
    names[name_count++] = word | (uint64_t)since << UNICODE_CODE_BITS | code;
}

static bool is_printable(uint32_t code, const char *category)
{
    return code == ' ' || !(category[0] == 'C' || (category[0] == 'Z'));
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), k = strlen(end);

    return n >= k && !strcmp(s + n - k, end);
}

static void add_range(struct range r, const char *name, const char *category)
{
    for (uint32_t c = r.first; c <= r.last; c++)
        characters[c].printable = is_printable(c, category) ? characters[c].since : 0;
    if (!strncmp(name, "<CJK Ideograph", 14))
        ideographs[ideograph_count++] = r;
    else if (name[0] != '<')
        add_name(name, r.first, characters[r.first].since);
}

static void read_characters(const char *folder)
{
    struct table t;
    uint32_t first = 0;

    table_open(&t, folder, "UnicodeData.txt");
    while (table_next(&t)) {
        struct range r = range_of(&t);
        if (ends_with(t.fields[1], ", First>")) {
            first = r.first;
            continue;
        }
        if (ends_with(t.fields[1], ", Last>"))
            r.first = first;
        add_range(r, t.fields[1], t.fields[2]);
    }
}

/* No file says when a name was added for a character that was there. */
static uint8_t alias_since(const char *alias, uint32_t code)
{
    static const char *const with_15[] = {"EM", "ARABIC SMALL HIGH LIGATURE ALEF WITH YEH BARREE",
                                          "SUNDANESE LETTER ARCHAIC I"};

    for (size_t i = 0; i < sizeof with_15 / sizeof *with_15; i++)
        if (!strcmp(alias, with_15[i]))
            return 2;
    return characters[code].since;
}

static void read_aliases(const char *folder)
{
    struct table t;

    table_open(&t, folder, "NameAliases.txt");
    while (table_next(&t)) {
        uint32_t code = range_of(&t).first;
        add_name(t.fields[1], code, alias_since(t.fields[1], code));
    }
}

/* ---- what newer versions brought ---- */

enum { PRINT = 1, PART = 2, START = 4, MARK = PART | PRINT, LETTER = START | PART | PRINT };
static const char ideograph[] = "CJK UNIFIED IDEOGRAPH-";

/* clang-format off */
static const struct newer {
    uint32_t first, last;
    uint8_t version, classes;
    const char *name; /* one that ends in "-" goes on with the code point */
} newer[] = {
    /* Unicode 15.1 */
    {0x200C, 0x200D, 3, PART, NULL},
    {0x2FFC, 0x2FFC, 3, PRINT, "IDEOGRAPHIC DESCRIPTION CHARACTER SURROUND FROM RIGHT"},
    {0x2FFD, 0x2FFD, 3, PRINT, "IDEOGRAPHIC DESCRIPTION CHARACTER SURROUND FROM LOWER RIGHT"},
    {0x2FFE, 0x2FFE, 3, PRINT, "IDEOGRAPHIC DESCRIPTION CHARACTER HORIZONTAL REFLECTION"},
    {0x2FFF, 0x2FFF, 3, PRINT, "IDEOGRAPHIC DESCRIPTION CHARACTER ROTATION"},
    {0x30FB, 0x30FB, 3, PART, NULL},
    {0x31EF, 0x31EF, 3, PRINT, "IDEOGRAPHIC DESCRIPTION CHARACTER SUBTRACTION"},
    {0xFF65, 0xFF65, 3, PART, NULL}, {0x2EBF0, 0x2EE5D, 3, LETTER, ideograph},
    /* Unicode 16.0 */
    {0x897, 0x897, 4, MARK, NULL}, {0x1B4E, 0x1B4F, 4, PRINT, NULL},
    {0x1B7F, 0x1B7F, 4, PRINT, NULL}, {0x1C89, 0x1C8A, 4, LETTER, NULL},
    {0x2427, 0x2429, 4, PRINT, NULL}, {0x31E4, 0x31E5, 4, PRINT, NULL},
    {0xA7CB, 0xA7CD, 4, LETTER, NULL}, {0xA7DA, 0xA7DC, 4, LETTER, NULL},
    {0x105C0, 0x105F3, 4, LETTER, NULL}, {0x10D40, 0x10D49, 4, MARK, NULL},
    {0x10D4A, 0x10D65, 4, LETTER, NULL}, {0x10D69, 0x10D6D, 4, MARK, NULL},
    {0x10D6E, 0x10D6E, 4, PRINT, NULL}, {0x10D6F, 0x10D85, 4, LETTER, NULL},
    {0x10D8E, 0x10D8F, 4, PRINT, NULL}, {0x10EC2, 0x10EC4, 4, LETTER, NULL},
    {0x10EFC, 0x10EFC, 4, MARK, NULL}, {0x11380, 0x11389, 4, LETTER, NULL},
    {0x1138B, 0x1138B, 4, LETTER, NULL}, {0x1138E, 0x1138E, 4, LETTER, NULL},
    {0x11390, 0x113B5, 4, LETTER, NULL}, {0x113B7, 0x113B7, 4, LETTER, NULL},
    {0x113B8, 0x113C0, 4, MARK, NULL}, {0x113C2, 0x113C2, 4, MARK, NULL},
    {0x113C5, 0x113C5, 4, MARK, NULL}, {0x113C7, 0x113CA, 4, MARK, NULL},
    {0x113CC, 0x113D0, 4, MARK, NULL}, {0x113D1, 0x113D1, 4, LETTER, NULL},
    {0x113D2, 0x113D2, 4, MARK, NULL}, {0x113D3, 0x113D3, 4, LETTER, NULL},
    {0x113D4, 0x113D5, 4, PRINT, NULL}, {0x113D7, 0x113D8, 4, PRINT, NULL},
    {0x113E1, 0x113E2, 4, MARK, NULL}, {0x116D0, 0x116E3, 4, MARK, NULL},
    {0x11BC0, 0x11BE0, 4, LETTER, NULL}, {0x11BE1, 0x11BE1, 4, PRINT, NULL},
    {0x11BF0, 0x11BF9, 4, MARK, NULL}, {0x11F5A, 0x11F5A, 4, MARK, NULL},
    {0x13460, 0x143FA, 4, LETTER, "EGYPTIAN HIEROGLYPH-"}, {0x16100, 0x1611D, 4, LETTER, NULL},
    {0x1611E, 0x16139, 4, MARK, NULL}, {0x16D40, 0x16D6C, 4, LETTER, NULL},
    {0x16D6D, 0x16D6F, 4, PRINT, NULL}, {0x16D70, 0x16D79, 4, MARK, NULL},
    {0x18CFF, 0x18CFF, 4, LETTER, "KHITAN SMALL SCRIPT CHARACTER-"},
    {0x1CC00, 0x1CCEF, 4, PRINT, NULL}, {0x1CCF0, 0x1CCF9, 4, MARK, NULL},
    {0x1CD00, 0x1CEB3, 4, PRINT, NULL}, {0x1E5D0, 0x1E5ED, 4, LETTER, NULL},
    {0x1E5EE, 0x1E5EF, 4, MARK, NULL}, {0x1E5F0, 0x1E5F0, 4, LETTER, NULL},
    {0x1E5F1, 0x1E5FA, 4, MARK, NULL}, {0x1E5FF, 0x1E5FF, 4, PRINT, NULL},
    {0x1F8B2, 0x1F8BB, 4, PRINT, NULL}, {0x1F8C0, 0x1F8C1, 4, PRINT, NULL},
    {0x1FA89, 0x1FA89, 4, PRINT, NULL}, {0x1FA8F, 0x1FA8F, 4, PRINT, NULL},
    {0x1FABE, 0x1FABE, 4, PRINT, NULL}, {0x1FAC6, 0x1FAC6, 4, PRINT, NULL},
    {0x1FADC, 0x1FADC, 4, PRINT, NULL}, {0x1FADF, 0x1FADF, 4, PRINT, NULL},
    {0x1FAE9, 0x1FAE9, 4, PRINT, NULL}, {0x1FBCB, 0x1FBEF, 4, PRINT, NULL},
};
/* clang-format on */

static void add_newer_names(const struct newer *n)
{
    char name[100];

    for (uint32_t c = n->first; n->name && c <= n->last; c++) {
        int length = snprintf(name, sizeof name, "%s", n->name);
        if (ends_with(name, "-"))
            snprintf(name + length, sizeof name - (size_t)length, "%X", c);
        add_name(name, c, n->version);
    }
}

static void add_newer(const struct newer *n)
{
    bool known = characters[n->first].since > 0;

    for (uint32_t c = n->first; c <= n->last; c++) {
        struct character *at = &characters[c];
        if (!known)
            at->since = n->version;
        if (n->classes & START)
            at->start = n->version;
        if (n->classes & PART)
            at->part = n->version;
        if (n->classes & PRINT)
            at->printable = n->version;
    }
    if (known)
        return;
    if (n->name == ideograph)
        ideographs[ideograph_count++] = (struct range){n->first, n->last};
    else
        add_newer_names(n);
}

/* ---- writing ---- */

static unsigned word_of(uint32_t code)
{
    const struct character *c = &characters[code];

    return (unsigned)c->start << 2 * UNICODE_SINCE_BITS | (unsigned)c->part << UNICODE_SINCE_BITS |
           c->printable;
}

/* One word wherever the answer changes: the first code of the run, then the three answers. */
static void write_runs(void)
{
    size_t count = 0;

    puts("static const uint32_t unicode_runs[] = {");
    for (uint32_t c = 0; c < CODES; c++)
        if (c == 0 || word_of(c) != word_of(c - 1))
            printf("0x%x,%s", c << 3 * UNICODE_SINCE_BITS | word_of(c), ++count % 8 ? " " : "\n");
    puts("\n};\n");
}

static void write_ideographs(void)
{
    puts("static const struct { uint32_t first, last; } unicode_ideographs[] = {");
    for (size_t i = 0; i < ideograph_count; i++)
        printf("{0x%x, 0x%x},\n", ideographs[i].first, ideographs[i].last);
    puts("};\n");
}

static int compare_words(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static void write_names(void)
{
    qsort(names, name_count, sizeof *names, compare_words);
    puts("static const uint64_t unicode_names[] = {");
    for (size_t i = 0; i < name_count; i++) {
        if (i && (names[i] ^ names[i - 1]) >> (64 - UNICODE_HASH_BITS) == 0)
            fail("two names have one hash: change unicode_name_hash", "names");
        printf("0x%llx,%s", (unsigned long long)names[i], (i + 1) % 5 ? " " : "\n");
    }
    puts("\n};");
}

int main(int argc, char **argv)
{
    if (argc != 2)
        fail("usage: make-unicode FOLDER", "arguments");
    read_ages(argv[1]);
    read_properties(argv[1]);
    read_characters(argv[1]);
    read_aliases(argv[1]);
    for (size_t i = 0; i < sizeof newer / sizeof *newer; i++)
        add_newer(&newer[i]);
    puts("/* Made by tools/make-unicode.c from the Unicode Character Database. */");
    write_runs();
    write_ideographs();
    write_names();
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
