/* SPDX-License-Identifier: Apache-2.0 */
#include "syntax/unicode.h"

#include "python/python.h"
#include "python_oracle.h"

enum { CODES = 0x110000, OUTPUT_MAX = 64 << 20 };

static unsigned target; /* the oracle's */

/* ---- UTF-8 ---- */

static void test_every_code(void)
{
    unsigned wrong = 0;

    for (uint32_t c = 0; c < CODES; c++) {
        char bytes[8];
        struct buf b = {.p = bytes, .cap = 7, .limit = 7};
        size_t at = 0;
        wrong += unicode_add(&b, c) < 0 || unicode_next(buf_str(&b), &at) != c || at != b.n;
        for (size_t n = 1; n < b.n; n++) {
            at = 0;
            wrong += unicode_next((struct str){bytes, n}, &at) != 0xFFFD || at != 1;
        }
    }
    EQ_INT(wrong, 0);
}

static void test_bad_bytes(void)
{
    static const char *const bad[] = {"\x80",
                                      "\xBF\x80",
                                      "\xC0\x80",
                                      "\xC1\xBF",
                                      "\xE0\x9F\xBF",
                                      "\xF0\x8F\xBF\xBF",
                                      "\xF4\x90\x80\x80",
                                      "\xF8\x88\x80\x80\x80",
                                      "\xFF",
                                      "\xC3(",
                                      "\xE2\x82("};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t at = 0;
        OK(unicode_next(str_from(bad[i]), &at) == 0xFFFD && at == 1, "bad bytes %zu", i);
    }
}

/* ---- against CPython ---- */

/* A digit for each code point: 1 may begin an identifier, 2 may be in one, 4 is printable. */
static const char classes_script[] =
    "import sys\n"
    "sys.stdout.write(''.join('%d' % (c.isidentifier() + 2 * ('a' + c).isidentifier() +\n"
    "    4 * c.isprintable()) for c in map(chr, range(0x110000))))\n";

static void test_classes(void)
{
    AUTO_BUF struct buf want = {0};
    unsigned wrong = 0;

    buf_init(&want, OUTPUT_MAX);
    if (!OK(oracle_ask(classes_script, STR(""), &want) && want.n == CODES, "CPython's classes"))
        return;
    for (uint32_t c = 0; c < CODES; c++) {
        int got = unicode_is_identifier_start(c, target) +
                  2 * unicode_is_identifier_part(c, target) + 4 * unicode_is_printable(c, target);
        if (got != want.p[c] - '0' && wrong++ < 10)
            printf("# U+%04X: got %d, want %c\n", c, got, want.p[c]);
    }
    EQ_INT(wrong, 0);
}

/* All names and aliases in several spellings, and names that are wrong by one letter. */
static const char names_script[] =
    "import sys, unicodedata as u\n"
    "names = [u.name(chr(c), '') for c in range(0x110000)]\n"
    "with open('/usr/share/unicode/NameAliases.txt') as f:\n"
    "    names += [line.split(';')[1] for line in f if line[0] not in '#\\n']\n"
    "out = []\n"
    "def ask(name):\n"
    "    try:\n"
    "        found = u.lookup(name)\n"
    "    except KeyError:\n"
    "        found = ''\n"
    "    out.append('%x;%s' % (ord(found) if len(found) == 1 else 0x110000, name))\n"
    "for name in filter(None, names):\n"
    "    ask(name)\n"
    "    if len(out) % 16 == 0 or 'IDEOGRAPH-' not in name and 'SYLLABLE' not in name:\n"
    "        ask(name.lower()); ask(name[:-1]); ask(name + 'X')\n"
    "print('\\n'.join(out))\n";

/* What Unicode 16.0 brought: its names and normal forms are not known. */
static bool is_too_new(uint32_t code)
{
    return target >= 14 && code < CODES && unicode_is_printable(code, 14) &&
           !unicode_is_printable(code, 13);
}

static void test_names(void)
{
    AUTO_BUF struct buf want = {0};
    unsigned wrong = 0, asked = 0;
    struct str rest, name;

    buf_init(&want, OUTPUT_MAX);
    if (!OK(oracle_ask(names_script, STR(""), &want), "CPython's names"))
        return;
    for (rest = buf_str(&want); rest.n; asked++) {
        uint32_t code = oracle_hex(&rest);
        str_next(&rest, '\n', &name);
        int32_t got = unicode_by_name(name, target);
        if (got != (code < CODES ? (int32_t)code : -1) && !(got < 0 && is_too_new(code)) &&
            wrong++ < 10)
            printf("# %.*s: got %X, want %X\n", (int)name.n, name.p, (unsigned)got, code);
    }
    EQ_INT(wrong, 0);
    OK(asked > 230000, "%u names", asked);
}

/* The normal form of every character that has one, alone and behind a letter. */
static const char normal_script[] = "import sys, unicodedata as u\n"
                                    "def form(s):\n"
                                    "    return u.normalize('NFKC', s).encode().hex()\n"
                                    "for c in range(0x110000):\n"
                                    "    s = chr(c)\n"
                                    "    if u.category(s) not in ('Cn', 'Cs') and c:\n"
                                    "        print('%x' % c, form(s), form('e' + s), sep=';')\n";

/* Whether the normal form of a text is what *rest holds in hexadecimal; cuts that off. */
static bool is_normal(struct str text, struct str *rest)
{
    AUTO_BUF struct buf got = {0};
    AUTO_BUF struct buf hex = {0};
    struct str want;

    buf_init(&got, 1000);
    buf_init(&hex, 2000);
    str_next(rest, ';', &want);
    unicode_normalize(text, &got);
    for (size_t i = 0; i < got.n; i++)
        buf_addf(&hex, "%02x", (unsigned char)got.p[i]);
    return str_eq(buf_str(&hex), want);
}

static void test_normal(void)
{
    AUTO_BUF struct buf want = {0};
    unsigned wrong = 0, asked = 0;
    struct str rest, line;

    buf_init(&want, OUTPUT_MAX);
    if (!OK(oracle_ask(normal_script, STR(""), &want), "CPython's normal forms"))
        return;
    for (rest = buf_str(&want); str_next_line(&rest, &line); asked++) {
        char bytes[8] = "e";
        struct buf b = {.p = bytes, .n = 1, .cap = 7, .limit = 7};
        uint32_t code = oracle_hex(&line);
        unicode_add(&b, code);
        if (!is_too_new(code) &&
            (!is_normal(str_slice(buf_str(&b), 1, b.n), &line) || !is_normal(buf_str(&b), &line)) &&
            wrong++ < 10)
            printf("# U+%04X\n", code);
    }
    EQ_INT(wrong, 0);
    OK(asked > 280000, "%u characters", asked);
}

/* ---- versions ---- */

static void test_versions(void)
{
    static const struct {
        uint32_t code;
        unsigned since;
        const char *name;
    } rows[] = {
        {0xE9, 11, "latin small letter e with acute"},
        {0x1E030, 12, "MODIFIER LETTER CYRILLIC SMALL A"},
        {0x31350, 12, "CJK UNIFIED IDEOGRAPH-31350"},
        {0x2EBF0, 13, "CJK UNIFIED IDEOGRAPH-2EBF0"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned t = PYTHON_OLDEST; t <= PYTHON_NEWEST; t++) {
            bool known = t >= rows[i].since;
            OK(unicode_is_identifier_start(rows[i].code, t) == known &&
                   unicode_is_identifier_part(rows[i].code, t) == known &&
                   unicode_is_printable(rows[i].code, t) == known &&
                   unicode_by_name(str_from(rows[i].name), t) ==
                       (known ? (int32_t)rows[i].code : -1),
               "3.%u and %s", t, rows[i].name);
        }
}

static void test_odd_names(void)
{
    static const struct {
        const char *name;
        int32_t code;
    } rows[] = {
        {"", -1},
        {"nbsp", 0xA0},
        {"LINE FEED", 0x0A},
        {"BELL", 0x1F514},
        {"KEYCAP DIGIT ONE", -1},
        {"HANGUL SYLLABLE GAG", 0xAC01},
        {"HANGUL SYLLABLE A", 0xC544},
        {"HANGUL SYLLABLE GAGX", -1},
        {"HANGUL SYLLABLE ", -1},
        {"hangul syllable GAG", -1},
        {"CJK UNIFIED IDEOGRAPH-4E00", 0x4E00},
        {"CJK UNIFIED IDEOGRAPH-04E00", 0x4E00},
        {"CJK UNIFIED IDEOGRAPH-4e00", -1},
        {"CJK UNIFIED IDEOGRAPH-4E0G", -1},
        {"CJK UNIFIED IDEOGRAPH-", -1},
        {"CJK UNIFIED IDEOGRAPH-AC00", -1},
        {"CJK COMPATIBILITY IDEOGRAPH-F900", 0xF900},
        {"TANGUT IDEOGRAPH-17000", -1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        OK(unicode_by_name(str_from(rows[i].name), 11) == rows[i].code, "\"%s\"", rows[i].name);
}

static void test_normal_limit(void)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 10);
    EQ_INT(unicode_normalize(STR("\xEF\xB7\xBA"), &b), -1); /* one character that becomes 18 */
    EQ_INT(b.n, 0);
    EQ_INT(unicode_normalize(STR("\xEF\xAC\x81n"), &b), 0);
    EQ_STR(b.p, "fin");
}

int main(void)
{
    RUN(test_every_code());
    RUN(test_bad_bytes());
    RUN(test_versions());
    RUN(test_odd_names());
    RUN(test_normal_limit());
    target = oracle_target();
    if (target) {
        RUN(test_classes());
        RUN(test_names());
        RUN(test_normal());
    } else {
        SKIP("no Python to compare with");
    }
    return tap_done();
}
