/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/modules.h"

#include <string.h>

#include "base/mem.h"

static const struct {
    const char *module;
    struct known_path known;
    const char *names;
} paths[] = {
#define KNOWN(module, rule, use, names) {module, {RULE_##rule, USE_##use}, names},
#define FAMILY(rule, modules)
#include "policy/modules.def"
#undef KNOWN
#undef FAMILY
};

static const struct {
    enum rule rule;
    const char *modules;
} families[] = {
#define KNOWN(module, rule, use, names)
#define FAMILY(rule, modules) {RULE_##rule, modules},
#include "policy/modules.def"
#undef KNOWN
#undef FAMILY
};

static const struct {
    const char *module, *words;
} library[] = {
#define LIBRARY(module, words) {module, words},
#include "policy/library.def"
#undef LIBRARY
};

/* clang-format off */
/* Builtins without exceptions, sorted. */
static const char *const builtins[] = {
    "__import__", "abs", "aiter", "all", "anext", "any", "ascii", "bin", "bool", "breakpoint",
    "bytearray", "bytes", "callable", "chr", "classmethod", "compile", "complex", "copyright",
    "credits", "delattr", "dict", "dir", "divmod", "enumerate", "eval", "exec", "exit", "filter",
    "float", "format", "frozenset", "getattr", "globals", "hasattr", "hash", "help", "hex", "id",
    "input", "int", "isinstance", "issubclass", "iter", "len", "license", "list", "locals", "map",
    "max", "memoryview", "min", "next", "object", "oct", "open", "ord", "pow", "print",
    "property", "quit", "range", "repr", "reversed", "round", "set", "setattr", "slice", "sorted",
    "staticmethod", "str", "sum", "super", "tuple", "type", "vars", "zip",
};

static const char *const powerful[] = {"__main__", "builtins", "code", "ctypes", "gc", "imp", "importlib", "inspect", "io", "marshal", "multiprocessing", "os", "pathlib", "pickle", "posix", "pty", "runpy", "shutil", "signal", "socket", "subprocess", "sys", "tempfile", "threading", "types"};

static const struct str doors[] = {
    STR("__main__"), STR("builtins"), STR("ctypes"), STR("importlib"), STR("multiprocessing"),
    STR("os"), STR("posix"), STR("pty"), STR("runpy"), STR("shutil"), STR("subprocess"), STR("sys"),
};
/* clang-format on */

/* Sorted by the first name. */
struct alias {
    const char *name, *plain;
};

static const struct alias module_names[] = {
    {"__builtin__", "builtins"},
    {"_io", "io"},
    {"_pickle", "pickle"},
    {"_signal", "signal"},
    {"_socket", "socket"},
    {"cPickle", "pickle"},
    {"nt", "os"},
    {"ntpath", "os.path"},
    {"posix", "os"},
    {"posixpath", "os.path"},
};

static const struct alias path_names[] = {
    {"asyncio.subprocess.create_subprocess_exec", "asyncio.create_subprocess_exec"},
    {"concurrent.futures.process.ProcessPoolExecutor", "concurrent.futures.ProcessPoolExecutor"},
    {"concurrent.futures.thread.ThreadPoolExecutor", "concurrent.futures.ThreadPoolExecutor"},
    {"importlib.__import__", "builtins.__import__"},
    {"io.open", "builtins.open"},
    {"pathlib.PosixPath", "pathlib.Path"},
};

enum { PATH_ROOM = 200 }; /* bytes of a path */

/* The index of a name in a sorted array of things that start with a name, or -1. */
static long modules_look(struct str name, const void *table, size_t n, size_t size)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *at;
        memcpy(&at, (const char *)table + middle * size, sizeof at);
        int order = strncmp(name.p, at, name.n);
        if (order == 0 && at[name.n] == '\0')
            return (long)middle;
        if (order <= 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}

#define LOOK(name, table) modules_look(name, table, ARRAY_LEN(table), sizeof *(table))

static bool cut_last_part(struct str *name)
{
    while (name->n && name->p[name->n - 1] != '.')
        name->n--;
    if (!name->n)
        return false;
    name->n--;
    return true;
}

/* The rest of the row's word that begins with the name: "=builtins" or "!x"; "" if the word is the
 * name. A word such as "*.eval" matches by the end of the name, and sets no *ret. */
static bool find_word(const char *words, struct str name, struct str *ret)
{
    struct str rest = str_from(words), word;

    while (str_next(&rest, ' ', &word)) {
        if (word.p[0] == '*' && name.n >= word.n &&
            str_eq(str_slice(word, 1, word.n), str_slice(name, name.n - word.n + 1, name.n)))
            return true;
        if (word.n < name.n || word.p[0] != name.p[0] || memcmp(word.p, name.p, name.n) != 0)
            continue;
        *ret = str_slice(word, name.n, word.n);
        if (!ret->n || ret->p[0] == '=' || ret->p[0] == '!')
            return true;
    }
    return false;
}

static bool held_word(struct str module, struct str name, struct str *ret)
{
    long i = LOOK(module, library);

    return i >= 0 && find_word(library[i].words, name, ret);
}

bool module_holds(struct str module, struct str name, struct str *ret)
{
    struct str word;

    if (!held_word(module, name, &word) || (word.n && word.p[0] == '!'))
        return false;
    *ret = word.n ? str_slice(word, 1, word.n) : name;
    return true;
}

bool module_is_powerful(struct str name)
{
    return LOOK(name, powerful) >= 0;
}

bool module_leads(struct str module)
{
    long i = LOOK(module, library);

    return (i >= 0 && library[i].words[0]) || module_is_powerful(module);
}

/* The row about a function that runs its arguments, or about a private function that may run
 * anything; NULL if there is none. */
static const struct known_path *runs(struct str module, struct str name)
{
    static const struct known_path starts = {RULE_PROCESS_START, USE_ANY},
                                   imports = {RULE_IMPORT_MACHINERY, USE_ANY},
                                   code = {RULE_EXEC_BY_LIBRARY, USE_ANY},
                                   call = {RULE_EXEC_BY_LIBRARY, USE_CALL};
    bool hidden = name.p[0] == '_' || module.p[0] == '_' || str_find(module, STR("._")) >= 0;
    struct str word;

    if (!held_word(module, name, &word) || word.n != 2 || word.p[0] != '!')
        return NULL;
    if (word.p[1] == 'x')
        return hidden ? &code : &call;
    return word.p[1] == 'p' ? &starts : &imports;
}

static const struct known_path *known_in(struct str module, struct str name)
{
    long i = LOOK(module, paths);
    struct str rest;

    while (i > 0 && str_is(module, paths[i - 1].module))
        i--;
    for (; i >= 0 && (size_t)i < ARRAY_LEN(paths) && str_is(module, paths[i].module); i++) {
        if (find_word(paths[i].names, name, &rest))
            return &paths[i].known;
    }
    return runs(module, name);
}

/* "pathlib.Path().open" as "pathlib.Path.open"; empty if the path ends with a call. */
static struct str without_calls(struct str path, char *room, size_t size)
{
    size_t n = 0;

    if (!memchr(path.p, '(', path.n))
        return path;
    if (path.n > size || path.p[path.n - 1] == ')')
        return STR("");
    for (size_t i = 0; i < path.n; i++) {
        if (path.p[i] != '(' && path.p[i] != ')')
            room[n++] = path.p[i];
    }
    return (struct str){room, n};
}

const struct known_path *module_path(struct str path)
{
    char room[PATH_ROOM];
    struct str plain = without_calls(path, room, sizeof room), module = plain;
    const struct known_path *k = NULL;

    while (!k && cut_last_part(&module))
        k = known_in(module, str_slice(plain, module.n + 1, plain.n));
    return k;
}

bool module_knows(struct str path)
{
    return module_path(path) || module_find(path) != RULE_COUNT;
}

enum rule module_find(struct str name)
{
    struct str rest;

    do {
        for (size_t i = 0; i < ARRAY_LEN(families); i++) {
            if (find_word(families[i].modules, name, &rest))
                return families[i].rule;
        }
    } while (cut_last_part(&name));
    return RULE_COUNT;
}

/* Called for most attributes, so it does without module_plain_name and other look-ups. */
bool module_is_door(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(doors); i++) {
        if (doors[i].n == name.n && memcmp(doors[i].p, name.p, name.n) == 0)
            return true;
    }
    return false;
}

bool module_is_library(struct str name)
{
    const char *dot = memchr(name.p, '.', name.n);

    if (dot)
        name.n = (size_t)(dot - name.p);
    return LOOK(name, library) >= 0;
}

bool module_is_builtin(struct str name)
{
    return LOOK(name, builtins) >= 0;
}

struct str module_plain_name(struct str name)
{
    long i = LOOK(name, module_names);

    return i < 0 ? name : str_from(module_names[i].plain);
}

struct str module_plain_path(struct str path)
{
    long i = LOOK(path, path_names);

    return i < 0 ? path : str_from(path_names[i].plain);
}
