/* SPDX-License-Identifier: Apache-2.0 */
#include "languages/warm_modules.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "tap.h"

/* An interpreter's folders with these packages; the caller frees its path. */
static char *fake_python(const char *const *packages)
{
    char folder[] = "/tmp/warm-modules-XXXXXX";

    if (!mkdtemp(folder))
        return NULL;
    static const char *const parts[] = {"bin", "lib", "lib/python3.99",
                                        "lib/python3.99/site-packages"};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        AUTO_FREE char *path = xasprintf("%s/%s", folder, parts[i]);
        (void)mkdir(path, 0755);
    }
    for (; *packages; packages++) {
        AUTO_FREE char *path = xasprintf("%s/%s/%s", folder, parts[3], *packages);
        (void)mkdir(path, 0755);
    }
    return xasprintf("%s/bin/python3", folder);
}

static void remove_python(char *python)
{
    AUTO_FREE char *command = xasprintf("rm -rf '%.*s'", (int)(strlen(python) - 12), python);

    (void)!system(command); /* NOLINT: a test's own folder */
    free(python);
}

/* The list in words. */
static const char *listed(const char *python, const char *program, const char *first)
{
    static char text[300];
    const struct str texts[] = {str_from(program), str_from(first)};
    const char *modules[WARM_MODULES_MAX];
    size_t n = warm_modules(texts, ARRAY_LEN(texts), python, modules);

    text[0] = '\0';
    for (size_t i = 0, at = 0; i < n && at < sizeof text; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", i ? " " : "", modules[i]);
    return text;
}

#define WITH_SCIPY "numpy pandas scipy.stats scipy.signal"

static const struct {
    const char *program, *modules;
} cases[] = {
    {"", ""},
    {"print(1)", ""},
    {"x = 'numpy'", ""},
    {"import mynumpy, numpy2", ""},
    {"import numpy", "numpy"},
    {"import numpy as np", "numpy"},
    {"import os, numpy", "numpy"},
    {"x = 1; import numpy.linalg", "numpy"},
    {"def f():\n    from numpy import (\n        arange)", "numpy"},
    {"import importlib\nm = importlib.import_module('numpy')", "numpy"},
    {"import matplotlib.pyplot as plt", "numpy matplotlib.pyplot"},
    {"import seaborn", WITH_SCIPY " matplotlib.pyplot"},
    {"import sympy, matplotlib", "numpy sympy matplotlib.pyplot"},
    {"import os\nos.environ['MPLBACKEND'] = 'svg'\nimport matplotlib", ""},
    {"import pandas as pd", "numpy pandas"},
    {"import numpy\nimport pandas", "numpy pandas"},
    {"from scipy import stats", WITH_SCIPY},
    {"import sympy", "numpy sympy"},
    {"import sympy, numpy", "numpy sympy"},
    {"import sympy\nimport pandas", WITH_SCIPY " sympy"},
    {"import os\nos.environ['OMP_NUM_THREADS'] = '3'\nimport numpy", ""},
    {"import os\nos.environ['OPENBLAS_CORETYPE'] = 'x'\nimport numpy", ""},
    {"import sys\nsys.modules['numpy'] = None\nimport numpy", ""},
    {"import warnings\nwarnings.simplefilter('error')\nimport numpy", ""},
    {"import warnings\nwarnings.filterwarnings('ignore')\nimport numpy", "numpy"},
};

static void test_programs(void)
{
    static const char *const all[] = {"numpy", "pandas", "scipy", "sympy", "matplotlib", NULL};
    char *python = fake_python(all);

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        EQ_STR(listed(python, cases[i].program, ""), cases[i].modules);
    EQ_STR(listed(python, "print(1)", "import pandas"), "numpy pandas");
    EQ_STR(listed(python, "import numpy", "import pandas"), "numpy pandas");
    remove_python(python);
}

static void test_installed(void)
{
    static const char *const none[] = {NULL}, *const two[] = {"numpy", "sympy", NULL};
    char *bare = fake_python(none), *some = fake_python(two);

    EQ_STR(listed(bare, "import numpy, pandas, sympy", ""), "");
    EQ_STR(listed(some, "import numpy", ""), "numpy");
    EQ_STR(listed(some, "import pandas", ""), "numpy");
    EQ_STR(listed(some, "import pandas, sympy", ""), "numpy sympy");
    EQ_STR(listed("python3", "import numpy", ""), "");
    remove_python(bare);
    remove_python(some);
}

static void test_variables(void)
{
    OK(warm_modules_read("OPENBLAS_NUM_THREADS=4"), "read when it is loaded");
    OK(warm_modules_read("OMP_NUM_THREADS"), "one that is passed on");
    OK(warm_modules_read("TZ=UTC"), "a time zone");
    OK(!warm_modules_read("COLOUR=red"), "any other");
}

/* One line of a name that is never imported: looked at once each, not once for each other. */
static void test_hostile(void)
{
    static const char *const all[] = {"numpy", NULL};
    char *python = fake_python(all);
    AUTO_BUF struct buf text = {0};
    bool room = true;

    buf_init(&text, 1 << 20);
    while (room && text.n < 200000)
        room = buf_adds(&text, "numpy ") == 0;
    EQ_STR(listed(python, text.p, ""), "");
    remove_python(python);
}

int main(void)
{
    RUN(test_programs());
    RUN(test_installed());
    RUN(test_variables());
    RUN(test_hostile());
    return tap_done();
}
