/* SPDX-License-Identifier: Apache-2.0
 *
 * The magic commands, as tables of Python texts. The code of the user is never in a string of these
 * texts, so that the guard reads it. foreign_line.c names the commands in a hint.
 */
#include "base/ascii.h"
#include "base/mem.h"
#include "languages/ipython_parts.h"
#include "python/python.h"

/* ---- lines ---- */

enum takes { NOTHING, TEXT, ASSIGNMENT, ANYTHING, SHELL };

/* In a text, '@' is the argument as a text of Python. A text uses a module os as `_os`. */
static const struct line_magic {
    const char *name;
    enum takes takes;
    const char *module, *text;
} line_magics[] = {
    {"cd", NOTHING, "os", "_os.chdir(_os.path.expanduser(\"~\")); print(_os.getcwd())"},
    {"cd", TEXT, "os", "_os.chdir(_os.path.expanduser(@)); print(_os.getcwd())"},
    {"pwd", NOTHING, "os", "_os.getcwd()"},
    {"env", NOTHING, "os", "dict(_os.environ)"},
    {"env", ASSIGNMENT, "os", "_os.environ.update([@.split(\"=\", 1)])"},
    {"env", TEXT, "os", "_os.environ[@]"},
    {"ls", SHELL, NULL, NULL},
    {"cat", SHELL, NULL, NULL},
    {"cp", SHELL, NULL, NULL},
    {"mkdir", SHELL, NULL, NULL},
    {"mv", SHELL, NULL, NULL},
    {"rm", SHELL, NULL, NULL},
    /* These choose how pictures appear and how modules are loaded. Here there is one way only, so
     * they do nothing. */
    {"matplotlib", ANYTHING, NULL, "pass"},
    {"config", ANYTHING, NULL, "pass"},
    {"autoreload", ANYTHING, NULL, "pass"},
    {"load_ext autoreload", NOTHING, NULL, "pass"},
};

static bool fits(const struct line_magic *magic, struct str given)
{
    switch (magic->takes) {
    case NOTHING:
        return !given.n;
    case TEXT:
        return given.n > 0;
    case ASSIGNMENT:
        return str_find(given, STR("=")) > 0;
    case ANYTHING:
    case SHELL:
        break;
    }
    return true;
}

/* True if the text begins with this word, or these words. */
static bool begins_with_word(struct str text, const char *name, struct str *ret_given)
{
    size_t n = str_from(name).n;

    if (!str_starts(text, name) || (n < text.n && !ascii_is_blank(text.p[n])))
        return false;
    *ret_given = str_trim(str_slice(text, n, text.n));
    return true;
}

/* Quotes around a whole argument are the shell's, and IPython's. */
static struct str unquoted(struct str s)
{
    bool quoted = s.n > 1 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.n - 1] == s.p[0];

    return quoted ? str_slice(s, 1, s.n - 1) : s;
}

static void add_filled(struct buf *b, const char *text, struct str given)
{
    struct str rest = str_from(text), piece;
    bool first = true;

    while (rest.n && str_next(&rest, '@', &piece)) {
        if (!first)
            ipython_add_text(b, unquoted(given));
        (void)buf_add_str(b, piece);
        first = false;
    }
}

/* Appends the text before the value: "import os as _os; here = ". */
static void add_begin(struct buf *b, const char *module, struct str name)
{
    if (module)
        (void)buf_addf(b, "import %s as _%s; ", module, module);
    if (name.n)
        (void)buf_addf(b, "%.*s = ", (int)name.n, name.p);
}

/* ---- times ---- */

static bool parses(const char *before, struct str code, const char *after)
{
    struct python_tree tree;
    AUTO_FREE char *text = xasprintf("%s%.*s%s", before, (int)code.n, code.p, after);
    const struct python_options options = {.top_await = true};
    bool parsed = python_parse(str_from(text), &options, &tree) == 0;

    python_tree_done(&tree);
    return parsed && code.n;
}

static bool is_expression(struct str code)
{
    return parses("(", code, ")");
}

/* True for a statement that may follow another one on a line. */
static bool is_simple_statement(struct str code)
{
    return parses("pass; ", code, "");
}

#define CLOCK "(_time.process_time(), _time.perf_counter())"
#define SPENT                                                                                      \
    "print(\"CPU times: total: %.3g ms\\nWall time: %.3g ms\" % tuple((b - a) * 1e3 for a, b in "  \
    "zip(_begin, " CLOCK ")))"

/* The value of a timed expression stays the value of the line. */
static bool add_time(struct buf *b, const struct ipython_line *line, struct str code)
{
    bool is_value = is_expression(code);

    add_begin(b, "time", line->name);
    (void)buf_adds(b, is_value ? "(lambda _begin, value: (" SPENT ", value)[1])(" CLOCK ", ("
                               : "_begin = " CLOCK "; ");
    (void)buf_add_str(b, code);
    (void)buf_adds(b, is_value ? "))" : "; " SPENT);
    return is_value || (is_simple_statement(code) && !line->name.n);
}

struct timing {
    uint64_t loops, runs; /* loops 0: enough for a measurable time; runs 0: 7 */
};

/* Reads "-n 100 -r 3" off the text. */
static bool read_timing(struct str *code, struct timing *ret)
{
    *ret = (struct timing){0};
    while (str_starts(*code, "-n") || str_starts(*code, "-r")) {
        uint64_t *number = code->p[1] == 'n' ? &ret->loops : &ret->runs;
        struct str rest = str_trim(str_slice(*code, 2, code->n));
        size_t n = 0;
        while (n < rest.n && ascii_is_digit(rest.p[n]))
            n++;
        if (!n || n > 9)
            return false;
        for (size_t i = 0; i < n; i++)
            *number = *number * 10 + (uint64_t)(rest.p[i] - '0');
        *code = str_trim(str_slice(rest, n, rest.n));
    }
    return !str_starts(*code, "-");
}

#define MEASURE                                                                                    \
    "(lambda t, n, r: (lambda n, show: (lambda s: print(\"%s \\xb1 %s per loop (mean \\xb1 std. "  \
    "dev. of %d runs, %d loops each)\" % (show(sum(s) / r), show(abs(sum(x * x for x in s) / r - " \
    "(sum(s) / r) ** 2) ** 0.5), r, n)))([x / n for x in t.repeat(r, n)]))(n or "                  \
    "t.autorange()[0], lambda s: next(\"%.3g %s\" % (s * k, u) for k, u in ((1, \"s\"), (1e3, "    \
    "\"ms\"), (1e6, \"\\xb5s\"), (1e9, \"ns\")) if s * k >= 1 or u == \"ns\")))"                   \
    "(_timeit.Timer("

static void add_measure(struct buf *b, const struct timing *timing, struct str function)
{
    add_begin(b, "timeit", STR(""));
    (void)buf_adds(b, MEASURE);
    (void)buf_addf(b, "%.*s), %llu, %llu)", (int)function.n, function.p,
                   (unsigned long long)timing->loops,
                   (unsigned long long)(timing->runs ? timing->runs : 7));
}

/* A statement needs a function, and so a second line. */
static bool add_timeit(struct buf *b, const struct ipython_line *line, struct str code)
{
    struct timing timing;

    if (line->name.n || !read_timing(&code, &timing))
        return false;
    if (is_expression(code)) {
        AUTO_FREE char *function = xasprintf("lambda: (%.*s)", (int)code.n, code.p);
        add_measure(b, &timing, str_from(function));
        return true;
    }
    (void)buf_addf(b, "def _timed(): %.*s\n%.*s", (int)code.n, code.p, (int)line->indent.n,
                   line->indent.p);
    add_measure(b, &timing, STR("_timed"));
    return line->last && is_simple_statement(code);
}

bool ipython_add_line_magic(struct buf *b, const struct ipython_line *line)
{
    struct str given;

    if (begins_with_word(line->command, "time", &given))
        return add_time(b, line, given);
    if (begins_with_word(line->command, "timeit", &given))
        return add_timeit(b, line, given);
    for (const struct line_magic *m = line_magics; m < line_magics + ARRAY_LEN(line_magics); m++) {
        if (!begins_with_word(line->command, m->name, &given) || !fits(m, given))
            continue;
        if (m->takes == SHELL)
            return ipython_add_shell(b, line, line->command);
        add_begin(b, m->module, line->name);
        add_filled(b, m->text, given);
        return true;
    }
    return false;
}

/* ---- cells ---- */

/* In a text, '@' is the argument, and the body follows as a text of Python, with `end`. */
static const struct cell_magic {
    const char *name;
    enum takes takes;
    const char *module, *text, *end;
} cell_magics[] = {
#define PROGRAM(ARGV)                                                                              \
    "__import__(\"sys\").stdout.flush(); _exit_code = __import__(\"subprocess\").run([" ARGV ", "
    {"bash", NOTHING, NULL, PROGRAM("\"bash\", \"-c\""), "], check=True).returncode"},
    {"sh", NOTHING, NULL, PROGRAM("\"sh\", \"-c\""), "], check=True).returncode"},
    {"script bash", NOTHING, NULL, PROGRAM("\"bash\", \"-c\""), "], check=True).returncode"},
    {"script sh", NOTHING, NULL, PROGRAM("\"sh\", \"-c\""), "], check=True).returncode"},
    {"writefile", TEXT, "pathlib", "print(\"Wrote\", @, \"with\", _pathlib.Path(@).write_text(",
     "), \"characters\")"},
    {"file", TEXT, "pathlib", "print(\"Wrote\", @, \"with\", _pathlib.Path(@).write_text(",
     "), \"characters\")"},
};

static void add_indented(struct buf *b, struct str body)
{
    struct str line;

    while (str_next_line(&body, &line))
        (void)buf_addf(b, "\n%s%.*s", str_trim(line).n ? " " : "", (int)line.n, line.p);
}

/* As in IPython, code on the first line is not measured. */
static bool add_timed_body(struct buf *b, struct str given, struct str body)
{
    struct timing timing;

    if (!read_timing(&given, &timing))
        return false;
    if (!str_trim(body).n)
        return false;
    (void)buf_addf(b, "%.*s%sdef _timed():", (int)given.n, given.p, given.n ? "\n" : "");
    add_indented(b, body);
    (void)buf_addc(b, '\n');
    add_measure(b, &timing, STR("_timed"));
    return true;
}

bool ipython_add_cell_magic(struct ipython_cell *cell, struct str head, struct str body)
{
    struct buf *b = &cell->code;
    struct str given;

    if (begins_with_word(head, "time", &given)) {
        cell->timed = true;
        return buf_add_str(b, given) == 0 && buf_addc(b, '\n') == 0 && buf_add_str(b, body) == 0;
    }
    if (begins_with_word(head, "timeit", &given))
        return add_timed_body(b, given, body);
    for (const struct cell_magic *m = cell_magics; m < cell_magics + ARRAY_LEN(cell_magics); m++) {
        if (!begins_with_word(head, m->name, &given) || !!given.n != (m->takes == TEXT) ||
            str_starts(given, "-"))
            continue;
        add_begin(b, m->module, STR(""));
        add_filled(b, m->text, given);
        ipython_add_literal(b, body);
        (void)buf_adds(b, m->end);
        return true;
    }
    return false;
}
