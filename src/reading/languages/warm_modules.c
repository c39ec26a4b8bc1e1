/* SPDX-License-Identifier: Apache-2.0 */
#include "languages/warm_modules.h"

#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "languages/packages.h"

enum {
    NUMPY = 1,
    PANDAS = 2,
    SCIPY = 4,
    SYMPY = 8,
    MATPLOTLIB = 16,
    LOOK_MAX = 64 << 10, /* enough: imports are near the top */
    LINE_MAX_BEFORE = 200,
};

/* Modules that these imports load. */
static const struct {
    const char *name;
    unsigned needs;
} imports[] = {
    {"numpy", NUMPY},
    {"pandas", NUMPY | PANDAS},
    {"scipy", NUMPY | PANDAS | SCIPY},
    {"sympy", NUMPY | SYMPY},
    {"matplotlib", NUMPY | MATPLOTLIB},
    {"seaborn", NUMPY | PANDAS | SCIPY | MATPLOTLIB},
    {"sklearn", NUMPY | PANDAS | SCIPY},
    {"statsmodels", NUMPY | PANDAS | SCIPY},
};

/* In the order in which they are loaded. */
static const struct {
    const char *name, *package;
    unsigned is;
} modules[] = {
    {"numpy", "numpy", NUMPY},
    {"pandas", "pandas", PANDAS},
    {"scipy.stats", "scipy", SCIPY}, /* loads most of the others */
    {"scipy.signal", "scipy", SCIPY},
    {"sympy", "sympy", SYMPY},
    {"matplotlib.pyplot", "matplotlib", MATPLOTLIB},
};
_Static_assert(ARRAY_LEN(modules) <= WARM_MODULES_MAX, "a list of them has room for all");

/* Prefixes of variable names. */
static const char *const read_at_import[] = {
    "OPENBLAS", "GOTO_",   "OMP_",       "GOMP_",  "KMP_",    "MKL_",     "BLIS_",  "VECLIB_",
    "ATLAS_",   "NUMEXPR", "NPY_",       "NUMPY_", "PANDAS_", "SCIPY_",   "SYMPY_", "MPMATH_",
    "SAGE_",    "MPL",     "MATPLOTLIB", "ARROW",  "PYARROW", "JE_ARROW", "NUMBA_", "TZ",
};

/* A program that contains one of these may depend on how or whether modules are loaded. */
static const char *const told_by[] = {"_NUM_THREADS", "sys.modules"};

static long find_word(struct str text, const char *word)
{
    return str_find(text, str_from(word));
}

static bool has(struct str text, const char *word)
{
    return find_word(text, word) >= 0;
}

/* ---- the imports of a text ---- */

static bool warm_modules_is_name(char c)
{
    return ascii_is_word(c) || (unsigned char)c >= 0x80;
}

/* The rest of the line before that position. */
static struct str line_before(struct str text, size_t at)
{
    size_t from = at > LINE_MAX_BEFORE ? at - LINE_MAX_BEFORE : 0;
    const char *end = memrchr(text.p + from, '\n', at - from);

    return str_slice(text, end ? (size_t)(end - text.p) + 1 : from, at);
}

static bool is_imported(struct str text, const char *name)
{
    size_t n = strlen(name), from = 0;
    long found;

    while ((found = find_word(str_slice(text, from, text.n), name)) >= 0) {
        size_t at = from + (size_t)found;
        struct str before = line_before(text, at);
        from = at + n;
        if ((at && warm_modules_is_name(text.p[at - 1])) ||
            (from < text.n && warm_modules_is_name(text.p[from])))
            continue;
        if (has(before, "import") || has(before, "from"))
            return true;
    }
    return false;
}

static unsigned imported(struct str text)
{
    unsigned all = 0;

    for (size_t i = 0; i < ARRAY_LEN(imports); i++)
        if ((imports[i].needs & ~all) && is_imported(text, imports[i].name))
            all |= imports[i].needs;
    return all;
}

/* ---- whether they may be loaded in advance ---- */

/* True if the program turns warnings into errors: then warnings at import would be errors, too. */
static bool raises_warnings(struct str text)
{
    return (has(text, "simplefilter") || has(text, "filterwarnings")) &&
           (has(text, "'error'") || has(text, "\"error\""));
}

static bool minds(struct str text)
{
    for (size_t i = 0; i < ARRAY_LEN(read_at_import); i++)
        if (has(text, read_at_import[i]))
            return true;
    for (size_t i = 0; i < ARRAY_LEN(told_by); i++)
        if (has(text, told_by[i]))
            return true;
    return raises_warnings(text);
}

bool warm_modules_read(const char *pair)
{
    for (size_t i = 0; i < ARRAY_LEN(read_at_import); i++)
        if (strncmp(pair, read_at_import[i], strlen(read_at_import[i])) == 0)
            return true;
    return false;
}

/* ---- lists ---- */

static unsigned installed(const char *interpreter)
{
    const char *names[ARRAY_LEN(modules)];
    unsigned have = 0;

    for (size_t i = 0; i < ARRAY_LEN(modules); i++)
        names[i] = modules[i].package;
    unsigned found = packages_find(interpreter, names, ARRAY_LEN(names));
    for (size_t i = 0; i < ARRAY_LEN(modules); i++)
        if (found & 1u << i)
            have |= modules[i].is;
    return have;
}

/* A program that needs sympy and also pandas or scipy gets all four modules. */
static unsigned widen(unsigned wanted)
{
    unsigned all = NUMPY | PANDAS | SCIPY | SYMPY;

    return (wanted & SYMPY) && (wanted & (PANDAS | SCIPY)) ? wanted | all : wanted;
}

size_t warm_modules(const struct str *texts, size_t count, const char *interpreter,
                    const char *ret[WARM_MODULES_MAX])
{
    unsigned wanted = 0;
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        wanted |= imported(str_slice(texts[i], 0, texts[i].n < LOOK_MAX ? texts[i].n : LOOK_MAX));
    if (!wanted)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (minds(texts[i]))
            return 0;
    wanted = widen(wanted & installed(interpreter)) & installed(interpreter);
    for (size_t i = 0; i < ARRAY_LEN(modules); i++)
        if (wanted & modules[i].is)
            ret[n++] = modules[i].name;
    return n;
}
