/* SPDX-License-Identifier: Apache-2.0
 *
 * Literals: some by hand, and many made at random whose value, repr() and errors are CPython's.
 */
#include "syntax/literal.h"

#include <locale.h>

#include "base/mem.h"
#include "python_oracle.h"

enum { OUTPUT_MAX = 64 << 20, RANDOM_STRINGS = 12000, RANDOM_NUMBERS = 9000 };

static unsigned target; /* the oracle's */

/* ---- one literal ---- */

struct outcome {
    struct buf text;   /* its repr(), or the error's message */
    struct buf value;  /* of str and bytes, in hexadecimal */
    struct buf escape; /* the first that makes no sense, from behind its backslash */
    bool failed;       /* the text is an error's */
    bool unprintable;  /* a number of too many digits */
};

static void outcome_init(struct outcome *o)
{
    *o = (struct outcome){0};
    buf_init(&o->text, 1 << 20);
    buf_init(&o->value, 1 << 20);
    buf_init(&o->escape, 1 << 20);
}

static void outcome_done(struct outcome *o)
{
    buf_done(&o->text);
    buf_done(&o->value);
    buf_done(&o->escape);
}

static bool read_string(struct python_tree *tree, struct str source, struct node *n,
                        struct outcome *ret)
{
    struct literal_error error;
    struct str body;
    long bad = -1;
    unsigned flags = literal_open(source, &body);

    n->op = flags & LITERAL_BYTES ? CONST_BYTES : CONST_STR;
    if (!literal_decode(tree, body, flags, &n->constant.text, &bad, &error)) {
        buf_adds(&ret->text, error.message);
        return false;
    }
    for (size_t i = 0; i < n->constant.text.n; i++)
        buf_addf(&ret->value, "%02x", (unsigned char)n->constant.text.p[i]);
    if (bad >= 0)
        buf_add_str(&ret->escape, str_slice(body, (size_t)bad + 1, body.n));
    return true;
}

static bool read_number(struct python_tree *tree, struct str source, struct node *n,
                        struct outcome *ret)
{
    if (literal_number(tree, source, n) == 0)
        return true;
    buf_adds(&ret->text, tree->error.message);
    return false;
}

static void read_literal(struct str source, unsigned for_target, struct outcome *ret)
{
    struct python_tree tree = {.target = for_target};
    struct node *n = node_new(&tree.arena, N_CONSTANT);
    bool number = (source.p[0] >= '0' && source.p[0] <= '9') || source.p[0] == '.';

    outcome_init(ret);
    n->line = n->end_line = 7;
    if (number ? read_number(&tree, source, n, ret) : read_string(&tree, source, n, ret))
        ret->unprintable = literal_repr(n, for_target, &ret->text) < 0;
    else
        ret->failed = true;
    arena_done(&tree.arena);
}

/* ---- by hand ---- */

static void test_open(void)
{
    static const struct {
        const char *token, *body;
        unsigned flags;
    } rows[] = {
        {"''", "", 0},
        {"'a'", "a", 0},
        {"\"\"\"\"\"\"", "", 0},
        {"'''a''b'''", "a''b", 0},
        {"r\"\\\"\"", "\\\"", LITERAL_RAW},
        {"Rb'x'", "x", LITERAL_RAW | LITERAL_BYTES},
        {"bR'x'", "x", LITERAL_RAW | LITERAL_BYTES},
        {"u'x'", "x", LITERAL_UNICODE},
        {"fR'{x}'", "{x}", LITERAL_RAW | LITERAL_FORMAT},
        {"T'''x'''", "x", LITERAL_TEMPLATE},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct str body = {0};
        unsigned flags = literal_open(str_from(rows[i].token), &body);
        OK(flags == rows[i].flags && str_is(body, rows[i].body), "%s", rows[i].token);
    }
}

static void test_places(void)
{
    static const struct {
        const char *body;
        size_t at, end;
        const char *message;
    } rows[] = {
        {"\xC3\xA9\\x1z", 2, 5, "position 10-12: truncated \\xXX escape"},
        {"\\\xC3\xA9\\x1", 3, 6, "position 16-18: truncated \\xXX escape"},
        {"\\\\\xC3\xA9\\N{", 4, 7, "position 12-14: malformed \\N character escape"},
        {"ab\\N{\xC3\xA9}", 2, 8, "position 2-15: unknown Unicode character name"},
        {"\\U00110000", 0, 10, "position 0-9: illegal Unicode character"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct python_tree tree = {.target = 11};
        struct literal_error e = {0};
        struct str text;
        long bad;
        bool good = literal_decode(&tree, str_from(rows[i].body), 0, &text, &bad, &e);
        OK(!good && e.at == rows[i].at && e.end == rows[i].end &&
               str_ends(str_from(e.message), rows[i].message),
           "%s", e.message);
        arena_done(&tree.arena);
    }
}

/* A body in which nothing is to be resolved is not copied. */
static void test_no_copy(void)
{
    struct python_tree tree = {.target = 11};
    struct str body = STR("\\x not"), text = {0};
    long bad = 0;

    OK(literal_decode(&tree, body, LITERAL_RAW, &text, &bad, NULL) && text.p == body.p, "raw");
    body = STR("plain");
    OK(literal_decode(&tree, body, 0, &text, &bad, NULL) && text.p == body.p, "plain");
    EQ_INT(arena_used(&tree.arena), 0);
}

static void test_too_many_digits(void)
{
    struct outcome o;
    char digits[4302];

    memset(digits, '7', sizeof digits);
    read_literal((struct str){digits, 4301}, 12, &o);
    OK(o.failed, "4301 digits");
    EQ_STR(o.text.p,
           "Exceeds the limit (4300 digits) for integer string conversion: value has 4301 "
           "digits; use sys.set_int_max_str_digits() to increase the limit - Consider "
           "hexadecimal for huge integer literals to avoid decimal conversion limits.");
    outcome_done(&o);
    read_literal((struct str){digits, 4300}, 12, &o);
    OK(!o.failed && o.text.n == 4300, "4300 digits");
    outcome_done(&o);
    memcpy(digits, "0x", 2);
    read_literal((struct str){digits, 4000}, 12, &o);
    OK(!o.failed && o.unprintable, "too many to print");
    outcome_done(&o);
}

static void test_reals(void)
{
    static const char *const rows[][2] = {
        {"1e16", "1e+16"},
        {"1e15", "1000000000000000.0"},
        {"0.0001", "0.0001"},
        {"0.00001", "1e-05"},
        {"5e-324", "5e-324"},
        {"2.2250738585072011e-308", "2.225073858507201e-308"},
        {"1e309", "inf"},
        {"1_0.5_0e-1_0", "1.05e-09"},
        {"5.684341886080802e-14", "5.684341886080802e-14"}, /* 2 ** -44 */
        {"9007199254740993.0", "9007199254740992.0"},
        {"0j", "0j"},
        {"1e16j", "1e+16j"},
        {"2.50J", "2.5j"},
        {"1e999j", "infj"},
        {"0.", "0.0"},
        {".5", "0.5"},
        {"123456789012345678.", "1.2345678901234568e+17"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct outcome o;
        read_literal(str_from(rows[i][0]), 11, &o);
        OK(tap_same(o.text.p, rows[i][1]), "%s is %s", rows[i][0], o.text.p);
        outcome_done(&o);
    }
}

/* A host may have set a locale in which the decimal point is a comma. */
static void test_locale(void)
{
    struct outcome o;

    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8")) {
        SKIP("no locale with a comma");
        return;
    }
    read_literal(STR("1234.5e-7"), 11, &o);
    EQ_STR(o.text.p, "0.00012345");
    outcome_done(&o);
    setlocale(LC_ALL, "C");
}

static void test_small_limit(void)
{
    struct python_tree tree = {0};
    struct node *n = node_new(&tree.arena, N_CONSTANT);
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 10);
    n->op = CONST_STR;
    n->constant.text = STR("0123456789");
    EQ_INT(literal_repr(n, 11, &b), -1);
    n->op = CONST_FLOAT;
    n->constant.real = 1.23456789e200;
    buf_clear(&b);
    EQ_INT(literal_repr(n, 11, &b), -1);
    arena_done(&tree.arena);
}

/* ---- at random ---- */

static uint64_t seed = 12;

static unsigned pick(unsigned n)
{
    seed = seed * 6364136223846793005 + 1442695040888963407;
    return (unsigned)((seed >> 33) % n);
}

static void add_string(struct buf *b)
{
    static const char *const parts[] = {
        "\\",
        "\\",
        "\\",
        "\\",
        "\\x",
        "\\u",
        "\\U",
        "\\N{",
        "}",
        "{",
        "N",
        "x",
        "u",
        "U",
        "0",
        "1",
        "7",
        "8",
        "a",
        "F",
        "000",
        "0010",
        "41",
        "DIGIT ONE",
        "bell",
        "z",
        "n",
        "t",
        "\n",
        "\t",
        "\x7F",
        "\x01",
        "'",
        "d83d",
        "\xC3\xA9",
        "\xE2\x82\xAC",
        "\xF0\x9F\x98\x80",
        "\xC2\xA0",
        "\xC2\x85",
        "\xE2\x80\xA8",
        "\xF3\xA0\x80\x81",
    };
    static const unsigned ascii = 34;
    bool is_bytes = pick(4) == 0;
    size_t start, back = 0;

    buf_adds(b, is_bytes ? "b\"\"\"" : "\"\"\"");
    start = b->n;
    for (unsigned n = pick(8); n; n--)
        buf_adds(b, parts[pick(is_bytes ? ascii : (unsigned)ARRAY_LEN(parts))]);
    while (b->n - back > start && b->p[b->n - back - 1] == '\\')
        back++;
    buf_adds(b, back % 2 ? "b\"\"\"" : "\"\"\"");
}

static void add_digits(struct buf *b, const char *digits, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (i && pick(8) == 0)
            buf_addc(b, '_');
        buf_addc(b, digits[pick((unsigned)strlen(digits))]);
    }
}

static void add_whole(struct buf *b)
{
    static const char *const bases[][2] = {
        {"0x", "0123456789abcdefABCDEF"}, {"0X", "fF"}, {"0o", "01234567"}, {"0B", "01"}};
    unsigned base = pick(6);

    if (base < 4) {
        buf_adds(b, bases[base][0]);
        add_digits(b, bases[base][1], 1 + pick(pick(20) ? 40 : 4000));
    } else {
        buf_addc(b, (char)('1' + pick(9)));
        add_digits(b, "0123456789", pick(pick(20) ? 40 : 4400));
    }
}

static void add_double(struct buf *b)
{
    union {
        uint64_t bits;
        double value;
    } u = {.bits = (uint64_t)pick(0x7FF) << 52};

    if (pick(3))
        u.bits |= (uint64_t)pick(1 << 22) << 30 | pick(1 << 30);
    if (pick(20) == 0)
        u.bits = pick(1000);
    buf_addf(b, "%.17g%s", u.value, pick(4) ? "" : "j");
}

static void add_real(struct buf *b)
{
    bool brief = pick(2);

    buf_addc(b, (char)('0' + pick(10)));
    add_digits(b, "0123456789", pick(brief ? 9 : 20));
    buf_addc(b, '.');
    add_digits(b, "0123456789", pick(brief ? 9 : 20));
    if (pick(2))
        buf_addf(b, "%c%d", pick(2) ? 'e' : 'E', brief ? (int)pick(60) - 30 : (int)pick(700) - 350);
    if (pick(5) == 0)
        buf_addc(b, 'j');
}

static void add_number(struct buf *b)
{
    static void (*const kinds[])(struct buf *) = {add_whole, add_double, add_real};

    kinds[pick(3)](b);
}

static void add_power_of_two(struct buf *b, int exponent)
{
    union {
        uint64_t bits;
        double value;
    } u = {.bits = exponent < 52 ? (uint64_t)1 << exponent : (uint64_t)(exponent - 51) << 52};

    buf_addf(b, "%.17g", u.value);
    if (b->n > 1 && !memchr(b->p, '.', b->n) && !memchr(b->p, 'e', b->n))
        buf_adds(b, ".0");
}

/* Literals in hexadecimal, a line each. */
static void make_cases(struct buf *ret)
{
    AUTO_BUF struct buf one = {0};

    buf_init(&one, 1 << 16);
    for (int i = 0; i < RANDOM_STRINGS + RANDOM_NUMBERS + 2098; i++) {
        buf_clear(&one);
        if (i < RANDOM_STRINGS)
            add_string(&one);
        else if (i < RANDOM_STRINGS + RANDOM_NUMBERS)
            add_number(&one);
        else
            add_power_of_two(&one, i - RANDOM_STRINGS - RANDOM_NUMBERS);
        for (size_t k = 0; k < one.n; k++)
            buf_addf(ret, "%02x", (unsigned char)one.p[k]);
        buf_addc(ret, '\n');
    }
}

static const char script[] =
    "import re, sys, warnings\n"
    "seen = []\n"
    "warnings.simplefilter('always')\n"
    "warnings.showwarning = lambda message, *rest: seen.append(str(message))\n"
    "sys.stdout.reconfigure(encoding='utf-8')\n"
    "for line in sys.stdin:\n"
    "    seen.clear()\n"
    "    try:\n"
    "        v = eval(compile(bytes.fromhex(line), 't', 'eval'))\n"
    "    except SyntaxError as e:\n"
    "        print('error', e.msg, '', '', sep='\\t')\n"
    "        continue\n"
    "    raw = v if isinstance(v, bytes) else b''\n"
    "    if isinstance(v, str):\n"
    "        raw = v.encode('utf-8', 'surrogatepass')\n"
    "    escape = re.search(r'''['\"]\\\\([0-7]{3}|.)''', seen[0], re.S)[1] if seen else ''\n"
    "    try:\n"
    "        print('good', repr(v), raw.hex(), escape, sep='\\t')\n"
    "    except ValueError:\n"
    "        print('long', '', '', '', sep='\\t')\n";

/* What CPython said of one literal: a word, then the three texts of an outcome. */
static bool agrees(const struct outcome *o, struct str answer)
{
    struct str word, text, value, escape;

    if (!str_next(&answer, '\t', &word) || !str_next(&answer, '\t', &text) ||
        !str_next(&answer, '\t', &value))
        return false;
    escape = answer;
    if (o->unprintable)
        return str_is(word, "long");
    if (o->failed != str_is(word, "error") || !str_eq(buf_str(&o->text), text))
        return false;
    if (!str_eq(buf_str(&o->value), value) || (o->escape.n > 0) != (escape.n > 0))
        return false;
    return str_eq(str_slice(buf_str(&o->escape), 0, escape.n), escape);
}

static void compare(struct str cases, struct str answers)
{
    AUTO_BUF struct buf source = {0};
    unsigned wrong = 0, asked = 0;
    struct str line, answer;

    buf_init(&source, 1 << 16);
    for (; str_next_line(&cases, &line) && str_next(&answers, '\n', &answer); asked++) {
        struct outcome o;
        buf_clear(&source);
        for (; line.n; line = str_slice(line, 2, line.n)) {
            struct str byte = str_slice(line, 0, 2);
            buf_addc(&source, (char)oracle_hex(&byte));
        }
        read_literal(buf_str(&source), target, &o);
        if (!agrees(&o, answer) && wrong++ < 10)
            printf("# %s: got %s, want %.*s\n", source.p, o.text.p, (int)answer.n, answer.p);
        outcome_done(&o);
    }
    EQ_INT(wrong, 0);
    EQ_INT(asked, RANDOM_STRINGS + RANDOM_NUMBERS + 2098);
}

static void test_against_cpython(void)
{
    AUTO_BUF struct buf cases = {0};
    AUTO_BUF struct buf answers = {0};

    buf_init(&cases, OUTPUT_MAX);
    buf_init(&answers, OUTPUT_MAX);
    make_cases(&cases);
    if (OK(oracle_ask(script, buf_str(&cases), &answers), "CPython's answers"))
        compare(buf_str(&cases), buf_str(&answers));
}

int main(void)
{
    RUN(test_open());
    RUN(test_places());
    RUN(test_no_copy());
    RUN(test_too_many_digits());
    RUN(test_reals());
    RUN(test_locale());
    RUN(test_small_limit());
    target = oracle_target();
    if (target)
        RUN(test_against_cpython());
    else
        SKIP("no Python to compare with");
    return tap_done();
}
