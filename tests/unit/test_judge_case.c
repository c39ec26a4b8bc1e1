/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/call.h"
#include "judge/case.h"

#include "base/mem.h"
#include "tap.h"

static struct case_file file;
static struct err err;

static bool load(const char *text)
{
    case_file_done(&file);
    err = (struct err){0};
    return case_file_read(str_from(text), &file, &err) == 0;
}

static bool is(struct str s, const char *text)
{
    return s.p ? str_is(s, text) : !text;
}

static void check_forms(void)
{
    OK(load("[{\"args\": [1], \"expected\": 2}, {\"args\": []}]") && file.n == 2, "an array");
    OK(load("{\"cases\": [{\"args\": [1]}], \"func\": \"f\"}") && file.n == 1, "an object");
    EQ_STR(file.func, "f");
    OK(load("{\"args\": [1]}\n{\"args\": [2]}\n\n{\"args\": [3]}\n") && file.n == 3, "lines");
    OK(load("{\"args\": [1]}") && file.n == 1, "one line");
    OK(load("\xEF\xBB\xBF [ {\"args\": [1]} ]\n") && file.n == 1, "a byte order mark");
    OK(load("[]") && file.n == 0, "none");
}

static void check_call(void)
{
    OK(load("[{\"name\": \"n\", \"args\": [1,\n 2], \"kwargs\": {\"b\": 3}, \"expected\": null, "
            "\"weight\": 2.5, \"timeout\": \"500ms\", \"tolerance\": 0.01, \"expected_type\": "
            "\"int\", \"expected_exception\": \"\", \"expected_repr\": \"x\", \"comment\": 1}]"),
       "all keys of a call");
    const struct test_case *c = file.at;
    EQ_STR(c->name, "n");
    OK(is(c->args, "[1,\n 2]") && is(c->kwargs, "{\"b\": 3}") && is(c->call, NULL), "raw values");
    OK(!c->has_expected, "null beside a type is no expectation");
    OK(c->weight == 2.5 && c->timeout_ms == 500, "weight and timeout");
    OK(c->tolerance.on && c->tolerance.abs == 0.01 && c->tolerance.rel == 0.01, "tolerance");
    OK(is(c->expected_type, "int") && !c->expected_exception.n && is(c->expected_repr, "x"),
       "other expectations");
    OK(load("{\"input_args\": [1], \"input_kwargs\": {\"a\": 1}, \"expected_output\": [1]}") &&
           is(file.at->args, "[1]") && is(file.at->kwargs, "{\"a\": 1}") &&
           file.at->expected.type == VALUE_LIST,
       "other names of keys");
    OK(load("{\"args\": []}") && !file.at->has_expected, "no expectation");
    OK(load("{\"args\": [], \"expected\": null}") && file.at->has_expected &&
           file.at->expected.type == VALUE_NONE,
       "null alone is one");
    EQ_STR(file.at->name, "case 1");
    OK(load("{\"call\": \"f(1)\", \"expected\": 1}") && is(file.at->call, "\"f(1)\""), "a call");
    OK(load("{\"args\": null, \"kwargs\": null, \"tolerance\": {\"rel\": 1e-3, \"nan\": true}}") &&
           !file.at->args.p && file.at->tolerance.nan_equal && file.at->tolerance.rel == 1e-3,
       "nulls, and a tolerance in parts");
}

/* As json.dumps(asdict(TestCase(...))) writes them. */
static void check_defaults(void)
{
    OK(load(
           "{\"name\": \"\", \"input_args\": [5], \"input_kwargs\": {}, \"expected_output\": null, "
           "\"expected_type\": \"int\", \"expected_exception\": \"\", \"weight\": 1.0}"),
       "a type is wanted");
    OK(!file.at->has_expected && is(file.at->expected_type, "int") &&
           !file.at->expected_exception.n,
       "and nothing else");
    EQ_STR(file.at->name, "case 1");
    OK(load("{\"input_args\": [], \"expected_output\": null, \"expected_type\": \"\", "
            "\"expected_exception\": \"\"}") &&
           !file.at->has_expected,
       "it only has to return");
    OK(load("{\"expected\": null, \"expected_exception\": \"ValueError\"}") &&
           !file.at->has_expected,
       "an exception is wanted");
    OK(load("{\"expected\": null, \"expected_type\": \"\"}") && file.at->has_expected,
       "an empty type is none");
    OK(load("{\"expected_python\": \"None\", \"expected_type\": \"\"}") && file.at->has_expected,
       "None that was written down");
    OK(load("{\"call\": \"f()\", \"args\": [], \"kwargs\": {}, \"expected\": 1}") &&
           !file.at->args.p,
       "a call, and no arguments beside it");
    OK(load("{\"call\": \"\", \"stdin\": null, \"expected_stdout\": null, \"compare\": null, "
            "\"weight\": null, \"timeout\": null, \"expected_repr\": null, \"name\": null, "
            "\"args\": [1], \"expected\": 2}"),
       "null is absent");
    OK(!file.at->is_program && !file.at->call.p && !file.at->expected_repr.p &&
           file.at->weight == 1 && !file.at->timeout_ms,
       "everywhere");
}

static void says(const char *text, const char *func, const char *wanted)
{
    AUTO_FREE char *got = load(text) ? call_text(file.at, func) : xstrdup(err.msg);

    EQ_STR(got ? got : "(none)", wanted);
}

static void check_call_text(void)
{
    AUTO_BUF struct buf b = {0};

    says("{\"args\": [2, \"a\\n\"], \"kwargs\": {\"k\": [3]}, \"expected\": 1}", "f",
         "f(2, 'a\\n', k=[3])");
    says("{\"expected\": 1}", "C.m", "C.m()");
    says("{\"args\": [1]}", NULL, "(none)");
    says("{\"call\": \"add(2,3)\", \"expected\": 6}", NULL, "add(2,3)");
    says("{\"call\": \"add(2,\\n 3)\", \"expected\": 6}", "f", "add(2,  3)");
    says("{\"stdin\": \"\", \"expected_stdout\": \"\"}", "f", "(none)");
    buf_init(&b, 1 << 20);
    (void)buf_adds(&b, "{\"args\": [1");
    for (int i = 0; i < 1000; i++)
        (void)buf_adds(&b,
                       ", \"a long text, which is here many times over and again, as it is long\"");
    (void)buf_adds(&b, "]}");
    AUTO_FREE char *got = load(b.p) ? call_text(file.at, "f") : NULL;
    OK(got && strlen(got) < 400 && str_ends(str_from(got), "...)"), "of many arguments the first");
    OK(call_is_name(STR("Class.method_1")) && !call_is_name(STR("f(")) && !call_is_name(STR("")) &&
           !call_is_name(STR("a\033")) && !call_is_name(STR("\xff")),
       "names");
}

static void check_python(void)
{
    static const char *const pairs[][2] = {
        {"(1, -2.5, 'a', b'b')", "(1, -2.5, 'a', b'b')"},
        {"{1: [None, True], (): {}}", "{1: [None, True], (): {}}"},
        {" 1,\\n2 ", "(1, 2)"},
        {"{1, 2}", "{1, 2}"},
        {"set()", "set()"},
        {"frozenset([1])", "frozenset({1})"},
        {"1-2j", "(1-2j)"},
        {"-123456789012345678901234567890", "-123456789012345678901234567890"},
        {"0xFFFFFFFFFFFFFFFFFFFF", "1208925819614629174706175"},
        {"[float('nan'), -float('inf')]", "[nan, -inf]"},
        {"decimal.Decimal('1.50')", "Decimal('1.50')"},
        {"Decimal(-3)", "Decimal('-3')"},
        {"Fraction(6, 4)", "Fraction(3, 2)"},
        {"range(3)", "range(0, 3)"},
        {"deque([1])", "deque([1])"},
        {"bytearray(b'x')", "bytearray(b'x')"},
        {"", "this is not one value"},
        {"x", "line 1: an expected value must be in Python's notation of values"},
        {"1 + 2", "line 1: an expected value may not have operators"},
        {"[1,\\n f()]", "line 2: an expected value may only have calls of set, frozenset, deque, "
                        "float, bytearray, Decimal, Fraction and range"},
        {"range(1, 2, 0)", "line 1: this call is not in the form that an expected value may have"},
        {"{**a}", "line 1: an expected value may not have **"},
        {"1) + (2", "line 1: an expected value may not have operators"},
    };

    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        AUTO_FREE char *text = xasprintf("{\"expected_python\": \"%s\"}", pairs[i][0]);
        AUTO_BUF struct buf b = {0};
        buf_init(&b, 4096);
        if (load(text))
            value_repr(&file.at->expected, 200, &b);
        else
            (void)buf_adds(&b, strncmp(err.msg, "line 1, column 21: ", 19) == 0 ? err.msg + 19
                                                                                : err.msg);
        EQ_STR(b.p, pairs[i][1]);
    }
}

static void check_judged_program(void)
{
    OK(load("{\"stdin\": \"1\\n\", \"expected_stdout\": \"2\\n\", \"args\": [\"-x\"], "
            "\"compare\": \"tokens\"}"),
       "a program");
    OK(file.at->is_program && is(file.at->in, "1\n") && is(file.at->expected_out, "2\n"),
       "its texts");
    OK(file.at->compare == COMPARE_TOKENS && strcmp(file.at->argv[0], "-x") == 0 &&
           !file.at->argv[1],
       "its arguments");
    OK(load("{\"stdin\": \"1\", \"expected_output\": \"2\"}") && is(file.at->expected_out, "2"),
       "expected_output is what it writes");
    OK(load("{\"expected_stdout\": \"\"}") && file.at->is_program && file.at->in.p, "no input");
}

static void check_errors(void)
{
    static const char *const pairs[][2] = {
        {"", "line 1, column 1: the text ends too soon"},
        {"[1]", "line 1, column 2: here a case is expected: {\"args\": [...], \"expected\": ...}"},
        {"[{\"args\": 1}]",
         "line 1, column 11: args must be an array, with one item for each argument"},
        {"[{\"kwargs\": [1]}]",
         "line 1, column 13: kwargs must be an object: the arguments by name"},
        {"{\"args\": [1]}\n{\"args\": [1], \"expcted\": 1}",
         "line 2, column 15: a case has no \"expcted\"; did you mean \"expected\"?"},
        {"{\"args\": [1], \"args\": [2]}", "line 1, column 15: this key is given twice"},
        {"{\"args\": [1], \"input_args\": [2]}",
         "line 1, column 15: \"input_args\" and \"args\" are one key: give it once"},
        {"{\"weight\": -1}", "line 1, column 12: a weight must be a finite number from 0 to 1e100"},
        {"{\"weight\": NaN}",
         "line 1, column 12: a weight must be a finite number from 0 to 1e100"},
        {"{\"weight\": Infinity}",
         "line 1, column 12: a weight must be a finite number from 0 to 1e100"},
        {"{\"weight\": -Infinity}",
         "line 1, column 12: a weight must be a finite number from 0 to 1e100"},
        {"{\"weight\": 1e101}",
         "line 1, column 12: a weight must be a finite number from 0 to 1e100"},
        {"{\"weight\": \"2\"}",
         "line 1, column 12: a weight must be a finite number from 0 to 1e100"},
        {"[{\"weight\": 0}, {\"weight\": 0.0}]",
         "line 1, column 2: all weights are 0: there is nothing to score"},
        {"{\"tolerance\": -1}", "line 1, column 15: here a number of 0 or more is expected"},
        {"{\"timeout\": 0}", "line 1, column 13: the timeout must not be 0"},
        {"{\"tolerance\": {}}", "line 1, column 15: a tolerance must be a number, or an object "
                                "with \"abs\", \"rel\" or \"nan\""},
        {"{\"stdin\": \"\"}", "line 1, column 1: a case with \"stdin\" needs \"expected_stdout\""},
        {"{\"stdin\": \"\", \"call\": \"x\"}",
         "line 1, column 1: a case is a call or a whole program, not both"},
        {"{\"call\": \"f()\"}", "line 1, column 1: a case with \"call\" needs \"expected\""},
        {"{\"call\": \"f()\", \"args\": [1], \"expected\": 1}",
         "line 1, column 1: the arguments must be in \"call\", not beside it"},
        {"{\"compare\": \"near\"}",
         "line 1, column 13: the comparison must be \"exact\", \"tokens\", \"floats\" or "
         "\"lines\""},
        {"{\"expected\": {\"$type\": \"tupel\"}}",
         "line 1, column 24: this \"$type\" is unknown; 'glovebox help cases' lists them"},
        {"{\"cases\": 1}", "line 1, column 11: \"cases\" must be an array of cases"},
    };

    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        OK(!load(pairs[i][0]), "wrong text %zu", i);
        EQ_STR(err.msg, pairs[i][1]);
        EQ_INT(err.kind, ERR_USAGE);
    }
}

int main(void)
{
    RUN(check_forms());
    RUN(check_call());
    RUN(check_defaults());
    RUN(check_call_text());
    RUN(check_python());
    RUN(check_judged_program());
    RUN(check_errors());
    case_file_done(&file);
    return tap_done();
}
