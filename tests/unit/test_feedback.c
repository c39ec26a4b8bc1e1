/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/feedback.h"

#include <signal.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "explain/exception.h"
#include "explain/feedback_advice.h"
#include "feedback_advised.h"
#include "tap.h"

#define WORK "/box/work/"

/* ---- results to give advice on ---- */

static void begin(struct result *r, const char *language, const char *said, int exit_code)
{
    result_init(r, 1 << 20);
    r->language = language;
    r->started = true;
    r->exit_code = exit_code;
    capture_add(&r->err, said, strlen(said));
}

static void read_error(struct result *r, const char *code)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, 1 << 20);
    capture_text(&r->err, &text);
    r->exception = exception_find(&(struct exception_input){.language = r->language,
                                                            .text = buf_str(&text),
                                                            .work = WORK,
                                                            .program = "main.py",
                                                            .code = str_from(code)});
}

/* The i-th text; "(none)" behind the last. */
static const char *text_at(const struct feedback *f, size_t i)
{
    return i < f->n ? f->texts[i] : "(none)";
}

static bool has(const struct feedback *f, const char *text)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->texts[i], text) == 0)
            return true;
    return false;
}

static void show(const struct feedback *f)
{
    for (size_t i = 0; i < f->n; i++)
        printf("# %s\n", f->texts[i]);
}

/* ---- hints by the type of an error ---- */

static const struct {
    const char *type, *text;
} by_type[] = {
    {"NameError", "Variable or function not defined. Check spelling and scope."},
    {"TypeError", "Wrong type passed to function. Check argument types."},
    {"ValueError", "Invalid value for operation. Check parameter constraints."},
    {"IndexError", "List index out of range. Check bounds."},
    {"KeyError", "Dictionary key not found. Check key existence."},
    {"AttributeError", "Object has no such attribute. Check method/attribute name."},
    {"ImportError", "Missing import. Add 'import X' or 'from X import Y'."},
    {"SyntaxError", "Python syntax error. Check indentation, brackets, colons."},
    {"ZeroDivisionError", "Division by zero. Add guard for zero denominator."},
    {"RecursionError", "Recursion depth exceeded. Add base case or switch to iteration."},
    {"TimeoutError", "Code timed out. Check for infinite loops or optimize."},
    {"UnboundLocalError", "Variable or function not defined. Check spelling and scope."},
    {"json.decoder.JSONDecodeError", "Invalid value for operation. Check parameter constraints."},
    {"IndentationError", "Python syntax error. Check indentation, brackets, colons."},
};

static void check_by_type(const char *said, const char *type, const char *text)
{
    struct result r;
    struct feedback f;

    begin(&r, "python", said, 1);
    read_error(&r, "");
    feedback_make(&(struct feedback_input){.result = &r}, &f);
    if (!OK(has(&f, text), "%s: %s", type, text))
        show(&f);
    feedback_done(&f);
    result_done(&r);
}

static void test_by_type(void)
{
    for (size_t i = 0; i < ARRAY_LEN(by_type); i++) {
        AUTO_FREE char *trace = xasprintf("Traceback (most recent call last):\n"
                                          "  File \"/box/work/main.py\", line 1, in <module>\n"
                                          "%s: whatever\n",
                                          by_type[i].type);
        check_by_type(trace, by_type[i].type, by_type[i].text);
        /* A program may have caught and printed it. */
        AUTO_FREE char *printed = xasprintf("failed: %s: whatever\n", by_type[i].type);
        if (i < 11)
            check_by_type(printed, by_type[i].type, by_type[i].text);
    }
}

static void test_fallback(void)
{
    struct result r;
    struct feedback f;
    char said[301] = {0};

    memset(said, 'x', 300);
    memcpy(said + 190, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 16);
    begin(&r, "python", said, 1);
    feedback_make(&(struct feedback_input){.result = &r}, &f);
    EQ_INT(f.n, 2);
    EQ_STR(text_at(&f, 0), "Code failed to execute. Check logic and edge cases.");
    EQ_INT(utf8_count(str_from(text_at(&f, 1))), 7 + 200);
    OK(strncmp(text_at(&f, 1), "Error: xxx", 10) == 0 &&
           strncmp(text_at(&f, 1) + 7, said, 208) == 0,
       "the first 200 characters of the error output");
    feedback_done(&f);
    result_done(&r);

    begin(&r, "python", "", 3);
    feedback_make(&(struct feedback_input){.result = &r}, &f);
    EQ_STR(text_at(&f, 0),
           "The program ended with exit status 3 and wrote nothing to its error output. Find the "
           "place where it exits, and print the reason there.");
    EQ_STR(text_at(&f, 1), "Code failed to execute. Check logic and edge cases.");
    EQ_INT(f.n, 2);
    feedback_done(&f);
    result_done(&r);
}

static void test_security(void)
{
    struct result r;
    struct feedback f;
    struct feedback_test tests[] = {{"a", false, "x"}};

    begin(&r, "python", "SECURITY VIOLATION: Forbidden import: socket", -1);
    r.started = false;
    r.checked = true;
    r.verdict.allowed = false;
    r.verdict.stage = GUARD_IMPORTS;
    feedback_make(&(struct feedback_input){.result = &r, .tests = tests, .test_count = 1}, &f);
    EQ_INT(f.n, 1);
    EQ_STR(text_at(&f, 0), "Code violates sandbox security rules; avoid system calls and I/O.");
    feedback_done(&f);
    r.checked = false;
    r.started = true;
    feedback_make(&(struct feedback_input){.result = &r}, &f);
    OK(!has(&f, "Code violates sandbox security rules; avoid system calls and I/O."),
       "not when a program that ran prints the word");
    feedback_done(&f);
    result_done(&r);
}

static void test_tests(void)
{
    struct result r;
    struct feedback f;
    struct feedback_test tests[40] = {
        {"adds", true, "OK"},
        {"empty", false, "Expected 0, got None"},
        {"same", false, "Expected 1, got 2"},
        {"same", false, "Expected 1, got 2"},
    };

    begin(&r, "python", "", 0);
    r.success = true;
    feedback_make(&(struct feedback_input){.result = &r, .tests = tests, .test_count = 1}, &f);
    EQ_INT(f.n, 0);
    AUTO_FREE char *none = feedback_text(&(struct feedback_input){.result = &r}, &f);
    EQ_STR(none, "");
    feedback_make(&(struct feedback_input){.result = &r, .tests = tests, .test_count = 4}, &f);
    EQ_INT(f.n, 2);
    EQ_STR(text_at(&f, 0), "Test 'empty' failed: Expected 0, got None");
    EQ_STR(text_at(&f, 1), "Test 'same' failed: Expected 1, got 2");
    AUTO_FREE char *said = feedback_text(&(struct feedback_input){.result = &r}, &f);
    EQ_STR(said, "The program ran, but not all tests passed.\n\nWhat to do:\n"
                 "- Test 'empty' failed: Expected 0, got None\n"
                 "- Test 'same' failed: Expected 1, got 2\n");
    feedback_done(&f);

    tests[1].detail = "ZeroDivisionError: division by zero";
    feedback_make(&(struct feedback_input){.result = &r, .tests = tests, .test_count = 4}, &f);
    EQ_INT(f.n, 4);
    EQ_STR(text_at(&f, 0), "Test 'empty' failed: ZeroDivisionError: division by zero");
    EQ_STR(text_at(&f, 2), "The divisor is 0 here. Test it first, or decide what the result is "
                           "then (an empty list has no mean).");
    EQ_STR(text_at(&f, 3), "Division by zero. Add guard for zero denominator.");
    feedback_done(&f);

    char names[40][8];
    for (size_t i = 0; i < 40; i++) {
        snprintf(names[i], sizeof names[i], "t%zu", i);
        tests[i] = (struct feedback_test){names[i], false, "Expected \x1b[31m1\x1b[0m,\ngot 2"};
    }
    feedback_make(&(struct feedback_input){.result = &r, .tests = tests, .test_count = 40}, &f);
    EQ_INT(f.n, 13);
    EQ_STR(text_at(&f, 0), "Test 't0' failed: Expected 1, got 2");
    EQ_STR(text_at(&f, 12), "28 more tests failed.");
    feedback_done(&f);
    result_done(&r);
}

/* ---- what ends runs ---- */

static const struct {
    const char *what;
    unsigned limits;
    int signal, exit_code;
    const char *language, *said, *begins;
} ends[] = {
    {"time", LIMIT_WALL, SIGKILL, 124, "python", "", "The program did not end in time (2s) and"},
    {"processor", LIMIT_CPU, 0, 124, "python", "", "The program used up its processor time (1s)"},
    {"memory", LIMIT_MEMORY, SIGKILL, 137, "python", "",
     "The program needed more memory than it "
     "may have (64m) and was stopped."},
    {"disk", LIMIT_DISK, 0, 1, "bash", "write error: No space left on device\n",
     "The disk is full (8m): workspace"},
    {"processes", LIMIT_PIDS, 0, 1, "bash", "fork: retry: Resource temporarily unavailable\n",
     "No more processes or threads could be started (16)."},
    {"output", LIMIT_OUTPUT, 0, 1, "python", "x", "The program printed more than is kept; the"},
    {"a crash", 0, SIGSEGV, 139, "python", "", "The program crashed: it touched memory"},
    {"abort", 0, SIGABRT, 134, "javascript", "", "The program ended itself (abort)"},
    {"kill", 0, SIGKILL, 137, "python", "", "The program was killed (SIGKILL): by itself"},
    {"an odd signal", 0, SIGUSR1, 138, "python", "", "The program was ended by signal 10."},
    {"a child's crash", 0, 0, 139, "bash", "", "Exit status 139 is that of a shell when signal"},
    {"no command", 0, 0, 127, "bash", "env: 'x': not a thing\n",
     "Exit status 127: a command was "
     "not found."},
    {"no network", 0, 0, 6, "bash", "curl: (6) Could not resolve host: example.org\n",
     "There is no network inside, so no host name"},
    {"unreachable", 0, 0, 1, "sh", "connect: Network is unreachable\n",
     "There is no network inside."},
    {"a file", 0, 0, 1, "bash", "cat: data.csv: No such file or directory\n",
     "A file or folder is missing (cat: data.csv). Inputs come into the working folder with "
     "--file"},
    {"a full disk", 0, 0, 1, "r", "cannot write: No space left on device\n", "The disk is full: "},
    {"read-only", 0, 0, 1, "bash", "touch: cannot touch '/usr/x': Read-only file system\n",
     "Only the working folder and $TMPDIR can be written."},
    {"heap", 0, SIGABRT, 134, "javascript",
     "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n",
     "The program ended itself (abort)"},
};

static void test_ends(void)
{
    const struct jail_limits limits = {.wall_ms = 2000,
                                       .cpu_ms = 1000,
                                       .memory_bytes = 64 << 20,
                                       .disk_bytes = 8 << 20,
                                       .pids = 16};

    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        struct result r;
        struct feedback f;
        begin(&r, ends[i].language, ends[i].said, ends[i].exit_code);
        r.limits_hit = ends[i].limits;
        r.signal = ends[i].signal;
        r.timed_out = ends[i].limits & (LIMIT_WALL | LIMIT_CPU);
        r.oom_killed = ends[i].limits & LIMIT_MEMORY;
        r.limits = limits;
        feedback_make(&(struct feedback_input){.result = &r}, &f);
        if (!OK(strncmp(text_at(&f, 0), ends[i].begins, strlen(ends[i].begins)) == 0, "%s: %s",
                ends[i].what, ends[i].begins))
            show(&f);
        if (r.timed_out)
            EQ_STR(text_at(&f, 1), "Code timed out. Check for infinite loops or optimize.");
        feedback_done(&f);
        result_done(&r);
    }
}

static void test_denied(void)
{
    struct result r;
    struct feedback f;

    begin(&r, "python", "", 1);
    r.outcome.denied_count = 3;
    r.outcome.denied[0] = (struct jail_denial){"ptrace", 2};
    r.outcome.denied[1] = (struct jail_denial){"process_vm_readv", 1};
    r.outcome.denied[2] = (struct jail_denial){"swapon", 1};
    feedback_make(&(struct feedback_input){.result = &r}, &f);
    EQ_STR(text_at(&f, 0), "Access to other processes is not allowed inside (ptrace): debuggers "
                           "and tracers do not work.");
    EQ_STR(text_at(&f, 1),
           "The system call swapon is not allowed inside and returned an error. Do without it.");
    EQ_INT(f.n, 2);
    feedback_done(&f);
    result_done(&r);
}

static struct finding import_finding(const char *message, uint32_t line)
{
    return (struct finding){.rule = "import-forbidden",
                            .severity = SEVERITY_HIGH,
                            .message = xstrdup(message),
                            .hint = xstrdup("do without it"),
                            .line = line};
}

static void test_refused(void)
{
    struct result r;
    struct feedback f;

    begin(&r, "python", "", -1);
    r.started = false;
    r.checked = true;
    r.verdict = (struct verdict){.stage = GUARD_IMPORTS, .reason = xstrdup("import of ctypes")};
    r.verdict.findings = xcalloc(2, sizeof *r.verdict.findings);
    r.verdict.n = r.verdict.room = 2;
    r.verdict.findings[0] = import_finding("import of ctypes", 3);
    r.verdict.findings[1] = import_finding("import of socket", 4);
    feedback_make(&(struct feedback_input){.result = &r}, &f);
    EQ_STR(text_at(&f, 0), "Line 3: import of ctypes. do without it");
    EQ_STR(text_at(&f, 1), "Line 4: import of socket. do without it");
    AUTO_FREE char *said = feedback_text(&(struct feedback_input){.result = &r}, &f);
    OK(strncmp(said, "The program was refused before it started (imports check).\n", 58) == 0,
       "the message says so");
    feedback_done(&f);
    result_done(&r);

    begin(&r, "python", "", -1);
    r.started = false;
    err_set(&r.error, ERR_SYSTEM, "cannot clone");
    feedback_make(&(struct feedback_input){.result = &r}, &f);
    EQ_STR(text_at(&f, 0), "cannot clone");
    EQ_STR(text_at(&f, 1), "The program did not cause this: the sandbox could not run it. Try "
                           "again, or run 'glovebox doctor'.");
    feedback_done(&f);
    result_done(&r);
}

/* ---- the table ---- */

static void test_advice(void)
{
    for (size_t i = 0; i < ARRAY_LEN(advised); i++) {
        const struct advice_error error = {.language = advised[i].language,
                                           .type = advised[i].type,
                                           .message = str_from(advised[i].message)};
        AUTO_FREE char *got = advice_for_error(&error);
        EQ_STR(got, advised[i].advice);
    }
}

/* What helps depends on where the program ran. */
static void test_places(void)
{
    for (size_t i = 0; i < ARRAY_LEN(placed); i++) {
        const struct advice_error error = {"python", placed[i].type, str_from(placed[i].message),
                                           placed[i].place};
        AUTO_FREE char *got = advice_for_error(&error);
        EQ_STR(got, placed[i].advice);
    }
}

static void check_match(const char *pattern, const char *text, bool fits, const char *first)
{
    struct str captures[ADVICE_CAPTURES];
    bool got = advice_match(pattern, str_from(text), captures);

    OK(got == fits && (!fits || str_is(captures[0], first)), "\"%s\" and \"%s\"", pattern, text);
}

static void test_patterns(void)
{
    check_match("", "", true, "");
    check_match("", "a", false, "");
    check_match("*", "", true, "");
    check_match("*", "abc", true, "abc");
    check_match("a*c", "abbc", true, "bb");
    check_match("a*c", "abcd", false, "");
    check_match("a*c", "acbc", true, "cb");
    check_match("*b*", "abb", true, "a");
    check_match("'*' x", "'n' x", true, "n");
    check_match("a*a", "a", false, "");
}

/* ---- the message ---- */

static void test_message(void)
{
    struct result r;
    struct feedback f;

    begin(&r, "python",
          "Traceback (most recent call last):\n"
          "  File \"/box/work/main.py\", line 3, in f\n"
          "    return d['a']\n"
          "           ~^^^^^\n"
          "KeyError: 'a'\n"
          "\nThe above exception was the direct cause of the following exception:\n\n"
          "Traceback (most recent call last):\n"
          "  File \"/box/work/main.py\", line 7, in <module>\n"
          "    f({})\n"
          "  File \"/box/work/main.py\", line 5, in f\n"
          "    raise ValueError('no a') from e\n"
          "ValueError: no a\n",
          1);
    read_error(&r, "def f(d):\n  try:\n    return d['a']\n  except KeyError as e:\n"
                   "    raise ValueError('no a') from e\n\nf({})\n");
    feedback_make(&(struct feedback_input){.result = &r}, &f);
    AUTO_FREE char *said = feedback_text(&(struct feedback_input){.result = &r}, &f);
    EQ_STR(said, "The program failed with ValueError on line 5: no a\n"
                 "    5 | raise ValueError('no a') from e\n"
                 "Called from line 7.\n"
                 "It began with: KeyError on line 3: 'a'\n"
                 "    3 | return d['a']\n"
                 "\nWhat to do:\n"
                 "- The dict has no key 'a'. Use .get(key, default), test with 'in', or print the "
                 "keys that there are.\n"
                 "- Invalid value for operation. Check parameter constraints.\n"
                 "- Dictionary key not found. Check key existence.\n");
    feedback_done(&f);
    result_done(&r);
}

static void test_ceiling(void)
{
    struct result r;
    struct feedback f;
    AUTO_BUF struct buf said = {0};

    buf_init(&said, 200000);
    (void)buf_adds(&said, "Traceback (most recent call last):\n  File \"/box/work/main.py\", line 1"
                          "\nValueError: ");
    for (size_t i = 0; i < 20000; i++)
        (void)buf_adds(&said, "\xe2\x82\xac \x1b[1m");
    begin(&r, "python", said.p, 1);
    read_error(&r, "");
    struct feedback_test tests[30];
    AUTO_FREE char *detail = xasprintf("%.*s", 3000, said.p);
    for (size_t i = 0; i < 30; i++)
        tests[i] = (struct feedback_test){i % 2 ? "odd" : "even", false, detail + i};
    for (size_t max = 1; max < 10000; max = max * 3 / 2 + 1) {
        struct feedback_input in = {
            .result = &r, .tests = tests, .test_count = 30, .max_chars = max};
        feedback_make(&in, &f);
        AUTO_FREE char *text = feedback_text(&in, &f);
        size_t n = utf8_count(str_from(text));
        OK(n <= (max < 200 ? 200 : max) && utf8_valid(str_from(text)) && !strchr(text, 0x1b),
           "%zu characters where %zu are allowed", n, max);
        if (max < 2000)
            OK(strstr(text, "left out, for lack of space") != NULL, "and it says so");
        feedback_done(&f);
    }
    result_done(&r);
}

static void test_excerpt(void)
{
    static const struct {
        const char *text, *excerpt;
    } rows[] = {
        {"", ""},
        {"one", "one"},
        {"1\n2\n3\n4\n5\n", "1\n2\n3\n4\n5\n"},
        {"1\n2\n3\n4\n5\n6\n", "2\n3\n4\n5\n6\n"},
        {"1\n2\n3\n4\n5\n6", "2\n3\n4\n5\n6"},
        {"\n\n\n", "\n\n\n"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        OK(str_is(feedback_excerpt(str_from(rows[i].text)), rows[i].excerpt), "excerpt %zu", i);
}

int main(void)
{
    RUN(test_by_type());
    RUN(test_fallback());
    RUN(test_security());
    RUN(test_tests());
    RUN(test_ends());
    RUN(test_denied());
    RUN(test_refused());
    RUN(test_advice());
    RUN(test_places());
    RUN(test_patterns());
    RUN(test_message());
    RUN(test_ceiling());
    RUN(test_excerpt());
    return tap_done();
}
