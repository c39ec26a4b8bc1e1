/* SPDX-License-Identifier: Apache-2.0
 *
 * The library as its users see it: through glovebox.h alone.
 */
#include "glovebox.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

static const char *options_of(const char *name, const char *value, const char *ret[3])
{
    ret[0] = name;
    ret[1] = value;
    ret[2] = NULL;
    return name;
}

/* The helper is one folder further up than where a program looks for it. */
static void find_helper(const char *program)
{
    char path[4096];
    const char *slash = strrchr(program, '/');
    int n = slash ? (int)(slash - program) : 0;

    if (snprintf(path, sizeof path, "%.*s/../glovebox-jail", n, program) < (int)sizeof path &&
        access(path, X_OK) == 0)
        setenv("GLOVEBOX_JAIL", path, 0);
}

static glovebox *open_quiet(void)
{
    glovebox *box = glovebox_open();

    EQ_INT(glovebox_set(box, "log", "off"), 0);
    EQ_INT(glovebox_set(box, "timeout", "20s"), 0);
    return box;
}

static int can_run(glovebox *box)
{
    glovebox_result *r = glovebox_run(box, "python", "print(1)", 8, NULL);
    int can = glovebox_result_success(r);

    if (!can)
        printf("# %s\n", glovebox_result_error(r) ? glovebox_result_error(r) : "no success");
    glovebox_result_free(r);
    return can;
}

/* ---- code out of replies ---- */

static void code_is(glovebox *box, const char *reply, const char *const *options, const char *want)
{
    size_t n = 99;
    char *code = glovebox_code(box, reply, strlen(reply), options, &n);

    EQ_STR(code, want);
    EQ_INT(n, want ? strlen(want) : 0);
    glovebox_free(code);
}

static void blocks_are(glovebox *box, const char *reply, const char *const *options,
                       const char *want)
{
    char *json = glovebox_blocks(box, reply, strlen(reply), options);

    EQ_STR(json, want);
    glovebox_free(json);
}

static void test_code(glovebox *box)
{
    static const char reply[] =
        "A\n```python\nx = 1\n```\nand\n```bash\nls\n```\n```py\ny = 2\n```\n";
    const char *options[3];

    code_is(box, reply, NULL, "y = 2");
    options_of("joined", "true", options);
    code_is(box, reply, options, "x = 1\n\ny = 2");
    options_of("first", "true", options);
    code_is(box, reply, options, "x = 1");
    options_of("all", "true", options);
    code_is(box, reply, options, "x = 1\n\nls\n\ny = 2");
    options_of("lang", "bash,ruby", options);
    code_is(box, reply, options, "ls");
    options_of("profile", "chapter", options);
    code_is(box, reply, options, "x = 1");
    options_of("delimiters", "<run>..</run>", options);
    code_is(box, "<run>1</run> ```2```", options, "1");
    options_of("fix-final-answer", "true", options);
    code_is(box, "```py\nfinal_answer = 1\nfinal_answer(final_answer)\n```", options,
            "final_answer_variable = 1\nfinal_answer(final_answer_variable)");
}

static void test_files(void)
{
    static const struct {
        const char *name, *refused; /* NULL: it is accepted */
    } rows[] = {
        {"a.txt", NULL},
        {"in/b.txt", NULL},
        {"./in//c.txt", NULL},
        {"../evil", "input name '../evil' contains '..'"},
        {"in/../../evil", "contains '..'"},
        {"/etc/passwd", "input name '/etc/passwd'"},
        {"a.txt", "a.txt"},
        {"in/./b.txt", "b.txt"},
        {"a.txt/d", "a.txt"},
        {"in", "in"},
        {"", "a file needs a name"},
        {"d.txt", NULL},
    };
    glovebox *box = open_quiet();

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int got = glovebox_add_file(box, rows[i].name, "x", 1);
        const char *error = glovebox_error(box);
        EQ_INT(got, rows[i].refused ? -1 : 0);
        OK(!rows[i].refused || strstr(error, rows[i].refused), "%s: %s", rows[i].name, error);
    }
    if (!can_run(box)) {
        glovebox_close(box);
        return;
    }
    const char code[] = "import os; print(sorted(os.listdir('.')), os.listdir('in'))";
    glovebox_result *result = glovebox_run(box, "python", code, strlen(code), NULL);
    OK(strstr(glovebox_result_json(result), "a.txt") && glovebox_result_exit_code(result) == 0,
       "the handle runs with the files that were accepted");
    glovebox_result_free(result);
    glovebox_close(box);
}

static void test_profiles(glovebox *box)
{
    const char *options[3];

    options_of("profile", "adk", options);
    code_is(box, "a\n```tool_code\nx\n```\nb\n```python\ny\n```\n", options, "x");
    options_of("profile", "smolagents", options);
    code_is(box, "<code>\na\n</code>\n<code>b</code>", options, "a\n\nb");
    options_of("profile", "smolagents-json", options);
    code_is(box, "{\"thought\": \"t\", \"code\": \"<code>\\nx\\n</code>\"}", options, "x");
    options_of("profile", "kodeagent", options);
    code_is(box, "{\"thought\": \"t\", \"code\": \"<code>x</code>\"}", options, "<code>x</code>");
    blocks_are(box, "{\"thought\": \"t\", \"code\": \"x\"}", options,
               "{\"thought\":\"t\",\"code\":\"x\",\"final_answer\":null,"
               "\"task_successful\":false}");
}

static void test_no_code(glovebox *box)
{
    const char *options[3];

    code_is(box, "no code", NULL, NULL);
    EQ_STR(glovebox_error(box), "there is no code block in the reply");
    options_of("lang", "go", options);
    code_is(box, "```py\n1\n```", options, NULL);
    EQ_STR(glovebox_error(box), "there is no go code block in the reply");
    options_of("profile", "kodeagent", options);
    code_is(box, "{\"thought\": \"t\", \"final_answer\": \"x\", \"task_successful\": true}",
            options, NULL);
    EQ_STR(glovebox_error(box), "the reply is a final answer, not code");
    blocks_are(box, "neither", options, NULL);
    OK(*glovebox_error(box), "why it is no object");
}

/* smolagents quotes the reply to the model, whole and however odd. */
static void test_long_complaint(glovebox *box)
{
    static char reply[3000];
    const char *options[3];

    memset(reply, '!', sizeof reply - 1);
    reply[2990] = '\xff';
    options_of("profile", "smolagents", options);
    code_is(box, reply, options, NULL);
    const char *said = glovebox_error(box);
    OK(strncmp(said, "Error in code parsing:\n", 23) == 0, "it says what is wrong");
    OK(strstr(said, "!!\xef\xbf\xbd!!") != NULL, "with the reply, as UTF-8");
    OK(strstr(said, "Make sure to provide correct code blobs.") != NULL, "to the end");
    EQ_INT(glovebox_set(box, "no-such-option", "1"), -1);
    OK(strstr(glovebox_error(box), "no-such-option") != NULL, "the next failure is told instead");
}

static void test_wrong_options(glovebox *box)
{
    static const char *const wrong[][5] = {
        {"profile", "nobody"},
        {"nothing", "true"},
        {"first"},
        {"delimiters", "oneword"},
        {"profile", "chapter", "delimiters", "a..b"},
        {"first", "true", "last", "true"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        EQ_INT(glovebox_set(box, "timeout", "20s"), 0);
        code_is(box, "```\n1\n```", wrong[i], NULL);
        OK(*glovebox_error(box), "%s: %s", wrong[i][0], glovebox_error(box));
        blocks_are(box, "```\n1\n```", wrong[i], NULL);
    }
}

static void test_blocks(glovebox *box)
{
    blocks_are(box, "", NULL, "[]");
    blocks_are(box, "x\n~~~js a\n  1\n~~~\n", NULL,
               "[{\"language\":\"javascript\",\"info\":\"js a\",\"code\":\"  1\",\"start\":2,"
               "\"end\":17,\"code_start\":10,\"code_end\":13,\"closed\":true}]");
    size_t n;
    char *code = glovebox_code(box, "```py\na\0b\n```", 13, NULL, &n);
    OK(code && n == 3 && memcmp(code, "a\0b", 4) == 0, "a NUL inside, and one behind");
    glovebox_free(code);
    code = glovebox_code(box, "```py\n\xff\n```", 11, NULL, NULL);
    EQ_STR(code, "\xff");
    glovebox_free(code);
    glovebox_free(NULL);
}

static void test_languages(void)
{
    EQ_STR(glovebox_detect_language(NULL, "const x = 1;\nconsole.log(x)\n", 28), "javascript");
    EQ_STR(glovebox_detect_language("a.R", "", 0), "r");
    EQ_STR(glovebox_detect_language("a", "#!/bin/sh\n", 10), "sh");
    EQ_STR(glovebox_detect_language(NULL, "", 0), "python");
}

/* ---- results into text ---- */

static void text_is(glovebox *box, const char *json, const char *profile, const char *want)
{
    size_t n = 99;
    char *text = glovebox_format_json(box, json, strlen(json), profile, &n);

    EQ_STR(text, want);
    EQ_INT(n, want ? strlen(want) : 0);
    glovebox_free(text);
}

static void outputs_are(glovebox *box, const char *text, const char *profile, const char *want)
{
    char *json = glovebox_extract(box, text, strlen(text), profile);

    EQ_STR(json, want);
    glovebox_free(json);
}

static void test_format(glovebox *box)
{
    static const char run[] = "{\"stdout\": \"a\\n```\\n\", \"exit_code\": 0}";

    text_is(box, run, NULL, "Output:\n\n````text\na\n```\n````\n");
    outputs_are(box, "Output:\n\n````text\na\n```\n````\n", NULL, "[\"a\\n```\\n\"]");
    char *text = glovebox_format_json(box, run, strlen(run), "adk", NULL);
    outputs_are(box, text, "adk", "[\"a\\n```\\n\"]");
    glovebox_free(text);
    outputs_are(box, "nothing", NULL, "[]");
    text_is(box, run, "nobody", NULL);
    EQ_STR(glovebox_error(box), "unknown text profile 'nobody'");
    text_is(box, "{", NULL, NULL);
    OK(strstr(glovebox_error(box), "line 1") != NULL, "%s", glovebox_error(box));
    text_is(box, "{}", NULL, NULL);
    OK(strstr(glovebox_error(box), "not a result") != NULL, "%s", glovebox_error(box));
    outputs_are(box, "x", "chapter", NULL);
    OK(*glovebox_error(box), "%s", glovebox_error(box));
    outputs_are(box, "x", "nobody", NULL);
}

/* ---- verdicts ---- */

static void test_findings(glovebox *box)
{
    static const char code[] = "x = 1\nimport ssl; import socket\n";

    EQ_INT(glovebox_set(box, "forbid-imports", "ssl,socket"), 0);
    glovebox_result *r = glovebox_check(box, NULL, code, sizeof code - 1);
    EQ_INT(glovebox_result_allowed(r), 0);
    EQ_INT(glovebox_result_finding_count(r), 2);
    EQ_STR(glovebox_result_finding_rule(r, 1), "import-forbidden");
    EQ_INT(glovebox_result_finding_refuses(r, 1), 1);
    EQ_INT(glovebox_result_finding_line(r, 1), 2);
    EQ_INT(glovebox_result_finding_column(r, 1), 20);
    OK(glovebox_result_risk(r) > 0, "points");
    OK(glovebox_result_finding_severity(r, 1) != NULL, "%s",
       glovebox_result_finding_severity(r, 1));
    OK(strstr(glovebox_result_finding_message(r, 1), "socket") != NULL, "about socket");
    OK(glovebox_result_finding_hint(r, 1) != NULL, "with a hint");
    OK(glovebox_result_feedback_count(r) > 0, "and advice");
    OK(strstr(glovebox_result_feedback_text(r), "ssl") != NULL, "which is in the message");
    OK(!glovebox_result_finding_rule(r, 2) && !glovebox_result_finding_severity(r, 2) &&
           !glovebox_result_finding_message(r, 2) && !glovebox_result_finding_hint(r, 2) &&
           !glovebox_result_feedback(r, 99),
       "nothing behind the last");
    EQ_INT(glovebox_result_finding_line(r, 2), 0);
    glovebox_result_free(r);
}

static void test_syntax(glovebox *box)
{
    glovebox_result *r = glovebox_check(box, "python", "x = (\n", 6);

    EQ_STR(glovebox_result_exception_type(r), "SyntaxError");
    EQ_STR(glovebox_result_exception_message(r), "'(' was never closed");
    EQ_INT(glovebox_result_exception_line(r), 1);
    OK(strstr(glovebox_result_feedback_text(r), "was never closed") != NULL, "told to the model");
    char *text = glovebox_format(box, r, "markdown", NULL);
    OK(text && strstr(text, "was never closed") != NULL, "and in Markdown");
    glovebox_free(text);
    glovebox_result_free(r);

    r = glovebox_check(box, "python", "x = 1\n", 6);
    EQ_STR(glovebox_result_feedback_text(r), "");
    EQ_INT(glovebox_result_feedback_count(r), 0);
    OK(!glovebox_result_exception_type(r) && !glovebox_result_exception_message(r), "no error");
    EQ_INT(glovebox_result_test_count(r), 0);
    OK(!glovebox_result_test_name(r, 0) && !glovebox_result_test_detail(r, 0), "and no tests");
    glovebox_result_free(r);
}

/* ---- runs ---- */

static void test_feedback(glovebox *box)
{
    static const char code[] = "print('x')\nprices = {}\nprices['tea']\n";
    glovebox_result *r = glovebox_run(box, "python", code, sizeof code - 1, NULL);

    EQ_STR(glovebox_result_exception_type(r), "KeyError");
    EQ_INT(glovebox_result_exception_line(r), 3);
    OK(glovebox_result_feedback_count(r) > 0, "advice");
    OK(strstr(glovebox_result_feedback_text(r), "KeyError on line 3") != NULL, "and a message");
    OK(glovebox_result_feedback_text(r) == glovebox_result_feedback_text(r), "made once");
    glovebox_result_free(r);
    r = glovebox_run(box, "python", "print('a```b')", 14, NULL);
    EQ_STR(glovebox_result_feedback_text(r), "");
    char *text = glovebox_format(box, r, NULL, NULL);
    outputs_are(box, text, NULL, "[\"a```b\\n\"]");
    glovebox_free(text);
    glovebox_result_free(r);
}

static glovebox_result *judged(glovebox *box, const char *code, const char *cases)
{
    return glovebox_test(box, "python", code, strlen(code), cases, strlen(cases));
}

static void test_judge(glovebox *box)
{
    glovebox_result *r = judged(box, "def add(a, b): return a + b + (a == 3)",
                                "[{\"name\": \"two\", \"args\": [1, 1], \"expected\": 2},"
                                " {\"args\": [3, 1], \"expected\": 4, \"weight\": 3}]");

    EQ_STR(glovebox_result_error(r), NULL);
    EQ_INT(glovebox_result_success(r), 0);
    EQ_INT(glovebox_result_test_count(r), 2);
    EQ_INT(glovebox_result_tests_passed(r), 1);
    OK(glovebox_result_score(r) == 0.25, "a quarter");
    OK(glovebox_result_test_call(r, 0) && !glovebox_result_test_call(r, 99), "what is called");
    EQ_STR(glovebox_result_error_type(r), "guest");
    EQ_INT(glovebox_result_test_errors(r), 0);
    OK(!glovebox_result_trustworthy(r) == !!glovebox_result_doubt(r), "a doubt has a reason");
    EQ_STR(glovebox_result_test_name(r, 0), "two");
    EQ_STR(glovebox_result_test_detail(r, 0), "OK");
    EQ_INT(glovebox_result_test_passed(r, 0), 1);
    EQ_INT(glovebox_result_test_passed(r, 1), 0);
    EQ_INT(glovebox_result_test_passed(r, 2), 0);
    OK(strstr(glovebox_result_json(r), "\"total\":2,\"passed\":1,\"failed\":1") != NULL, "as JSON");
    OK(*glovebox_result_feedback_text(r), "what failed is told");
    glovebox_result_free(r);
}

static void test_judge_passes(glovebox *box)
{
    glovebox_result *r = judged(box, "def add(a, b): return a + b\ndef other(): pass",
                                "{\"call\": \"add(1, 1)\", \"expected\": 2}\n");

    EQ_INT(glovebox_result_success(r), 1);
    OK(glovebox_result_score(r) == 1, "all of it");
    EQ_STR(glovebox_result_feedback_text(r), "");
    glovebox_result_free(r);

    EQ_INT(glovebox_set(box, "func", "other"), 0);
    r = judged(box, "def add(a): return a\ndef other(a): return -a",
               "[{\"args\": [2], \"expected\": -2}]");
    EQ_INT(glovebox_result_tests_passed(r), 1);
    glovebox_result_free(r);

    EQ_INT(glovebox_set(box, "compare", "tokens"), 0);
    r = judged(box, "print(input(), 2)", "[{\"stdin\": \"1\\n\", \"expected_stdout\": \"1   2\"}]");
    EQ_INT(glovebox_result_tests_passed(r), 1);
    glovebox_result_free(r);
}

static glovebox *to_cancel;

static void on_alarm(int signal)
{
    (void)signal;
    glovebox_cancel(to_cancel);
    (void)alarm(1); /* in case it had not begun */
}

static void test_judge_cancelled(void)
{
    struct sigaction action = {.sa_handler = on_alarm};

    to_cancel = open_quiet();
    sigaction(SIGALRM, &action, NULL);
    alarm(1);
    glovebox_result *r =
        judged(to_cancel, "def f():\n    while True: pass", "[{\"args\": [], \"expected\": 1}]");
    (void)alarm(0);
    EQ_INT(glovebox_result_success(r), 0);
    EQ_INT(glovebox_result_timed_out(r), 0);
    OK(glovebox_result_duration_ms(r) < 20000, "it ends long before its time");
    glovebox_result_free(r);
    r = judged(to_cancel, "def f(): return 1", "[{\"args\": [], \"expected\": 1}]");
    EQ_INT(glovebox_result_success(r), 1);
    glovebox_result_free(r);
    glovebox_close(to_cancel);
}

static void test_judge_fails(glovebox *box)
{
    glovebox_result *r = judged(box, "x = 1", "[{]");

    OK(strstr(glovebox_result_error(r), "cases: line 1") != NULL, "%s", glovebox_result_error(r));
    EQ_STR(glovebox_result_feedback_text(r), "");
    OK(strstr(glovebox_result_json(r), "\"total\":0") != NULL, "as JSON");
    glovebox_result_free(r);
    r = judged(box, "x = (", "[{\"args\": [], \"expected\": 1}]");
    EQ_INT(glovebox_result_allowed(r), 0);
    EQ_INT(glovebox_result_tests_passed(r), 0);
    OK(strstr(glovebox_result_feedback_text(r), "was never closed") != NULL, "told to the model");
    glovebox_result_free(r);
    EQ_INT(glovebox_set(box, "compare", "hope"), -1);
    EQ_INT(glovebox_set(box, "setup", "/no/such/file"), 0);
    r = judged(box, "x = 1", "[]");
    OK(strstr(glovebox_result_error(r), "--setup: cannot read /no/such/file") != NULL, "%s",
       glovebox_result_error(r));
    glovebox_result_free(r);
}

int main(int argc, char **argv)
{
    (void)argc;
    find_helper(argv[0]);
    glovebox *box = open_quiet();
    RUN(test_code(box));
    RUN(test_files());
    RUN(test_profiles(box));
    RUN(test_no_code(box));
    RUN(test_long_complaint(box));
    RUN(test_wrong_options(box));
    RUN(test_blocks(box));
    RUN(test_languages());
    RUN(test_format(box));
    RUN(test_syntax(box));
    if (can_run(box)) {
        RUN(test_feedback(box));
        RUN(test_judge(box));
        RUN(test_judge_passes(box));
        RUN(test_judge_cancelled());
    } else {
        SKIP("needs a jail that works here");
    }
    RUN(test_judge_fails(box));
    RUN(test_findings(box));
    glovebox_close(box);
    glovebox_close(NULL);
    glovebox_result_free(NULL);
    return tap_done();
}
