/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "guard_common.h"

/* The policy of a text, by way of a file. NULL with *err. */
static struct policy *policy_of(const char *text, struct err *err)
{
    char path[] = "/tmp/test-policy-XXXXXX";
    int fd = mkstemp(path);
    struct policy *p;

    OK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "wrote %s", path);
    p = policy_open(path, err);
    (void)unlink(path);
    (void)close(fd);
    return p;
}

static bool allows(const struct policy *p, const char *code)
{
    struct guard_input input = {.code = str_from(code)};
    struct verdict v;

    guard_check(p, &input, &v);
    bool allowed = v.allowed;
    verdict_done(&v);
    return allowed;
}

/* ---- imports ---- */

static const struct {
    const char *policy, *code;
    bool allowed;
} imports[] = {
    /* a parent stands for what is in it, not the other way round */
    {"stages = imports\nallowed_imports = [os.path]", "import os", false},
    {"stages = imports\nallowed_imports = [os.path]", "import os.path", true},
    {"stages = imports\nallowed_imports = [collections]", "import collections.abc", true},
    {"stages = imports\nallowed_imports = [re]", "import regex", false},
    {"stages = imports\nallowed_imports = [re]", "from re import compile", true},
    {"stages = imports\nallowed_imports = [re]", "from . import x", true},
    {"stages = imports\nallowed_imports = [*]", "import anything", true},
    {"stages = imports\nallowed_imports = [os.*]", "import os.path", true},
    {"stages = imports\nallowed_imports = []", "import re", false},
    {"stages = imports\nforbidden_imports = [http]", "import http.client", false},
    {"stages = imports\nforbidden_imports = [os.system]", "import os", true},
    {"stages = imports\nforbidden_imports = [os.system]", "from os import system", false},
    {"stages = imports\nforbidden_imports = [os.system]", "import os\nos.system('x')", false},
    {"stages = imports\nforbidden_imports = [os]", "__import__('o' + 's')", false},
    {"stages = imports\nforbidden_imports = [os]", "import random\nrandom._os", false},
    /* paths */
    {"stages = imports\nimport_semantics = path\nallowed_imports = [os.path]", "import os", true},
    {"stages = imports\nimport_semantics = path\nallowed_imports = [os.path]", "import os.path",
     true},
    {"stages = imports\nimport_semantics = path\nallowed_imports = [Module]", "import Module.os",
     false},
    {"stages = imports\nimport_semantics = path\nallowed_imports = [collections]",
     "import collections.abc", false},
    {"stages = imports\nimport_semantics = path\nallowed_imports = [os.*]", "import os", true},
    {"stages = imports\nimport_semantics = path\nallowed_imports = [os.*]", "import os.path", true},
    {"stages = imports\nimport_semantics = path\nallowed_imports = [*]", "import os.path", true},
};

static void test_imports(void)
{
    for (size_t i = 0; i < ARRAY_LEN(imports); i++) {
        struct err err = {0};
        struct policy *p = policy_of(imports[i].policy, &err);
        OK(p && allows(p, imports[i].code) == imports[i].allowed, "%zu: %s, %s", i,
           imports[i].policy, imports[i].code);
        policy_free(p);
    }
}

/* ---- overrides ---- */

static void test_overrides(void)
{
    struct err err = {0};
    struct policy *p = policy_open("standard", &err);

    OK(allows(p, "import os"), "standard lets everything be imported");
    EQ_INT(policy_allow_import(p, STR("json"), &err), 0);
    OK(allows(p, "import json") && !allows(p, "import os"), "until some are listed");
    EQ_INT(policy_forbid_import(p, STR("json"), &err), 0);
    OK(!allows(p, "import json"), "the last word counts");
    EQ_INT(policy_allow_import(p, STR("a b"), &err), -1);
    EQ_STR(err.msg, "\"a b\" is not a module name");
    EQ_INT(policy_allow_import(p, STR(""), &err), -1);
    policy_free(p);

    p = policy_open("strict", &err);
    OK(!allows(p, "import socket"), "strict refuses the network");
    EQ_INT(policy_allow_import(p, STR("socket"), &err), 0);
    OK(allows(p, "import socket") && allows(p, "import json"), "and lets a ban be lifted");
    OK(!allows(p, "import socket\nsocket.create_connection(('a', 1))"), "not what is done with it");
    policy_free(p);

    p = policy_open("agentos", &err);
    EQ_INT(policy_allow_import(p, STR("shutil"), &err), 0);
    OK(allows(p, "import shutil, json") && !allows(p, "import socket"), "one ban lifted");
    policy_free(p);

    p = policy_open("kodeagent", &err);
    EQ_INT(policy_allow_import(p, STR("os"), &err), 0);
    OK(allows(p, "import os, re, os.path") && !allows(p, "import json"), "one added to a list");
    policy_free(p);
}

/* ---- files ---- */

static const struct {
    const char *text, *error; /* after the file's name */
} bad[] = {
    {"allowed_import = [re]", ":1: there is no key \"allowed_import\"; did you mean "
                              "allowed_imports?"},
    {"base = strikt", ":1: there is no profile \"strikt\"; did you mean strict?"},
    {"target = 3.12\nbase = strict", ":2: base must come before everything else"},
    {"target = 3.9", ":1: target takes 3.11 to 3.14"},
    {"refuse_at = worst", ":1: refuse_at takes info, low, medium, high or critical"},
    {"score_threshold = x", ":1: score_threshold takes a number of points, or none"},
    {"forbidden_features = [lamda]", ":1: there is no feature \"lamda\"; did you mean lambda?"},
    {"stages = sintax", ":1: there is no stage \"sintax\": input, syntax, imports, patterns"},
    {"[rule.exec-cal]\noff = true", ":2: there is no rule \"exec-cal\"; did you mean exec-call?"},
    {"[rule.exec-call]\nof = true", ":2: there is no key \"of\"; did you mean off?"},
    {"[rule.exec-call]\noff = maybe", ":2: off takes true or false"},
    {"[rules]\noff = true", ":2: sections are [rule.ID] or [path.NAME], not [rules]"},
    {"max_lines = many", ":1: max_lines takes a number"},
    {"import_semantics = tree", ":1: import_semantics takes prefix or path"},
};

static void test_mistakes(void)
{
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct err err = {0};
        struct policy *p = policy_of(bad[i].text, &err);
        const char *said = strchr(err.msg, ':');
        OK(!p && said, "%s is refused", bad[i].text);
        EQ_STR(said, bad[i].error);
        policy_free(p);
    }
    struct err err = {0};
    OK(!policy_open("strick", &err), "no such profile");
    EQ_STR(err.msg, "there is no profile \"strick\"; did you mean strict?");
    OK(!policy_open("/no/such.policy", &err) && strstr(err.msg, "/no/such.policy"), "%s", err.msg);
}

static const struct {
    const char *policy, *code;
    bool allowed;
} files[] = {
    {"base = strict\n[rule.eval-call]\nseverity = low", "eval('1')", true},
    {"base = strict\n[rule.eval-call]\noff = true", "eval('1')", true},
    {"base = strict\nrefuse_at = critical", "x.gi_frame", true},
    {"base = strict\nrefuse_at = critical\nscore_threshold = 9", "x.gi_frame; y.f_back", false},
    {"base = strict\n[path.os.environ]\nseverity = info", "import os\nos.environ", true},
    {"base = strict\n[path.os.environ]\nseverity = info", "import os\nos.getenv('x')", false},
    {"base = restricted\nforbidden_features = [-match]", "match x:\n  case 1: pass", true},
    {"base = restricted", "match x:\n  case 1: pass", false},
    {"base = agentos\nforbidden_imports = [-socket]", "import socket", true},
    {"stages = [patterns]\nforbidden_features = [lambda]", "lambda: 1", false},
    {"stages = [patterns]\nforbidden_attributes = [secret]", "x.secret", false},
    {"stages = [patterns]\nforbidden_attributes = [secret]", "getattr(x, 'sec' + 'ret')", false},
    {"stages = [patterns]\nforbidden_calls = [time.sleep]", "from time import sleep\nsleep(1)",
     false},
    {"stages = [patterns]\nforbidden_calls = [time.*]", "import time as t\nt.time()", false},
    {"stages = [imports]\nforbidden_names = [open]", "f = open", false},
    {"stages = [imports]\nforbidden_names = [open]", "open = 1\nopen", true},
    {"stages = [imports]\nallowed_builtins = [print]", "print(1)", true},
    {"stages = [imports]\nallowed_builtins = [print]", "len(1)", false},
    {"stages = [imports]\nallowed_builtins = [print]", "raise ValueError", true},
    {"stages = [patterns]\nallowed_dunders = [__init__]", "x.__init__()", true},
    {"stages = [patterns]\nallowed_dunders = [__init__]", "x.__dict__", false},
    {"stages = [imports]\nforbidden_names = [open]\nspelled_builtins = [open]", "open = 1", false},
    {"stages = [patterns]\nmax_range_items = 5", "range(2, 8)", false},
    {"stages = [patterns]\nmax_range_items = 5", "range(5)", true},
    {"stages = [patterns]\nforeign_attributes = [obj]", "x.obj", true},
    {"stages = [patterns]\nforeign_attributes = [obj]", "try:\n  pass\nexcept E as e:\n  e.obj",
     false},
    {"languages = [bash]", "1", false},
    {"base = strict\nlanguages = [bash, python]", "1", true},
    {"max_lines = 2", "1\n2\n", true},
    {"max_lines = 2", "1\n2\n3", false},
    {"max_nesting = 20", "((((1))))", true},
    {"max_nesting = 20", "----------------------1", false},
    {"target = 3.11", "type X = int", false},
    {"target = 3.12", "type X = int", true},
};

static void test_files(void)
{
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        struct err err = {0};
        struct policy *p = policy_of(files[i].policy, &err);
        if (!OK(p && allows(p, files[i].code) == files[i].allowed, "%zu: %s", i, files[i].policy))
            printf("# %s\n# %s\n", files[i].code, err.msg);
        policy_free(p);
    }
}

/* A profile, and what is printed of it, read again: the same text, and the same verdicts. */
static void test_printed(void)
{
    static const char *const programs[] = {"import os\nos.system('ls')",
                                           "eval('1')",
                                           "x.__class__",
                                           "range(2000)",
                                           "import socket",
                                           "for open in (): pass\nopen('a')",
                                           "x = '%s' % 1",
                                           "while True: pass",
                                           "exec = 3"};

    for (const struct profile_info *i = profiles; i->name; i++) {
        AUTO_BUF struct buf first = {0}, second = {0};
        struct err err = {0};
        struct policy *p = policy_open(i->name, &err), *q;
        buf_init(&first, 1 << 20);
        buf_init(&second, 1 << 20);
        policy_print(p, &first);
        q = policy_of(first.p, &err);
        if (!OK(q != NULL, "%s can be read again %s", i->name, err.msg))
            continue;
        policy_print(q, &second);
        EQ_STR(second.p, first.p);
        for (size_t k = 0; k < ARRAY_LEN(programs); k++)
            OK(allows(p, programs[k]) == allows(q, programs[k]), "%s: %zu", i->name, k);
        policy_free(p);
        policy_free(q);
    }
}

static void test_languages(void)
{
    struct err err = {0};
    struct policy *p = policy_open("standard", &err);

    OK(policy_allows_language(p, STR("bash")), "standard lets any language run");
    policy_only_read(p, "somebody");
    OK(!policy_allows_language(p, STR("bash")), "but not where all has to be read");
    OK(policy_allows_language(p, STR("python")), "as Python is");
    policy_free(p);
    p = policy_of("languages = [bash]", &err);
    OK(policy_allows_language(p, STR("bash")) && !policy_allows_language(p, STR("python")),
       "a list takes the place of the base's");
    policy_free(p);
    OK(!policy_of("languages = []", &err), "an empty list is a mistake");
}

static void test_profiles(void)
{
    size_t n = 0;

    for (const struct profile_info *i = profiles; i->name; i++, n++) {
        struct err err = {0};
        struct policy *p = policy_open(i->name, &err);
        OK(p && i->summary[0], "%s opens %s", i->name, err.msg);
        if (!p)
            continue;
        EQ_STR(policy_name(p), i->name);
        OK(allows(p, "print(1 + 2)\n"), "and allows what is harmless");
        OK(!allows(p, "x = (\n"), "and nothing that does not compile");
        policy_free(p);
    }
    OK(n >= 8, "%zu profiles", n);
}

int main(void)
{
    RUN(test_imports());
    RUN(test_overrides());
    RUN(test_mistakes());
    RUN(test_files());
    RUN(test_profiles());
    RUN(test_printed());
    RUN(test_languages());
    return tap_done();
}
