/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors beside CPython's own, to the letter and to the column: for a list of programs, and for
 * each of them again without one of its tokens, and with one twice.
 */
#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "explain_wrong.h"
#include "python/explain.h"
#include "python/parse.h"
#include "python_oracle.h"
#include "tap.h"

enum { TEXT_MAX = 64 << 20, HOSTILE = 100000 };

/* ---- one program ---- */

static void tell(const struct python_error *e, struct buf *ret)
{
    buf_addf(ret, "%u:%d-%u:%d %s: %s", e->line, e->column, e->end_line, e->end_column,
             python_error_name(e->kind), e->message);
}

/* What is wrong with a text, or "ok". */
static void read_text(struct str text, unsigned target, struct buf *ret)
{
    struct python_tree tree = {.target = target, .memory_limit = PYTHON_MEMORY};
    struct tokens tokens = {0};
    bool good = source_read(&tree, text) == 0;

    if (good) {
        lex_text(&tree, tree.text, NULL, &tokens);
        good = parse_module(&tree, &tokens) != NULL;
        if (!good && tree.error.kind <= PYTHON_SYNTAX_ERROR)
            explain_module(&tree, &tokens);
    }
    if (good)
        buf_adds(ret, "ok");
    else
        tell(&tree.error, ret);
    tokens_done(&tokens);
    python_tree_done(&tree);
}

/* ---- many, beside CPython ---- */

static const char ask_errors[] =
    "import ast, sys, warnings\n"
    "warnings.simplefilter('ignore')\n"
    "def tell(text):\n"
    "    try:\n"
    "        compile(text, 'text', 'exec', ast.PyCF_ONLY_AST)\n"
    "    except SyntaxError as e:\n"
    "        return '%d:%d-%d:%d %s: %s' % (e.lineno, e.offset, e.end_lineno, e.end_offset, "
    "type(e).__name__, e.msg)\n"
    "    return 'ok'\n"
    "texts = sys.stdin.buffer.read().decode().split('\\0')[:-1]\n"
    "sys.stdout.buffer.write(''.join(tell(t) + '\\0' for t in texts).encode())\n";

static bool compare(struct str text, unsigned target, struct str want)
{
    AUTO_BUF struct buf got = {0};

    buf_init(&got, 100000);
    read_text(text, target, &got);
    if (str_eq(buf_str(&got), want))
        return true;
    printf("# of: %.*s\n", (int)text.n, text.p);
    printf("# got %s\n# want %.*s\n", got.p, (int)want.n, want.p);
    return false;
}

/* The programs end with a NUL each. */
static void compare_all(const struct buf *programs, unsigned target, const char *what)
{
    AUTO_BUF struct buf answer = {0};
    struct str texts = buf_str(programs), text, want;
    int n = 0, same = 0;

    buf_init(&answer, TEXT_MAX);
    if (!OK(oracle_ask(ask_errors, texts, &answer), "CPython was asked"))
        return;
    struct str answers = buf_str(&answer);
    while (str_next(&texts, '\0', &text) && texts.p && str_next(&answers, '\0', &want)) {
        n++;
        same += compare(text, target, want);
    }
    OK(n > 0 && same == n, "%d of %d %s are told as CPython tells them", same, n, what);
}

static void add_program(struct buf *ret, struct str a, struct str b, struct str c)
{
    buf_add_str(ret, a);
    buf_add_str(ret, b);
    buf_add_str(ret, c);
    buf_addc(ret, '\0');
}

/* The program without each of its tokens, and with each of them twice. */
static void add_mutants(struct buf *ret, struct str text, unsigned target)
{
    struct python_tree tree = {.target = target, .memory_limit = PYTHON_MEMORY};
    struct tokens tokens = {0};

    if (source_read(&tree, text) == 0)
        lex_text(&tree, tree.text, NULL, &tokens);
    for (size_t i = 0; i < tokens.n; i++) {
        const struct token *t = &tokens.at[i];
        struct str before = str_slice(tree.text, 0, t->start);
        struct str behind = str_slice(tree.text, t->end, tree.text.n);
        if (t->start == t->end)
            continue;
        add_program(ret, before, STR(" "), behind);
        add_program(ret, str_slice(tree.text, 0, t->end), STR(" "),
                    str_slice(tree.text, t->start, tree.text.n));
    }
    tokens_done(&tokens);
    python_tree_done(&tree);
}

static void test_beside_cpython(void)
{
    AUTO_BUF struct buf programs = {0}, mutants = {0};
    unsigned target = oracle_target();

    if (!target) {
        SKIP("needs a Python");
        return;
    }
    buf_init(&programs, TEXT_MAX);
    buf_init(&mutants, TEXT_MAX);
    for (size_t i = 0; i < ARRAY_LEN(explain_programs); i++) {
        struct str text = str_from(explain_programs[i]);
        add_program(&programs, text, STR(""), STR(""));
        add_mutants(&mutants, text, target);
    }
    compare_all(&programs, target, "programs");
    compare_all(&mutants, target, "mutants");
}

/* ---- without it ---- */

static void test_later(void)
{
    for (size_t i = 0; i < ARRAY_LEN(explain_later); i++)
        OK(compare(str_from(explain_later[i].text), explain_later[i].target,
                   str_from(explain_later[i].error)),
           "3.%u: %s", explain_later[i].target, explain_later[i].error);
}

/* Grow without end, and are wrong at their end. Each ends in time, and with words. */
static const struct {
    const char *before, *again, *after;
} hostile[] = {
    {"", "(", ""},
    {"", "f(", ""},
    {"", "[", ""},
    {"", "not ", "$"},
    {"", "-", "x x"},
    {"", "lambda:", "x x"},
    {"", "x.", "1"},
    {"", "a, ", "b b"},
    {"", "a if b else ", "c c"},
    {"", "x = 1\n", "]"},
    {"x = [", "a, ", "b c"},
    {"x = {", "a: b, ", "b c}"},
    {"f(", "a=b, ", "c d)"},
    {"def f(", "a, ", "b c): pass"},
    {"class A:\n", "    def f(self): pass\n", "  x"},
    {"if x: pass\n", "elif x: pass\n", "x x"},
    {"match x:\n case [", "a, ", "b c]: pass"},
    {"a", "[1]", " b"},
    {"a", "()", " b"},
    {"[x ", "for x in y ", "x]"},
    {"", "'a' ", "b"},
    {"x = f'", "{a}", "' b"},
    {"", "await ", "b c"},
    {"", "*", "a b"},
    {"", "x: int = 1\n", "y y"},
};

static void test_hostile(unsigned target)
{
    for (size_t i = 0; i < ARRAY_LEN(hostile); i++) {
        AUTO_BUF struct buf text = {0}, got = {0};
        buf_init(&text, TEXT_MAX);
        buf_init(&got, TEXT_MAX);
        buf_adds(&text, hostile[i].before);
        while (text.n < HOSTILE)
            buf_adds(&text, hostile[i].again);
        buf_adds(&text, hostile[i].after);
        read_text(buf_str(&text), target, &got);
        OK(got.n && !str_starts(buf_str(&got), "ok") && !strstr(got.p, "(null)"),
           "3.%u: %s%s...: %.60s", target, hostile[i].before, hostile[i].again, got.p);
    }
}

int main(void)
{
    RUN(test_beside_cpython());
    RUN(test_later());
    for (unsigned target = PYTHON_OLDEST; target <= PYTHON_NEWEST; target++)
        RUN(test_hostile(target));
    return tap_done();
}
