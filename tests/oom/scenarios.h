/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of the public header, in the order in which a program makes them. Allocations count from
 * fail_on on.
 */
#ifndef OOM_SCENARIOS_H
#define OOM_SCENARIOS_H

#include <stdlib.h>

#include "notes.h"

#define LEN(text) text, strlen(text)

static const char *log_path; /* of the run log */

static glovebox *open_box(void)
{
    glovebox *box = glovebox_open();

    note_status("set timeout", glovebox_set(box, "timeout", "60s"), glovebox_error(box));
    note_status("set log", glovebox_set(box, "log", log_path), glovebox_error(box));
    return box;
}

static void run_handle(void)
{
    fail_on();
    glovebox *box = open_box();
    note_status("set memory", glovebox_set(box, "memory", "300m"), glovebox_error(box));
    note_status("set env", glovebox_set(box, "env", "A=b"), glovebox_error(box));
    note_status("set imports", glovebox_set(box, "allow-imports", "math,json"),
                glovebox_error(box));
    note_status("set nothing", glovebox_set(box, "no-such-option", "x") + 1, glovebox_error(box));
    note_status("add file", glovebox_add_file(box, "d/f", LEN("bytes")), glovebox_error(box));
    glovebox_set_stdin(box, LEN("input\n"));
    glovebox_set_forks(box, 1);
    glovebox_close(box);
}

static void run_texts(void)
{
    static const char reply[] = "Thought.\n```python\nx = 1\n```\nand\n```bash\nls\n```\n";
    static const char *const options[] = {"lang", "python", "first", "true", NULL};
    static const char result[] =
        "{\"success\": true, \"exit_code\": 0, \"stdout\": \"out\\n\", \"stderr\": \"\"}";
    glovebox *box = open_box();

    fail_on();
    char *blocks = glovebox_blocks(box, LEN(reply), NULL);
    note_json("blocks", blocks, glovebox_error(box));
    char *code = glovebox_code(box, LEN(reply), options, NULL);
    note_text("code", code, glovebox_error(box));
    char *markdown = glovebox_format_json(box, LEN(result), "markdown", NULL);
    note_text("format", markdown, glovebox_error(box));
    char *back = markdown ? glovebox_extract(box, LEN(markdown), "markdown") : NULL;
    note_json("extract", back, markdown ? glovebox_error(box) : "nothing to extract from");
    note_text("language", glovebox_detect_language("a.js", LEN("let x")), "");
    glovebox_free(blocks);
    glovebox_free(code);
    glovebox_free(markdown);
    glovebox_free(back);
    glovebox_close(box);
}

static void run_check(void)
{
    static const char bad[] = "import os, subprocess\nos.system('x')\neval(input())\nfor c in "
                              "'abc':\n    print(f'{c}')\n";
    glovebox *box = open_box();

    fail_on();
    note_status("set profile", glovebox_set(box, "profile", "smolagents"), glovebox_error(box));
    note_result("bad", glovebox_check(box, "python", LEN(bad)));
    note_result("broken", glovebox_check(box, NULL, LEN("def f(:\n  pass\n")));
    note_result("good", glovebox_check(box, "python", LEN("import math\nprint(math.pi)\n")));
    glovebox_close(box);
}

static void take_output(void *ctx, int stream, const char *bytes, size_t n)
{
    (void)bytes;
    *(size_t *)ctx += stream == 1 ? n : 0;
}

static void run_one_program(void)
{
    static const char code[] = "import sys\nopen('new', 'w').write('x' * 10)\nprint(input(), "
                               "open('d/f').read(), sys.argv[1])\n";
    static const char *const args[] = {"argument", NULL};
    size_t seen = 0;
    glovebox *box = open_box();

    fail_on();
    glovebox_on_output(box, take_output, &seen);
    note_status("add file", glovebox_add_file(box, "d/f", LEN("bytes")), glovebox_error(box));
    glovebox_set_stdin(box, LEN("input\n"));
    glovebox_result *r = glovebox_run(box, "python", LEN(code), args);
    char *text = glovebox_format(box, r, NULL, NULL);
    note_status("format", text ? 0 : -1, glovebox_error(box));
    glovebox_free(text);
    note_result("good", r);
    glovebox_close(box);
}

static void run_failing(void)
{
    static const char code[] = "def f(x):\n    return x.missing\nprint('begun')\nf(1)\n";
    glovebox *box = open_box();

    fail_on();
    note_result("bad", glovebox_run(box, NULL, LEN(code), NULL));
    glovebox_close(box);
}

static void run_judge(void)
{
    static const char code[] = "def add(a, b):\n    return a + b\n";
    static const char cases[] =
        "[{\"args\": [1, 2], \"expected\": 3}, {\"args\": [[1], [2]], \"expected\": [1, 2]},"
        " {\"args\": [1, 1], \"expected\": 3}]";
    glovebox *box = open_box();

    fail_on();
    note_status("set func", glovebox_set(box, "func", "add"), glovebox_error(box));
    note_result("test", glovebox_test(box, "python", LEN(code), LEN(cases)));
    glovebox_close(box);
}

/* The host's own allocations do not fail. */
static char *twice(void *ctx, const char *args, const char *kwargs, char **error)
{
    (void)ctx, (void)kwargs, (void)error;
    fail_off();
    size_t n = strlen(args) * 2 + 4;
    char *answer = malloc(n);
    if (answer)
        (void)snprintf(answer, n, "[%s,%s]", args, args);
    fail_on();
    return answer;
}

static void note_cell(const char *label, glovebox_session *s, const char *code)
{
    note_result(label, glovebox_session_exec(s, LEN(code)));
}

static void run_session(void)
{
    glovebox *box = open_box();

    glovebox_set_forks(box, 0);
    fail_on();
    note_status("tool", glovebox_on_tool(box, "twice", "gives it twice", twice, NULL),
                glovebox_error(box));
    glovebox_on_final_answer(box, 1);
    glovebox_session *s = glovebox_session_open(box, "python");
    note_status("open", s ? 0 : -1, glovebox_error(box));
    if (s) {
        note_cell("one", s, "x = [1, 2]\nprint('out')\nx");
        note_cell("two", s, "twice(3)");
        note_status("set", glovebox_session_set(s, "y", "{\"a\": [1, null]}"),
                    glovebox_session_error(s));
        char *y = glovebox_session_get(s, "y");
        note_text("get", y, glovebox_session_error(s));
        glovebox_free(y);
        note_cell("wrong", s, "1 / 0");
        note_cell("end", s, "final_answer(x)");
        note_status("restart", glovebox_session_restart(s), glovebox_session_error(s));
        note_cell("anew", s, "'x' in globals()");
    }
    glovebox_session_close(s);
    glovebox_close(box);
}

static void run_forks(void)
{
    glovebox *box = open_box();

    glovebox_set_forks(box, 1);
    fail_on();
    glovebox_session *s = glovebox_session_open(box, "python");
    note_status("open", s ? 0 : -1, glovebox_error(box));
    if (s) {
        note_cell("one", s, "x = 1");
        glovebox_session *other = glovebox_session_fork(s);
        note_status("fork", other ? 0 : -1, glovebox_session_error(s));
        if (other)
            note_cell("other", other, "x + 1");
        note_result("try", glovebox_session_try(s, LEN("x = 7\n1 / 0"), 1));
        note_cell("back", s, "x");
        glovebox_session_close(other);
    }
    glovebox_session_close(s);
    glovebox_close(box);
}

static const struct scenario {
    const char *name;
    void (*run)(void);
} scenarios[] = {
    {"handle", run_handle},       {"texts", run_texts},     {"check", run_check},
    {"program", run_one_program}, {"failing", run_failing}, {"judge", run_judge},
    {"session", run_session},     {"forks", run_forks},
};

#endif
