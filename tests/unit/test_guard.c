/* SPDX-License-Identifier: Apache-2.0 */
#include "guard_common.h"

/* What is found in a program, and where. tests/guard/ has many more. */
static const struct {
    const char *code, *want;
} found[] = {
    {"import os as o\no.system('ls')\n", "2:shell-command"},
    {"from os import system as s\ns('ls')\n", "1:shell-command 2:shell-command"},
    {"import os\ngetattr(os, 'sys' + 'tem')('ls')\n", "2:hidden-name 2:shell-command"},
    {"__builtins__['ev' 'al']('1')\n", "1:eval-call 1:builtins-access"},
    {"globals()['__imp' + 'ort__']('os')\n",
     "1:import-call 1:dynamic-import 1:namespace-access 1:hidden-name"},
    {"import base64\nexec(base64.b64decode('cGFzcw=='))\n",
     "2:exec-call 2:exec-decoded 2:decode-call"},
    {"f = eval\nf('1')\n", "1:code-reference 2:eval-call"},
    {"@exec\ndef f(): pass\n", "1:exec-call"},
    {"class C:\n    run = eval\nC.run('1')\n", "2:code-reference 3:eval-call"},
    {"().__class__.__base__.__subclasses__()\n",
     "1:dunder-attribute 1:dunder-attribute 1:subclasses-walk"},
    {"'{0.__class__.__init__}'.format(1)\n", "1:format-walk"},
    {"import sys\nsys.modules['os'].system('x')\n", "2:sys-modules 2:shell-command"},
    {"import random\nrandom._os.system('x')\n", "2:shell-command"},
    {"while 1:\n    pass\n", "1:endless-loop"},
    {"while not False:\n    x = 1\n", "1:endless-loop"},
    {"for x in iter(int, 1):\n    pass\n", "1:endless-iteration"},
    {"9**9**9\n", "1:huge-power"},
    {"'a' * 10**10\n", "1:huge-repetition"},
    {"1 << 10**10\n", "1:huge-shift"},
    {"for i in range(10**10):\n    pass\n", "1:huge-range"},
    {"f'{1:>1000000000}'\n", "1:huge-format"},
    {"import os\nwhile x():\n    os.fork()\n", "3:fork-call 3:fork-loop"},
    {"import builtins\nbuiltins.open = 1\ndel builtins.print\n",
     "2:builtins-change 3:builtins-change"},
    {"x = 'rm -rf /'\n", "1:shell-text"},
    {"x = 'rm -r' + 'f /'\n", "1:shell-text"},
    {"\xF0\x9D\x93\xAE\xF0\x9D\x93\xBF\xF0\x9D\x93\xAA\xF0\x9D\x93\xB5('1')\n",
     "1:eval-call 1:disguised-name"},
    {"import urllib.request\nimport urllib.parse\n", "1:network-module"},
    {"type('X', (), {})\ntype(1)\n", "1:dynamic-type"},
    {"import importlib\nimportlib.import_module('subprocess').run(['ls'])\n",
     "2:dynamic-import 2:process-start 2:process-module"},
    {"import functools, os\nfunctools.partial(os.system, 'x')()\n",
     "2:shell-command 2:shell-command"},

    {"import os\ndef f(m, n): getattr(m, n)('ls')\nf(os, 'system')\n",
     "2:computed-module-attribute 2:shell-command 3:module-handed-on"},
    {"import os\n(lambda o: o.system('x'))(os)\n", "2:shell-command 2:module-handed-on"},
    {"import os\ndef f(*, m=None): m.system('x')\nf(m=os)\n", "2:shell-command 3:module-handed-on"},
    {"import sys\nn = 'json'\nn = sys.argv[1]\n__import__(n)\n",
     "4:import-call 4:dynamic-import 4:computed-import"},

    {"import os\nclass A:\n    m = [os]\n    def f(self): self.x[0].system('ls')\n",
     "3:module-handed-on 4:shell-command"},
    {"import os\nx.m = os\nx.m.popen('ls')\n", "2:module-handed-on 3:shell-command"},

    /* what only looks like it */
    {"import os\nx.system('ls')\nos.getcwd()\n", ""},
    {"import os\ny = getattr(os, 'name')\nx.system('ls')\n", ""},
    {"import re\nre.compile('x')\nb'x'.decode()\n", ""},
    {"def reopen(x): pass\nreopen(1)\n# eval(1)\nx = 'eval(1)'\n", ""},
    {"class A:\n    def eval(self): pass\nA().eval()\nx.eval()\n", ""},
    {"def f(os):\n    os.system('x')\n", ""},
    {"def f():\n    os = {}\n    os['system']('x')\n", ""},
    {"def f(exec): return exec(1)\n", ""},
    {"def compile(x): return x\ncompile('x')\n", ""},
    {"'''rm -rf / in a docstring'''\n", ""},
    {"while True:\n    if x: break\n", ""},
    {"def g():\n    while True:\n        yield 1\n", ""},
    {"q = [1]\nwhile q: q.pop()\n", ""},
    {"n = 3\nwhile n: n -= 1\n", ""},
    {"import itertools\nfor a, b in zip(itertools.count(), [1]): pass\n", ""},
    {"'{0.__class__.__name__}'.format(1)\n", ""},
    {"import sys\n'os' in sys.modules\nsys.modules[__name__]\n", ""},
    {"globals()['x'] = 1\nvars()['open'] = 2\n", "1:namespace-access 2:namespace-access"},
    {"x = 2**100 + (1 << 64)\n", ""},
};

static void test_found(void)
{
    for (size_t i = 0; i < ARRAY_LEN(found); i++) {
        const char *got = findings_of("standard", found[i].code);
        if (!OK(strcmp(got, found[i].want) == 0, "case %zu", i))
            printf("# %s# got  %s\n# want %s\n", found[i].code, got, found[i].want);
    }
}

/* A tree that is lent is parsed once, and may be lent again. */
static void test_lent(void)
{
    for (size_t i = 0; i < ARRAY_LEN(found); i++) {
        struct python_text text = {0};
        struct guard_input input = {.text = &text};
        const struct node *module = NULL;

        for (int again = 0; again < 3; again++) {
            const char *got = findings_with("standard", found[i].code, input);
            OK(strcmp(got, found[i].want) == 0, "case %zu, time %d", i, again + 1);
            OK(text.parsed && (!module || module == text.tree.module), "by the same tree");
            module = text.tree.module;
        }
        python_text_done(&text);
    }
}

/* What is not of the code alone, or not of the same Python, is read by itself. */
static void test_not_lent(void)
{
    struct python_text text = {.options.target = 13};
    const char *code = "import os\nos.system('ls')\n";

    EQ_STR(findings_with("standard", code, (struct guard_input){.text = &text, .target = 12}),
           "2:shell-command");
    EQ_STR(findings_with("standard", code,
                         (struct guard_input){.text = &text, .target = 13, .cell = true}),
           "2:shell-command");
    EQ_STR(findings_with("standard", "o.system('ls')\n",
                         (struct guard_input){
                             .text = &text, .target = 13, .prelude = STR("import os as o\n")}),
           "1:shell-command");
    OK(!text.parsed, "the tree is another one each time");
    EQ_STR(findings_with("standard", code, (struct guard_input){.text = &text, .target = 13}),
           "2:shell-command");
    OK(text.compiles, "and the lent one where it fits");
    python_text_done(&text);
}

/* Why a profile refuses, in its own words; "" for what it allows. */
static const struct {
    const char *profile, *code, *reason;
} reasons[] = {
    {"standard", "import os\nos.system('x')\n", ""},
    {"standard", "x = (\n", "SyntaxError: '(' was never closed (line 1)"},
    {"strict", "x = 1\n", ""},
    {"strict", "import os\nos.system('x')\n", "call of os.system (line 2, shell-command)"},
    {"strict", "eval('1'); exec('1')\n", "call of eval (line 1, eval-call), and 1 more"},
    {"kodeagent", "f = eval\n", "Forbidden builtin: eval"},
    {"kodeagent", "import re\nre.compile('x')\n", "No suspicious patterns detected"},
    {"kodeagent", "x.__class__\n", "Minor concerns detected: Introspection detected: __class__"},
    {"chapter", "from os import path\nimport json, os\n",
     "Unsafe operations: ['OS module import']"},
    {"chapter", "open('x')\nimport sys\neval('1')\n",
     "Unsafe operations: ['System module import', 'File operations', 'Eval usage']"},
    {"chapter", "import ostrich\nreopen(1)\nretrieval (1)\n", ""},
    {"chapter", "x = (\n", "Syntax error: [\"Line 1: '(' was never closed\"]"},
    {"restricted", "_x = 1\nx._y\nexec('1')\n",
     "Line 1: \"_x\" is an invalid variable name because it starts with \"_\"\n"
     "Line 2: \"_y\" is an invalid attribute name because it starts with \"_\".\n"
     "Line 3: Exec calls are not allowed."},
    {"restricted", "x = 1 +\n", "Line 1: SyntaxError: invalid syntax at statement: 'x = 1 +'"},
    {"agentos", "import os\nos.system('x')\nimport http.client\n",
     "Forbidden import: os.system; Forbidden import: http"},
    {"agentos", "reopen(1)\n# from https://\n", ""},
    {"smolagents", "import collections\nimport collections.abc\n",
     "Import of collections.abc is not allowed. Authorized imports are: ['collections', "
     "'datetime', 'itertools', 'math', 'queue', 'random', 're', 'stat', 'statistics', 'time', "
     "'unicodedata']"},
    {"smolagents", "import random\nrandom._os\n", "Forbidden access to module: os"},
    {"smolagents", "().__class__\n", "Forbidden access to dunder attribute: __class__"},
    {"smolagents", "f = eval\n", "Forbidden access to function: eval"},
};

static void test_reasons(void)
{
    for (size_t i = 0; i < ARRAY_LEN(reasons); i++) {
        const struct verdict *v =
            judge(reasons[i].profile, reasons[i].code, (struct guard_input){0});
        OK(v != NULL, "%s is a profile", reasons[i].profile);
        if (v)
            EQ_STR(v->reason, reasons[i].reason);
    }
}

static void test_texts(void)
{
    const struct verdict *v = judge("kodeagent", "x = 1\ny = (\n", (struct guard_input){0});

    EQ_STR(v->texts.stderr_text, "Code parsing failed due to: SyntaxError\ny = (\n\n"
                                 "Error: '(' was never closed (<unknown>, line 2)");
    EQ_INT(v->texts.exit_code, -1);
    v = judge("kodeagent", "import os, regex\nimport os\n", (struct guard_input){0});
    EQ_STR(v->texts.stderr_text, "The following imports are disallowed:os\nregex\nPlease only use "
                                 "the allowed modules for importing.");
    v = judge("kodeagent", "x = eval\n", (struct guard_input){0});
    EQ_STR(v->texts.exception_type, "CodeSecurityError");
    EQ_STR(v->texts.exception_message, "Forbidden builtin: eval");
    v = judge("kodeagent", "x = 'rm -rf /'\n", (struct guard_input){0});
    EQ_STR(v->texts.exception_message, "Pattern detection blocked: Critical security violations: "
                                       "Dangerous rm command: rm -rf /");
    v = judge("agentos", "eval('1')\n", (struct guard_input){0});
    EQ_STR(v->texts.stderr_text, "SECURITY VIOLATION: eval() is forbidden");
    EQ_STR(v->texts.exception_message, "Security check failed");
    v = judge("agentos", "x = 1 +\n", (struct guard_input){0});
    EQ_STR(v->texts.exception_message, "Syntax error: Line 1: invalid syntax");
    v = judge("smolagents", "x = 1\ny = eval('1')\n", (struct guard_input){0});
    EQ_STR(v->texts.exception_message, "Code execution failed at line 'y = eval('1')' due to: "
                                       "InterpreterError: Forbidden access to function: eval");
    v = judge("smolagents", "x = = 1\n", (struct guard_input){0});
    EQ_STR(v->texts.exception_message,
           "Code parsing failed on line 1 due to: SyntaxError: invalid syntax (<unknown>, line 1)\n"
           "x = = 1\n     ^");
}

static void test_input(void)
{
    char *long_code = xmalloc(20001);
    const struct verdict *v;

    for (int i = 0; i < 20000; i += 2)
        memcpy(long_code + i, "\xC3\xA9", 2); /* one character, two bytes */
    long_code[20000] = '\0';
    memcpy(long_code, "##", 2);
    v = judge("chapter", NULL, (struct guard_input){.code = {long_code, 20000}});
    EQ_STR(v->reason, "Code too long (max 10000 chars)"); /* 10001 with that "##" */
    v = judge("chapter", NULL, (struct guard_input){.code = {long_code + 2, 19998}});
    OK(v->stage != GUARD_INPUT, "9999 characters of two bytes pass");
    free(long_code);

    v = judge("chapter", NULL, (struct guard_input){.code = {"x\0y", 3}});
    EQ_STR(v->reason, "Invalid characters in code");
    EQ_INT(v->stage, GUARD_INPUT);
    v = judge("standard", NULL, (struct guard_input){.code = {"x = '\xFF'\n", 8}});
    OK(!v->allowed && v->stage == GUARD_INPUT, "bytes that are no text stop the first stage");
    EQ_STR(v->findings[0].rule, "bad-encoding");
    EQ_STR(findings_of("standard", "x = 1 # \xE2\x80\xAE\n"), "0:bidi-control");
    v = judge("standard", "while (true) {}", (struct guard_input){.language = "javascript"});
    OK(v->allowed && v->stage == GUARD_INPUT, "other languages get the first stage only");
    for (const struct profile_info *i = profiles; i->name; i++) {
        if (strcmp(i->name, "standard") == 0)
            continue;
        v = judge(i->name, "1",
                  (struct guard_input){.language = "bash", .stages = 1u << GUARD_PATTERNS});
        OK(!v->allowed && v->stage == GUARD_INPUT && v->n == 1, "%s reads no Bash", i->name);
        EQ_STR(v->findings[0].rule, "language-not-read");
        EQ_STR(v->findings[0].name, "bash");
        OK(str_find(str_from(v->reason), STR("language bash is not allowed by profile")) >= 0, "%s",
           v->reason);
        v = judge(i->name, "1", (struct guard_input){.language = "python3"});
        OK(!v->allowed, "%s: a row of another name is not Python", i->name);
    }
    v = judge("standard", "", (struct guard_input){0});
    OK(v->allowed, "an empty program is allowed");
}

static void test_stages(void)
{
    struct guard_input input = {.stages = 1u << GUARD_IMPORTS};
    struct err err = {0};
    const struct verdict *v = judge("strict", "eval('1')\n", input);

    OK(v->allowed && v->stage == GUARD_IMPORTS && !v->n, "patterns are not asked for");
    EQ_INT(guard_stages_from(STR("input, syntax"), &err), 1 << GUARD_INPUT | 1 << GUARD_SYNTAX);
    EQ_INT(guard_stages_from(STR("input,sintax"), &err), 0);
    EQ_STR(err.msg, "there is no stage \"sintax\": input, syntax, imports, patterns");
    v = judge("kodeagent", "import os\nos.system('rm -rf /')\n", (struct guard_input){0});
    EQ_INT(v->stage, GUARD_IMPORTS);
    for (size_t i = 0; i < v->n; i++)
        OK(strcmp(v->findings[i].rule, "shell-command") != 0, "the later stage says nothing");
}

static void test_places(void)
{
    const struct verdict *v =
        judge("standard", "\xC3\xA9 = '\xC3\xA9'; eval('1')\n", (struct guard_input){0});
    const struct finding *f = &v->findings[0];

    EQ_INT(f->line, 1);
    EQ_INT(f->column, 10);
    EQ_INT(f->end_column, 14);
    EQ_STR(f->excerpt, "\xC3\xA9 = '\xC3\xA9'; eval('1')");
    EQ_INT(f->excerpt_column, 10);
    OK(f->hint && strstr(f->hint, "literal_eval"), "a hint says what to do instead");

    char *wide = xasprintf("%*s eval('1')%*s\n", 500, "x = 1;", 600, "# end");
    char *code = xasprintf("x%s", wide + 494);
    v = judge("standard", code, (struct guard_input){0});
    OK(v->n == 1 && strlen(v->findings[0].excerpt) == 200, "a long line is cut");
    EQ_INT(strncmp(v->findings[0].excerpt + v->findings[0].excerpt_column - 1, "eval", 4), 0);
    free(wide);
    free(code);
}

static void test_prelude(void)
{
    struct guard_input input = {.prelude = STR("import re\nre.x.__class__\ndef t():\n    pass")};
    const struct verdict *v = judge("kodeagent", "t()\nx.__class__\n", input);

    EQ_INT(v->n, 1);
    EQ_INT(v->findings[0].line, 2);
    EQ_STR(v->reason, "Minor concerns detected: Introspection detected: __class__");
    input.prelude = STR("import socket");
    v = judge("kodeagent", "x = 1\n", input);
    EQ_INT(v->stage, GUARD_IMPORTS);
    EQ_INT(v->findings[0].line, 0);
    v = judge("kodeagent", "import os\n", (struct guard_input){.prelude = STR("x = 1\r\n")});
    EQ_INT(v->findings[0].line, 1);
    v = judge("standard", "x = (\n", (struct guard_input){.prelude = STR("y = 1\n")});
    EQ_INT(v->findings[0].line, 1);
}

static void test_ceiling(void)
{
    AUTO_BUF struct buf b = {0};
    const struct verdict *v;

    buf_init(&b, 1 << 20);
    for (int i = 0; i < GUARD_MAX_FINDINGS + 500; i++)
        (void)buf_adds(&b, "eval('1')\n");
    v = judge("standard", b.p, (struct guard_input){0});
    EQ_INT(v->n, GUARD_MAX_FINDINGS);
    EQ_INT(v->left_out, 500);
    EQ_INT(v->risk, (GUARD_MAX_FINDINGS + 500) * 10);
}

static void test_scores(void)
{
    const struct verdict *v = judge("kodeagent", "while 1: pass\nx = '../../../a'\n'a' * 10**9\n",
                                    (struct guard_input){0});

    OK(v->allowed && v->risk == 15, "15 points are not more than 15");
    v = judge("kodeagent", "while 1: pass\nx = '../../../a'\n'a' * 10**9\nx.__class__\n",
              (struct guard_input){0});
    OK(!v->allowed && v->risk == 18, "18 are");
    OK(strncmp(v->reason, "High risk score (18): ", 22) == 0, "and the reason says so");
}

static void test_rules(void)
{
    OK(guard_rule_count() > 60, "there are %zu rules", guard_rule_count());
    for (size_t i = 0; i < guard_rule_count(); i++) {
        const struct rule_info *r = guard_rule(i);
        if (guard_rule_find(str_from(r->id)) != r || strlen(r->explanation) < 60 || !r->summary[0])
            OK(0, "%s is told of", r->id);
    }
    OK(!guard_rule_find(STR("exec-cal")), "others are not found");
}

int main(void)
{
    RUN(test_found());
    RUN(test_lent());
    RUN(test_not_lent());
    RUN(test_reasons());
    RUN(test_texts());
    RUN(test_input());
    RUN(test_stages());
    RUN(test_places());
    RUN(test_prelude());
    RUN(test_ceiling());
    RUN(test_scores());
    RUN(test_rules());
    verdict_done(&last);
    return tap_done();
}
