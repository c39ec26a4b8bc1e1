/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/suite.h"
#include "judge/suite_lines.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "tap.h"

static struct suite_task task;
static struct err err;

static bool load_as(const char *text, bool reference)
{
    suite_task_done(&task);
    err = (struct err){0};
    const struct suite_form form = {.reference = reference};
    return suite_task_read(str_from(text), &form, 0, &task, &err) == 0;
}

static bool load(const char *text)
{
    return load_as(text, false);
}

static void check_forms(void)
{
    OK(load("{\"id\": \"a\", \"code\": \"x\", \"func\": \"f\", \"cases\": [{\"args\": [1], "
            "\"expected\": 123456789012345678901234567890}], \"timeout\": 0.5, \"sample\": 3, "
            "\"language\": \"python\", \"setup\": \"import os\", \"note\": {}}"),
       "cases of our own");
    EQ_STR(task.id, "a");
    EQ_STR(task.func, "f");
    EQ_STR(task.language, "python");
    OK(str_is(task.code, "x") && str_is(task.setup, "import os"), "code and setup");
    OK(task.timeout_ms == 500 && task.sample == 3 && task.given_sample, "timeout and sample");
    OK(!task.is_code && task.cases.n == 1 && task.cases.at[0].expected.limbs, "a large number");
    OK(load("{\"task_id\": \"HumanEval/0\", \"prompt\": \"def f():\\n\", \"completion\": \"  1\", "
            "\"canonical_solution\": \"  2\", \"entry_point\": \"f\", \"test\": \"def check\"}"),
       "as HumanEval has it");
    OK(task.is_code && task.test_count == 1 && str_is(task.tests[0], "def check"), "its test");
    OK(str_is(task.code, "def f():\n  1") && str_is(task.prompt, "def f():\n"), "its code");
    OK(load("{\"id\": 1, \"code\": \"x\", \"test\": \"def check(f): pass\\ncheck(x)\"}"),
       "test code that calls its check()");
    OK(load_as("{\"id\": 1, \"prompt\": \"p\", \"completion\": \"a\", \"canonical_solution\": "
               "\"b\", \"test\": \"t\"}",
               true) &&
           str_is(task.code, "pb"),
       "the reference");
    OK(load("{\"task_id\": 11, \"text\": \"...\", \"code\": \"c\", \"test_list\": [\"assert a\", "
            "\"assert b\"], \"test_setup_code\": \"s\", \"test_imports\": [\"import x\", \"import "
            "y\"], \"challenge_test_list\": []}"),
       "as MBPP has it");
    EQ_STR(task.id, "11");
    OK(task.test_count == 2 && str_is(task.tests[1], "assert b"), "its tests");
    OK(str_is(task.setup, "import x\nimport y\ns"), "imports come before the rest");
}

static void check_errors(void)
{
    static const char *const rows[][2] = {
        {"", "column 1"},
        {"[]", "a task must be a JSON object"},
        {"{\"id\": \"a\"", "column 11"},
        {"{\"code\": \"\", \"test\": \"\"}",
         "\"task_id\" (or \"id\") is missing, a string or a number; the line has: code, test"},
        {"{\"id\": []}", "\"id\" must be a string or a number"},
        {"{\"id\": null}", "the line has: no fields"},
        {"{\"id\": 1, \"a\": 1, \"b\": 1, \"c\": 1, \"d\": 1, \"e\": 1, \"f\": 1, \"g\": 1, \"h\": "
         "1, \"i\": 1, \"j\": 1}",
         "the line has: id, a, b, c, d, e, f, g, h, i and 1 more"},
        {"{\"id\": \"a\\u0000b\"}", "\"id\" must be a string without NUL"},
        {"{\"id\": 1}", "the candidate is missing"},
        {"{\"id\": 1, \"canonical_solution\": \"\"}", "--reference"},
        {"{\"id\": 1, \"code\": 1}", "\"code\" must be a string"},
        {"{\"id\": 1, \"code\": \"\"}", "the tests are missing, as \"test\""},
        {"{\"id\": 1, \"code\": \"\", \"cases\": {}}", "\"cases\" must be a list"},
        {"{\"id\": 1, \"code\": \"\", \"cases\": [{\"arg\": 1}]}", "\"cases\": line 1, column"},
        {"{\"id\": 1, \"code\": \"\", \"test_list\": [1]}", "\"test_list\" must be a list"},
        {"{\"id\": 1, \"code\": \"\", \"test\": 1}", "\"test\" must be a string with test code"},
        {"{\"id\": 1, \"code\": \"\", \"test\": \" \"}",
         "\"test\" must be test code, and is empty"},
        {"{\"id\": 1, \"code\": \"\", \"test_list\": []}",
         "\"test_list\" must be test code, and is"},
        {"{\"id\": 1, \"completion\": \"  x\", \"test\": \"t\"}", "\"prompt\" is missing"},
        {"{\"id\": 1, \"code\": \"x\", \"test\": \"def check(f): pass\"}",
         "\"entry_point\" is missing"},
        {"{\"id\": 1, \"code\": \"\", \"test\": \"t\", \"language\": \"r\"}",
         "test code can only test"},
        {"{\"id\": 1, \"code\": \"\", \"test\": \"\", \"timeout\": -1}", "\"timeout\""},
        {"{\"id\": 1, \"code\": \"\", \"test\": \"\", \"timeout\": \"x\"}", "\"timeout\""},
        {"{\"id\": 1, \"code\": \"\", \"test\": \"\", \"timeout\": []}", "\"timeout\""},
        {"{\"id\": 1, \"code\": \"\", \"test\": \"\", \"sample\": 1.5}", "\"sample\""},
        {"{\"id\": 1, \"code\": \"\", \"test\": \"\", \"test_imports\": \"\"}", "\"test_imports\""},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        OK(!load(rows[i][0]) && err.kind == ERR_USAGE && strstr(err.msg, rows[i][1]), "refused: %s",
           rows[i][0]);
        if (!strstr(err.msg, rows[i][1]))
            printf("# got \"%s\"\n", err.msg);
    }
}

/* By counting the ways, which is exact for small numbers. */
static double pass_by_counting(unsigned n, unsigned c, unsigned k)
{
    unsigned all = 0, good = 0;

    for (unsigned set = 0; set < 1u << n; set++) {
        if ((unsigned)__builtin_popcount(set) != k)
            continue;
        all++;
        good += (set & ((1u << c) - 1)) != 0;
    }
    return (double)good / all;
}

static void check_pass_at(void)
{
    int wrong = 0;

    for (unsigned n = 1; n <= 10; n++)
        for (unsigned c = 0; c <= n; c++)
            for (unsigned k = 1; k <= n; k++)
                wrong += fabs(pass_at_k(n, c, k) - pass_by_counting(n, c, k)) > 1e-12;
    EQ_INT(wrong, 0);
    OK(fabs(pass_at_k(200, 1, 100) - 0.5) < 1e-12, "of 200 samples");
    OK(fabs(pass_at_k(100000, 1, 10) - 1e-4) < 1e-12, "of 100000 samples");
}

static void check_tally(void)
{
    struct tally t = {0};
    size_t tasks, wrong = 0;
    char id[32];

    for (size_t i = 0; i < 20000; i++) {
        snprintf(id, sizeof id, "task %zu", i % 5000);
        struct tally_task *one = tally_task(&t, id);
        one->n++;
        one->passed += i < 5000;
    }
    EQ_INT(t.n, 5000);
    for (size_t i = 0; i < 5000; i++) {
        snprintf(id, sizeof id, "task %zu", i);
        const struct tally_task *one = tally_find(&t, id);
        wrong += !one || one->n != 4 || one->passed != 1;
    }
    EQ_INT(wrong, 0);
    OK(!tally_find(&t, "task") && !tally_find(&(struct tally){0}, "task"), "what is not there");
    OK(fabs(tally_pass_at(&t, 2, &tasks) - 0.5) < 1e-9 && tasks == 5000, "the mean");
    OK(tally_pass_at(&t, 5, &tasks) == 0 && tasks == 0, "too few samples");
    tally_done(&t);
}

static void check_result(void)
{
    struct suite_result r = {.id = xstrdup("a\nb\xff"),
                             .line = 7,
                             .sample = 2,
                             .passed = 1,
                             .total = 3,
                             .score = 0.25,
                             .detail = xstrdup("\"x\""),
                             .duration_ms = 12},
                        back;
    AUTO_FREE char *line = suite_result_line(&r);

    OK(strchr(line, '\n') == line + strlen(line) - 1, "one line");
    OK(suite_result_read(str_from(line), &back), "it is read again");
    EQ_STR(back.id, "a\nb\xEF\xBF\xBD");
    EQ_STR(back.detail, "\"x\"");
    OK(back.line == 7 && back.sample == 2 && back.passed == 1 && back.total == 3 &&
           back.score == 0.25 && back.duration_ms == 12 && !back.all_passed && !back.error,
       "with the same numbers");
    suite_result_done(&back);
    int wrong = 0;
    for (size_t n = 0; n + 2 < strlen(line); n++) {
        wrong += suite_result_read((struct str){line, n}, &back);
        suite_result_done(&back);
    }
    EQ_INT(wrong, 0);
    suite_result_done(&r);
}

static void check_escape(void)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 1000);
    junit_escape(&b, (struct str){"a<b>&\"\x01\x7f\n\xEF\xBF\xBF\xEF\xBF\xBD\xff\0z", 18});
    EQ_STR(b.p, "a&lt;b&gt;&amp;&quot;&#10;\xEF\xBF\xBD\xEF\xBF\xBDz");
}

static void check_count(void)
{
    char path[] = "/tmp/suite-XXXXXX";
    int fd = mkstemp(path);

    OK(fd >= 0 && write(fd, "a\n\nb", 4) == 4, "a file");
    EQ_INT(suite_count(path), 2);
    OK(write(fd, "\n \t\r\nc\r\n", 8) == 8, "more lines, one of them blank");
    EQ_INT(suite_count(path), 3);
    EQ_INT(suite_count("-"), 0);
    EQ_INT(suite_count("/nonexistent"), 0);
    close(fd);
    unlink(path);
}

int main(void)
{
    RUN(check_forms());
    RUN(check_errors());
    RUN(check_pass_at());
    RUN(check_tally());
    RUN(check_result());
    RUN(check_escape());
    RUN(check_count());
    suite_task_done(&task);
    return tap_done();
}
