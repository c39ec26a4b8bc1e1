/* SPDX-License-Identifier: Apache-2.0 */
#include "values/compare.h"
#include "values/number.h"
#include "values/value.h"

#include "base/mem.h"
#include "languages/guests.h"
#include "python_oracle.h"
#include "tap.h"

static const struct value_limits many = {.nodes = 100000};

/* Reads and resolves; the message on failure. */
static bool read_ours(const char *text, struct arena *arena, struct value *ret, struct err *err)
{
    *err = (struct err){0};
    return value_read_json(str_from(text), &many, arena, ret, err) == 0 &&
           value_resolve(ret, str_from(text), true, arena, err) == 0;
}

static char *repr_of(const char *text)
{
    struct arena arena = {0};
    AUTO_BUF struct buf b = {0};
    struct value v;
    struct err err;

    buf_init(&b, 4096);
    if (read_ours(text, &arena, &v, &err))
        value_repr(&v, 200, &b);
    else
        (void)buf_adds(&b, err.msg);
    arena_done(&arena);
    return buf_take(&b);
}

static void check_reprs(void)
{
    static const char *const pairs[][2] = {
        {"null", "None"},
        {"[true, false, 1, -1.0, 1e100, NaN, -Infinity]",
         "[True, False, 1, -1.0, 1e+100, nan, -inf]"},
        {"265252859812191058636308480000000", "265252859812191058636308480000000"},
        {"-9223372036854775809", "-9223372036854775809"},
        {"{\"a\": [1], \"b\\n\": {}}", "{'a': [1], 'b\\n': {}}"},
        {"\"\\ud800\"", "'\\ud800'"},
        {"\"\\ud83d\\ude00\"", "'\xF0\x9F\x98\x80'"},
        {"{\"$type\": \"tuple\", \"items\": [1]}", "(1,)"},
        {"{\"$type\": \"set\", \"items\": []}", "set()"},
        {"{\"$type\": \"frozenset\", \"items\": [1, 2]}", "frozenset({1, 2})"},
        {"{\"$type\": \"bytes\", \"base64\": \"AP8n\"}", "b\"\\x00\\xff'\""},
        {"{\"$type\": \"bytes\", \"text\": \"ab\"}", "b'ab'"},
        {"{\"$type\": \"complex\", \"real\": 0, \"imag\": -2}", "-2j"},
        {"{\"$type\": \"complex\", \"real\": 1.5, \"imag\": 2}", "(1.5+2j)"},
        {"{\"$type\": \"int\", \"hex\": \"-0x1f\"}", "-31"},
        {"{\"$type\": \"range\", \"stop\": 3}", "range(0, 3)"},
        {"{\"$type\": \"decimal\", \"text\": \"1.50\"}", "Decimal('1.50')"},
        {"{\"$type\": \"fraction\", \"numerator\": 6, \"denominator\": 4}", "Fraction(3, 2)"},
        {"{\"$type\": \"fraction\", \"numerator\": -12, \"denominator\": 36}", "Fraction(-1, 3)"},
        {"{\"$type\": \"date\", \"text\": \"2024-02-29\"}", "datetime.date(2024, 2, 29)"},
        {"{\"$type\": \"time\", \"text\": \"12:00:00.000005\"}", "datetime.time(12, 0, 0, 5)"},
        {"{\"$type\": \"datetime\", \"text\": \"2024-02-29T12:30:00Z\"}",
         "datetime.datetime(2024, 2, 29, 12, 30, tzinfo=datetime.timezone.utc)"},
        {"{\"$type\": \"timedelta\", \"seconds\": -1}",
         "datetime.timedelta(days=-1, seconds=86399)"},
        {"{\"$type\": \"enum\", \"class\": \"Color\", \"name\": \"RED\", \"value\": 1}",
         "<Color.RED: 1>"},
        {"{\"$type\": \"namedtuple\", \"class\": \"P\", \"items\": [[\"x\", 1], [\"y\", 2]]}",
         "P(x=1, y=2)"},
        {"{\"$type\": \"ndarray\", \"items\": [1, 2], \"shape\": [2]}", "array([1, 2])"},
    };

    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        AUTO_FREE char *got = repr_of(pairs[i][0]);
        EQ_STR(got, pairs[i][1]);
    }
}

static void check_errors(void)
{
    static const char *const pairs[][2] = {
        {"", "line 1, column 1: the text ends too soon"},
        {"[1, 2", "line 1, column 6: here a comma or ] is missing"},
        {"[1,\n 2,]", "line 2, column 4: nothing follows this comma"},
        {"{\"a\" 1}", "line 1, column 6: here a colon is missing"},
        {"{a: 1}", "line 1, column 2: here a key in double quotes is missing"},
        {"'a'", "line 1, column 1: this is not a value of JSON"},
        {"\"a", "line 1, column 1: this string has no end"},
        {"\"a\\\"", "line 1, column 1: this string has no end"},
        {"\"\\x41\"", "line 1, column 2: this is not an escape of JSON"},
        {"\"\\u12\"", "line 1, column 2: this is not an escape of JSON"},
        {"\"a\nb\"", "line 1, column 3: a control character in a string; write a line end as \\n"},
        {"\"\xff\"", "line 1, column 2: this is not UTF-8"},
        {"01", "line 1, column 1: this is not a number of JSON"},
        {"1 2", "line 1, column 3: something follows the value"},
        {"{\"a\": 1, \"a\": 2}", "line 1, column 10: the key \"a\" is given twice"},
        {"[{\"$type\": \"tupel\"}]",
         "line 1, column 12: this \"$type\" is unknown; 'glovebox help cases' lists them"},
        {"{\"$type\": \"tuple\"}", "line 1, column 1: \"items\" is missing, or of the wrong type"},
        {"{\"$type\": \"int\", \"hex\": \"0xg\"}",
         "line 1, column 25: this is not an integer in the form \"-0x1f\""},
        {"{\"$type\": \"date\", \"text\": \"2023-02-29\"}",
         "line 1, column 27: this is not the form of isoformat()"},
        {"{\"$type\": \"fraction\", \"numerator\": 1, \"denominator\": 0}",
         "line 1, column 1: a denominator must be positive"},
        {"{\"$type\": \"ndarray\", \"items\": [1], \"shape\": [2]}",
         "line 1, column 1: the shape does not match the number of items"},
    };

    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        AUTO_FREE char *got = repr_of(pairs[i][0]);
        EQ_STR(got, pairs[i][1]);
    }
}

static void check_limits(void)
{
    AUTO_BUF struct buf deep = {0}, wide = {0}, digits = {0};

    buf_init(&deep, 1 << 20);
    buf_init(&wide, 1 << 20);
    buf_init(&digits, 1 << 20);
    for (int i = 0; i < VALUE_MAX_DEPTH + 1; i++)
        (void)buf_adds(&deep, "[");
    for (int i = 0; i < 100001; i++)
        (void)buf_adds(&wide, i ? ",0" : "[0");
    for (int i = 0; i < VALUE_MAX_DECIMAL + 1; i++)
        (void)buf_adds(&digits, "1");
    AUTO_FREE char *a = repr_of(deep.p), *b = repr_of(wide.p), *c = repr_of(digits.p);
    OK(strstr(a, "nested too deeply"), "depth has a ceiling");
    OK(strstr(b, "too many values"), "so has the number of values");
    OK(strstr(c, "too many digits"), "and an integer's length");
}

static bool equal(const char *x, const char *y, const struct tolerance *tolerance)
{
    struct arena arena = {0};
    struct value a, b;
    struct err err;
    bool both = read_ours(x, &arena, &a, &err) && read_ours(y, &arena, &b, &err);
    bool same = both && value_equal(&a, &b, tolerance);

    OK(both, "%s, %s", x, y);
    arena_done(&arena);
    return same;
}

static void check_tolerance(void)
{
    const struct tolerance close = {.on = true, .rel = 1e-9, .abs = 1e-9},
                           nan = {.nan_equal = true};

    OK(!equal("0.30000000000000004", "0.3", NULL), "floats are exact");
    OK(equal("0.30000000000000004", "0.3", &close), "but where there is a tolerance");
    OK(equal("[{\"a\": 0.30000000000000004}]", "[{\"a\": 0.3}]", &close), "also inside");
    OK(equal("1.0000000000001", "1", &close), "an integer beside a float");
    OK(!equal("3", "4", &(struct tolerance){.on = true, .abs = 2}), "integers have none");
    OK(!equal("\"0.3\"", "0.3", &close), "nor has text");
    OK(!equal("NaN", "NaN", &close), "nan is close to nothing");
    OK(equal("[NaN]", "[NaN]", &nan), "and equal where that is asked for");
    OK(!equal("Infinity", "1e308", &close), "infinity neither");
}

/* A claim may say one member several times. */
static void check_claims(void)
{
    OK(!equal("{\"$type\": \"set\", \"items\": [1, 1]}", "{\"$type\": \"set\", \"items\": [1, 2]}",
              NULL),
       "a set with one member twice");
    OK(!equal("{\"$type\": \"dict\", \"items\": [[1, 2], [1, 2]]}",
              "{\"$type\": \"dict\", \"items\": [[1, 2], [3, 2]]}", NULL),
       "a dict with one key twice");
    OK(!equal("{\"$type\": \"other\", \"class\": \"X\", \"repr\": \"1\"}",
              "{\"$type\": \"other\", \"class\": \"X\", \"repr\": \"1\"}", NULL),
       "what is unknown equals nothing");
}

#define SET(items)   "{\"$type\": \"set\", \"items\": [" items "]}"
#define DICT(items)  "{\"$type\": \"dict\", \"items\": [" items "]}"
#define AT(text)     "{\"$type\": \"datetime\", \"text\": \"" text "\"}"
#define TALLY(items) "{\"$type\": \"dict\", \"class\": \"Counter\", \"items\": [" items "]}"

/* By hand what the random values below find by luck. */
static void check_equality(void)
{
    static const char noon[] = AT("2023-12-31T18:45:00Z"),
                      early[] = AT("2023-12-31T12:45:00-06:00"),
                      odd[] = AT("2024-01-01T00:30:00+05:45");

    OK(equal(noon, early, NULL) && equal(early, odd, NULL), "one point in time");
    AUTO_FREE char *a = xasprintf("{\"$type\": \"set\", \"items\": [%s]}", noon);
    AUTO_FREE char *b = xasprintf("{\"$type\": \"set\", \"items\": [%s]}", odd);
    AUTO_FREE char *c = xasprintf("{\"$type\": \"dict\", \"items\": [[%s, 1]]}", early);
    AUTO_FREE char *d = xasprintf("{\"$type\": \"dict\", \"items\": [[%s, true]]}", noon);
    OK(equal(a, b, NULL), "in a set");
    OK(equal(c, d, NULL), "and as a key");
    OK(equal(TALLY("[\"a\", 1], [\"b\", 0]"), TALLY("[\"a\", 1]"), NULL), "a Counter's zero");
    OK(!equal(TALLY("[\"a\", 1], [\"b\", 2]"), TALLY("[\"a\", 1]"), NULL), "and its two");
    OK(!equal(TALLY("[\"b\", 0]"), "{}", NULL), "which a dict has not");
    OK(equal(SET("1, true, 1.0, 2"), SET("2, 1"), NULL), "a set as it is written");
    OK(equal(DICT("[1, 2], [true, 3]"), DICT("[1, 3]"), NULL), "a dict, whose last value counts");
    OK(!equal(SET("NaN, NaN"), SET("NaN"), &(struct tolerance){.nan_equal = true}),
       "two of what equals nothing");
    OK(!equal("{\"$type\": \"enum\", \"class\": \"F\", \"name\": \"None\", \"value\": 3}",
              "{\"$type\": \"enum\", \"class\": \"F\", \"name\": \"None\", \"value\": 5}", NULL),
       "flags without a name");
}

/* ---- random values, against CPython ---- */

static struct {
    size_t pairs, equal, bad_reads, bad_verdicts, bad_reprs, lost;
} counts;

static bool read_guest(struct str text, struct arena *arena, struct value *ret)
{
    struct err err;

    return value_read_json(text, &many, arena, ret, &err) == 0 &&
           value_resolve(ret, text, false, arena, &err) == 0;
}

static void tell(size_t *count, const char *what, struct str line)
{
    if ((*count)++ < 5)
        printf("# %s: %.*s\n", what, (int)(line.n < 600 ? line.n : 600), line.p);
}

/* 3.12 shows an OrderedDict otherwise, a Counter is shown with the most common first, and what a
 * defaultdict makes is not sent. */
static bool is_shown_alike(struct str repr)
{
    return str_find(repr, STR("OrderedDict(")) < 0 && str_find(repr, STR("Counter(")) < 0 &&
           str_find(repr, STR("defaultdict(")) < 0;
}

/* As a case file has it. */
static bool same_as_ours(struct str text, struct arena *arena, const struct value *got, bool same)
{
    struct value v;
    struct err err;

    return value_read_json(text, &many, arena, &v, &err) == 0 &&
           value_resolve(&v, text, true, arena, &err) == 0 && value_equal(got, &v, NULL) == same;
}

static void check_pair(struct str line)
{
    struct str rest = line, x, y, flag, shown;
    struct arena arena = {0};
    struct value a, b, repr;
    AUTO_BUF struct buf mine = {0};

    buf_init(&mine, 8192);
    counts.pairs++;
    if (!str_next(&rest, '\t', &x) || !str_next(&rest, '\t', &y) || !str_next(&rest, '\t', &flag) ||
        !str_next(&rest, '\t', &shown) || !read_guest(x, &arena, &a) ||
        !read_guest(y, &arena, &b) || !read_guest(shown, &arena, &repr)) {
        tell(&counts.bad_reads, "not read", line);
        arena_done(&arena);
        return;
    }
    bool same = value_equal(&a, &b, NULL);
    counts.equal += same;
    if (same != str_is(flag, "1") || value_equal(&b, &a, NULL) != same ||
        !same_as_ours(y, &arena, &a, same))
        tell(&counts.bad_verdicts, same ? "equal to us" : "not equal to us", line);
    value_repr(&a, 200, &mine);
    if (!str_eq(buf_str(&mine), repr.text) && is_shown_alike(repr.text)) {
        tell(&counts.bad_reprs, "another repr", line);
        printf("#   %s\n", mine.p);
    }
    arena_done(&arena);
}

static void check_random(void)
{
    AUTO_BUF struct buf script = {0}, answer = {0};
    struct err err = {0};

    buf_init(&script, 1 << 20);
    buf_init(&answer, 64 << 20);
    (void)buf_adds(&script, guest_judge_codec_py);
    if (access(oracle_program(), X_OK) < 0) {
        SKIP("no Python to ask");
        return;
    }
    OK(fd_read_file("tests/unit/judge_values.py", &script, &err) == 0 &&
           oracle_ask("import sys; exec(sys.stdin.read())", buf_str(&script), &answer),
       "the values come");
    struct str rest = buf_str(&answer), line;
    while (str_next(&rest, '\n', &line)) {
        if (str_starts(line, "!"))
            tell(&counts.lost, "not there and back", line);
        else if (line.n)
            check_pair(line);
    }
    EQ_INT(counts.pairs, 10000);
    EQ_INT(counts.lost, 0);
    EQ_INT(counts.bad_reads, 0);
    EQ_INT(counts.bad_verdicts, 0);
    EQ_INT(counts.bad_reprs, 0);
    OK(counts.equal > 2000 && counts.equal < 8000, "%zu of %zu are equal", counts.equal,
       counts.pairs);
}

/* Checked and not built: the files of --data. */
static void test_check(void)
{
    static const struct {
        const char *text, *want; /* NULL: good */
        bool special;
    } rows[] = {
        {"1", NULL, false},
        {" [1, -0, 0.5, 1e5, 1E-5, {}] \n", NULL, false},
        {"{\"a\": {\"b\": []}, \"\": \"\\\"\\u00e9\\ud800\\/\"}", NULL, false},
        {"true", NULL, false},
        {"NaN", NULL, true},
        {"[-Infinity]", NULL, true},
        {"{\"a\": Infinity}", NULL, true},
        {"", "line 1, column 1: the text ends too soon", false},
        {"[1,]", "line 1, column 4: nothing follows this comma", false},
        {"{\"a\":1,}", "line 1, column 8: nothing follows this comma", false},
        {"[1\n 2]", "line 2, column 2: here a comma or ] is missing", false},
        {"{\"a\":1]", "line 1, column 7: here a comma or } is missing", false},
        {"\"\\u12\"", "line 1, column 2: this is not an escape of JSON", false},
        {"\"abc", "line 1, column 1: this string has no end", false},
        {"\xc3\xa9", "line 1, column 1: this is not a value of JSON", false},
        {"[\"\xc3\xa9\", x]", "line 1, column 7: this is not a value of JSON", false},
        {"-", "line 1, column 1: this is not a number of JSON", false},
        {"tru", "line 1, column 1: this is not a value of JSON", false},
        {"1 1", "line 1, column 3: something follows the value", false},
        {"[}", "line 1, column 2: this is not a value of JSON", false},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        bool special = false;
        struct err err = {.msg = "(none)"};
        int result = value_check_json(str_from(rows[i].text), &special, &err);
        if (rows[i].want)
            EQ_STR(err.msg, rows[i].want);
        else
            OK(result == 0 && special == rows[i].special, "good JSON, row %zu", i);
    }
}

/* An integer of any length is JSON; nothing is made of it. */
static void test_check_digits(void)
{
    enum { DIGITS = VALUE_MAX_DECIMAL + 10 };
    AUTO_FREE char *text = xmalloc(DIGITS);
    bool special;
    struct err err;

    memset(text, '7', DIGITS);
    EQ_INT(value_check_json((struct str){text, DIGITS}, &special, &err), 0);
}

int main(void)
{
    RUN(check_reprs());
    RUN(check_errors());
    RUN(check_limits());
    RUN(check_tolerance());
    RUN(check_claims());
    RUN(check_equality());
    RUN(check_random());
    RUN(test_check());
    RUN(test_check_digits());
    return tap_done();
}
