/* SPDX-License-Identifier: Apache-2.0 */
#include "languages/code_variables.h"

#include <string.h>

#include "base/mem.h"

/* A name that ends in '*' matches every name with this prefix. docs/http.md has the same list. */
static const char *const names[] = {
    /* Python and its tools: PYTHONPATH, PYTEST_PLUGINS, PYDEVD_... */
    "PY*",
    "IPYTHON*",
    "JUPYTER*",
    "PIP_*",
    "CONDA_*",
    "VIRTUAL_ENV*",
    "COVERAGE_*",
    "SETUPTOOLS_*",
    "DISTUTILS_*",
    "MPL*",
    "MATPLOTLIB*",
    "NUMBA_*",
    "JOBLIB_*",
    /* other interpreters */
    "NODE_*",
    "NPM_*",
    "R_*",
    "RPROFILE*",
    "BASH*",
    "ENV",
    "SHELL*",
    "PS4",
    "PROMPT_COMMAND",
    "ZDOTDIR",
    "IFS",
    "CDPATH",
    "PERL*",
    "RUBY*",
    "GEM_*",
    "BUNDLE_*",
    "LUA_*",
    "PHP*",
    "JAVA_*",
    "_JAVA_*",
    "JDK_*",
    "CLASSPATH",
    "TCL*",
    "TK_*",
    "JULIA_*",
    "DENO_*",
    "BUN_*",
    /* the dynamic loader, and libraries that load others */
    "LD_*",
    "GLIBC_*",
    "GCONV_*",
    "LOCPATH",
    "NLSPATH",
    "OPENSSL_*",
    "SASL_*",
    "KRB5*",
    "OMP_TOOL*",
    "OCL_*",
    "OPENCL_*",
    "GI_*",
    "GTK*",
    "GIO_*",
    "GST_*",
    "QT_*",
    "QML*",
    "MAGICK_*",
    "GDAL_*",
    "ODBC*",
    /* folders with files that run at start, and commands that programs run */
    "HOME",
    "PATH",
    "XDG_*",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "MANPAGER",
    "LESSOPEN",
    "LESSCLOSE",
    "BROWSER",
    "GIT_*",
    "SSH_*",
};

static bool code_variables_matches(struct str name, struct str row)
{
    size_t n = row.n - str_ends(row, "*");

    return (n < row.n ? name.n >= n : name.n == n) && memcmp(name.p, row.p, n) == 0;
}

bool code_variable(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (code_variables_matches(name, str_from(names[i])))
            return true;
    return false;
}
