/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokens, and what is none, beside CPython's.
 */
#include "syntax/lex.h"

#include "base/mem.h"
#include "lex_wrong.h"
#include "python_oracle.h"

enum { ANSWER_MAX = 64 << 20, FILES = 200 };

static unsigned target; /* the oracle's, or our newest */

/* ---- a text cut ---- */

struct cut {
    struct python_tree tree;
    struct tokens tokens;
};

static void cut_start(struct cut *c, struct str bytes)
{
    *c = (struct cut){.tree = {.target = target, .memory_limit = PYTHON_MEMORY}};
    if (source_read(&c->tree, bytes) == 0)
        lex_text(&c->tree, c->tree.text, NULL, &c->tokens);
    else
        c->tokens.error = c->tree.error;
}

static void cut_done(struct cut *c)
{
    tokens_done(&c->tokens);
    python_tree_done(&c->tree);
}

static struct cut cut_text(const char *text)
{
    struct cut c;

    cut_start(&c, str_from(text));
    return c;
}

/* "NAME = NUMBER NEWLINE END", with the places of all when asked. */
static void tell(const struct cut *c, bool places, struct buf *ret)
{
    for (size_t i = 0; i < c->tokens.n; i++) {
        const struct token *t = &c->tokens.at[i];
        buf_addf(ret, "%s%s", i ? " " : "", token_texts[t->kind]);
        if (places)
            buf_addf(ret, "@%u.%d-%u.%d", t->line, (int)t->column, t->end_line, (int)t->end_column);
    }
}

static void check_told(const char *text, bool places, const char *want)
{
    struct cut c = cut_text(text);
    AUTO_BUF struct buf got = {0};

    buf_init(&got, 1 << 20);
    tell(&c, places, &got);
    EQ_STR(got.p, want);
    cut_done(&c);
}

static void test_kinds(void)
{
    check_told("", false, "ENDMARKER");
    check_told("a", false, "NAME NEWLINE ENDMARKER");
    check_told("# c\n\n  # d\na # e\n", false, "NAME NEWLINE ENDMARKER");
    check_told("if x:\n  y\nz", false,
               "if NAME : NEWLINE INDENT NAME NEWLINE DEDENT NAME NEWLINE ENDMARKER");
    check_told("match case type _ print", false, "NAME NAME NAME NAME NAME NEWLINE ENDMARKER");
    check_told("async await None True False", false,
               "async await None True False NEWLINE ENDMARKER");
    check_told("a<<=b<>c->d...e..f.5**=//=:=@=", false,
               "NAME <<= NAME != NAME -> NAME ... NAME . . NAME NUMBER **= //= := @= NEWLINE "
               "ENDMARKER");
    check_told("$ ? `", false, "OP OP OP NEWLINE ENDMARKER");
    check_told("(\n\n# x\n a)\n", false, "( NAME ) NEWLINE ENDMARKER");
    check_told("a \\\n b\n", false, "NAME NAME NEWLINE ENDMARKER");
    check_told("rb'a' BR\"b\" u'' ''''''", false, "STRING STRING STRING STRING NEWLINE ENDMARKER");
    check_told("rr'a' ab''", false, "NAME STRING NAME STRING NEWLINE ENDMARKER");
}

static void test_places(void)
{
    unsigned kept = target;

    target = 11;
    check_told("é = 1 # c\n", true,
               "NAME@1.0-1.2 =@1.3-1.4 NUMBER@1.5-1.6 NEWLINE@1.7-1.10 ENDMARKER@1.-1-1.-1");
    check_told("if a:\n\tb\n\n", true,
               "if@1.0-1.2 NAME@1.3-1.4 :@1.4-1.5 NEWLINE@1.5-1.5 INDENT@2.-1-2.-1 NAME@2.1-2.2 "
               "NEWLINE@2.2-2.2 DEDENT@3.-1-3.-1 ENDMARKER@3.-1-3.-1");
    check_told("x='''a\nb''';f'{a}'", true,
               "NAME@1.0-1.1 =@1.1-1.2 STRING@1.2-2.4 ;@2.4-2.5 STRING@2.5-2.11 NEWLINE@2.11-2.11 "
               "ENDMARKER@2.-1-2.-1");
    target = 12;
    check_told("a", true, "NAME@1.0-1.1 NEWLINE@1.1-1.2 ENDMARKER@1.-1-1.-1");
    check_told(
        "f'{a}{{b}}{c:>{d}x}\\N{BEL}'", true,
        "FSTRING_START@1.0-1.2 {@1.2-1.3 NAME@1.3-1.4 }@1.4-1.5 FSTRING_MIDDLE@1.5-1.7 "
        "FSTRING_MIDDLE@1.7-1.10 {@1.10-1.11 NAME@1.11-1.12 :@1.12-1.13 "
        "FSTRING_MIDDLE@1.13-1.14 {@1.14-1.15 NAME@1.15-1.16 }@1.16-1.17 "
        "FSTRING_MIDDLE@1.17-1.18 }@1.18-1.19 FSTRING_MIDDLE@1.19-1.26 FSTRING_END@1.26-1.27 "
        "NEWLINE@1.27-1.28 ENDMARKER@1.-1-1.-1");
    check_told("f'''a\n{\nb\n:}c'''", true,
               "FSTRING_START@1.0-1.4 FSTRING_MIDDLE@1.4-2.0 {@2.0-2.1 NAME@3.0-3.1 :@4.0-4.1 "
               "FSTRING_MIDDLE@4.1-4.1 }@4.1-4.2 FSTRING_MIDDLE@4.2-4.3 FSTRING_END@4.3-4.6 "
               "NEWLINE@4.6-4.7 ENDMARKER@4.-1-4.-1");
    target = 14;
    check_told("t'a{b!r}'", false,
               "TSTRING_START TSTRING_MIDDLE { NAME ! NAME } TSTRING_END NEWLINE ENDMARKER");
    target = kept;
}

/* The text of a field of a 3.11 f-string stands somewhere in its file. */
static void test_first_column(void)
{
    struct python_tree tree = {.target = 11, .memory_limit = PYTHON_MEMORY};
    struct cut c = {.tree = tree};
    AUTO_BUF struct buf got = {0};

    buf_init(&got, 1000);
    lex_text(&c.tree, STR("(a+\nb)\n"), &(struct lex_options){.line = 7, .column = 20}, &c.tokens);
    tell(&c, true, &got);
    EQ_STR(got.p, "(@7.20-7.21 NAME@7.21-7.22 +@7.22-7.23 NAME@8.0-8.1 )@8.1-8.2 NEWLINE@8.2-8.2 "
                  "ENDMARKER@8.-1-8.-1");
    cut_done(&c);
}

/* ---- names ---- */

static void test_names(void)
{
    struct cut c = cut_text("abc = abc + if abcdefgh + abcdefghi + a_name_of_seventeen + "
                            "a_name_0f_seventeen + ﬁx + fix");
    struct token *t = c.tokens.at;

    OK(t[0].name == t[2].name, "one object for a spelling");
    EQ_STR(t[4].name->text, "if");
    OK(t[5].name != t[7].name && t[9].name != t[11].name, "one for each");
    EQ_STR(t[9].name->text, "a_name_of_seventeen");
    OK(t[13].name == t[15].name, "ligatures are normalised");
    OK(name_get_plain(&c.tree, STR("abc")) == t[0].name, "the same from outside");
    OK(name_get_plain(&c.tree, STR("a.b")) == name_get_plain(&c.tree, STR("a.b")), "dotted");
    OK(name_get_plain(&c.tree, STR("")) == name_get_plain(&c.tree, STR("")), "empty");
    cut_done(&c);
}

/* Many, of all lengths; each is found again. */
static void test_many_names(void)
{
    enum { MANY = 20000 };
    struct python_tree tree = {.target = 14};
    struct name **names = xcalloc(MANY, sizeof *names);
    int wrong = 0;

    for (int round = 0; round < 2; round++)
        for (int i = 0; i < MANY; i++) {
            char text[64];
            int n = snprintf(text, sizeof text, "%.*s%d%.*s", i % 13, "aaaaaaaaaaaaa", i, i % 17,
                             "zzzzzzzzzzzzzzzzz");
            struct name *name = name_get_plain(&tree, (struct str){text, (size_t)n});
            wrong += strcmp(name->text, text) != 0 || (round && names[i] != name);
            names[i] = name;
        }
    EQ_INT(wrong, 0);
    free(names);
    python_tree_done(&tree);
}

/* ---- limits ---- */

static void check_nested(const char *open, const char *close, int n, const char *message)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, 1 << 20);
    for (int i = 0; i < n; i++)
        buf_adds(&text, open);
    buf_adds(&text, "x");
    for (int i = 0; i < n; i++)
        buf_adds(&text, close);
    struct cut c = cut_text(text.p);
    EQ_STR(c.tokens.error.message, message);
    cut_done(&c);
}

static void check_indents(int n, const char *message)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, 1 << 20);
    for (int i = 0; i < n; i++)
        buf_addf(&text, "%*sif x:\n", i, "");
    buf_addf(&text, "%*sx\n", n, "");
    struct cut c = cut_text(text.p);
    EQ_STR(c.tokens.error.message, message);
    cut_done(&c);
}

static void test_limits(void)
{
    check_nested("(", ")", 200, NULL);
    check_nested("(", ")", 201, "too many nested parentheses");
    check_nested("(", ")", 100000, "too many nested parentheses");
    check_indents(99, NULL);
    check_indents(100, "too many levels of indentation");
    unsigned kept = target;
    target = 12;
    check_nested("f'{", "}'", 148, NULL);
    check_nested("f'{", "}'", 149, NULL);
    check_nested("f'{", "}'", 150, "too many nested f-strings");
    check_nested("{{", "", 1 << 16, "too many nested parentheses");
    check_nested("f'{{", "'", 1, NULL);
    target = kept;
}

static void test_too_many(void)
{
    struct cut c = {.tree = {.target = target, .memory_limit = 1 << 20}};
    AUTO_BUF struct buf text = {0};

    buf_init(&text, 1 << 20);
    for (int i = 0; i < 100000; i++)
        buf_adds(&text, i % 9 ? "f'{a}'" : "+\n");
    buf_addc(&text, '\n');
    lex_text(&c.tree, buf_str(&text), NULL, &c.tokens);
    EQ_INT(c.tokens.error.kind, PYTHON_MEMORY_ERROR);
    OK(c.tokens.n * sizeof *c.tokens.at <= 1 << 20, "%zu tokens", c.tokens.n);
    cut_done(&c);
}

static void test_open(void)
{
    struct cut c = cut_text("a = (1,\n  [2, {3:\n");

    EQ_INT(c.tokens.error.kind, PYTHON_NO_ERROR);
    EQ_INT(c.tokens.open_count, 3);
    EQ_INT(c.tokens.open[1].bracket, '[');
    EQ_INT(c.tokens.open[1].line, 2);
    EQ_INT(c.tokens.open[1].column, 2);
    EQ_INT(c.tokens.at[c.tokens.n - 1].kind, T_END);
    cut_done(&c);
}

/* ---- errors, beside CPython ---- */

/* A line for each case: its error, and its warnings of what the lexer warns of. */
static const char ask_errors[] =
    "import sys, warnings\n"
    "def told(w): return ' [%d %s %s]' % (w.lineno, w.category.__name__, w.message)\n"
    "for text in sys.stdin.buffer.read().split(b'\\0')[:-1]:\n"
    "    with warnings.catch_warnings(record=True) as found:\n"
    "        warnings.simplefilter('always')\n"
    "        try:\n"
    "            compile(text.decode(), '', 'exec', dont_inherit=True)\n"
    "            out = 'right'\n"
    "        except SyntaxError as e:\n"
    "            out = '%s %d:%d-%d:%d %s' % (type(e).__name__, e.lineno, e.offset, e.end_lineno,\n"
    "                                         e.end_offset, e.msg)\n"
    "    if out == 'right':\n"
    "        out += ''.join(told(w) for w in found if ' literal' in str(w.message))\n"
    "    sys.stdout.buffer.write(out.encode() + b'\\0')\n";

static void tell_error(const struct cut *c, struct buf *ret)
{
    const struct python_error *e = &c->tokens.error;

    if (e->kind != PYTHON_NO_ERROR)
        buf_addf(ret, "%s %u:%d-%u:%d %s", python_error_name(e->kind), e->line, e->column,
                 e->end_line, e->end_column, e->message);
    else
        buf_adds(ret, "right");
    for (size_t i = 0; i < c->tree.warnings.n && e->kind == PYTHON_NO_ERROR; i++) {
        e = &c->tree.warnings.at[i];
        buf_addf(ret, " [%u %s %s]", e->line, python_error_name(e->kind), e->message);
        e = &c->tokens.error;
    }
}

/* What the lexer lets pass may be the parser's to refuse; it does not do so in the lexer's words.
 */
static bool is_parsers(const struct cut *c, struct str want)
{
    return c->tokens.error.kind == PYTHON_NO_ERROR &&
           (str_ends(want, " invalid syntax") ||
            (c->tokens.open_count && (str_ends(want, "' was never closed") ||
                                      str_ends(want, " expecting '}', or format specs"))));
}

static void compare_case(struct str text, struct str want)
{
    struct cut c;
    AUTO_BUF struct buf got = {0};

    buf_init(&got, 10000);
    cut_start(&c, text);
    tell_error(&c, &got);
    if (!OK(str_eq(buf_str(&got), want) || is_parsers(&c, want), "told as CPython tells it")) {
        printf("# of: %.*s\n", (int)text.n, text.p);
        printf("# got %s, want %.*s\n", got.p, (int)want.n, want.p);
    }
    cut_done(&c);
}

static void compare_errors(const struct buf *cases)
{
    AUTO_BUF struct buf answer = {0};
    struct str texts = buf_str(cases), text, want;

    buf_init(&answer, ANSWER_MAX);
    if (!OK(oracle_ask(ask_errors, texts, &answer), "CPython was asked"))
        return;
    struct str answers = buf_str(&answer);
    while (str_next(&texts, '\0', &text) && texts.p && str_next(&answers, '\0', &want))
        compare_case(text, want);
}

static void add_case(struct buf *cases, const char *before, const char *text)
{
    buf_adds(cases, before);
    buf_adds(cases, text);
    buf_addc(cases, '\0');
}

static void add_cases(struct buf *cases, const char *const *texts, size_t n, bool before)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < (before ? ARRAY_LEN(lex_before) : 1); k++)
            add_case(cases, before ? lex_before[k] : "", texts[i]);
}

static void test_errors(void)
{
    AUTO_BUF struct buf cases = {0};

    if (!oracle_target()) {
        SKIP("needs a Python");
        return;
    }
    buf_init(&cases, ANSWER_MAX);
    add_cases(&cases, lex_wrong, ARRAY_LEN(lex_wrong), true);
    add_cases(&cases, lex_wrong_programs, ARRAY_LEN(lex_wrong_programs), false);
    add_cases(&cases, lex_warned, ARRAY_LEN(lex_warned), false);
    if (target >= 12)
        add_cases(&cases, lex_wrong_formats, ARRAY_LEN(lex_wrong_formats), true);
    compare_errors(&cases);
}

/* ---- real files, beside CPython ---- */

/* 3.11's C tokenizer as an iterator. (The one of later versions moves some ends.) */
static const char ask_tokens[] =
    "import sys, os, token, keyword, _tokenize\n"
    "names = {k: v for v, k in token.EXACT_TOKEN_TYPES.items()}\n"
    "root = os.path.dirname(os.__file__)\n"
    "files = sorted(os.path.join(d, f) for d, _, fs in os.walk(root) for f in fs if "
    "f.endswith('.py'))\n"
    "for path in files[::max(1, len(files) // int(sys.stdin.read()))]:\n"
    "    try:\n"
    "        text = open(path, encoding='utf-8-sig').read()\n"
    "    except (OSError, UnicodeDecodeError):\n"
    "        continue\n"
    "    out = []\n"
    "    try:\n"
    "        for s, kind, line, end, col, end_col, _ in _tokenize.TokenizerIter(text):\n"
    "            name = s if keyword.iskeyword(s) else names.get(kind) or token.tok_name[kind]\n"
    "            out.append('%s@%d.%d-%d.%d' % (name, line, col, end, end_col))\n"
    "    except SyntaxError:\n"
    "        continue\n"
    "    sys.stdout.buffer.write(path.encode() + b'\\0' + ' '.join(out).encode() + b'\\0')\n";

static void compare_file(const char *path, struct str want)
{
    struct err err;
    AUTO_BUF struct buf bytes = {0};
    AUTO_BUF struct buf got = {0};
    struct cut c;

    buf_init(&bytes, ANSWER_MAX);
    buf_init(&got, ANSWER_MAX);
    if (!OK(fd_read_file(path, &bytes, &err) == 0, "%s is read", path))
        return;
    cut_start(&c, buf_str(&bytes));
    tell(&c, true, &got);
    /* (that iterator does not give the last) */
    OK(c.tokens.error.kind != PYTHON_NO_ERROR ||
           (got.n > want.n && memcmp(got.p, want.p, want.n) == 0 &&
            str_starts(str_slice(buf_str(&got), want.n + (want.n > 0), got.n), "ENDMARKER")),
       "%s is cut as CPython cuts it", path);
    cut_done(&c);
}

static void test_files(void)
{
    AUTO_BUF struct buf answer = {0};
    AUTO_BUF struct buf count = {0};
    struct str path, want;

    if (oracle_target() != 11) {
        SKIP("needs Python 3.11");
        return;
    }
    buf_init(&answer, ANSWER_MAX);
    buf_init(&count, 100);
    buf_addf(&count, "%d", FILES);
    OK(oracle_ask(ask_tokens, buf_str(&count), &answer), "CPython was asked");
    for (struct str rest = buf_str(&answer);
         str_next(&rest, '\0', &path) && rest.p && str_next(&rest, '\0', &want);)
        compare_file(path.p, want);
}

int main(void)
{
    target = oracle_target() ? oracle_target() : PYTHON_NEWEST;
    RUN(test_kinds());
    RUN(test_places());
    RUN(test_first_column());
    RUN(test_names());
    RUN(test_many_names());
    RUN(test_limits());
    RUN(test_too_many());
    RUN(test_open());
    RUN(test_errors());
    RUN(test_files());
    return tap_done();
}
