/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/modules.h"

#include <string.h>

#include "base/mem.h"

static const struct known_path paths[] = {
#define PATH(name, rule, use) {name, RULE_##rule, USE_##use},
#include "guard/modules.def"
#undef PATH
};

static const struct {
    const char *module, *words;
} library[] = {
#define LIBRARY(module, words) {module, words},
#include "guard/library.def"
#undef LIBRARY
};

/* clang-format off */
/* Sorted by name. RULE_COUNT: harmless, unlike its parent. */
static const struct known_module modules[] = {
    {"IPython", RULE_CODE_INTERPRETER},
    {"_bootsubprocess", RULE_LOW_LEVEL_MODULE},
    {"_cffi_backend", RULE_NATIVE_CODE},
    {"_ctypes", RULE_NATIVE_CODE},
    {"_dummy_thread", RULE_THREAD_MODULE},
    {"_frozen_importlib", RULE_LOW_LEVEL_MODULE},
    {"_frozen_importlib_external", RULE_LOW_LEVEL_MODULE},
    {"_imp", RULE_LOW_LEVEL_MODULE},
    {"_interpreters", RULE_LOW_LEVEL_MODULE},
    {"_posixsubprocess", RULE_LOW_LEVEL_MODULE},
    {"_socket", RULE_NETWORK_MODULE},
    {"_ssl", RULE_NETWORK_MODULE},
    {"_testcapi", RULE_LOW_LEVEL_MODULE},
    {"_testinternalcapi", RULE_LOW_LEVEL_MODULE},
    {"_thread", RULE_THREAD_MODULE},
    {"_winapi", RULE_LOW_LEVEL_MODULE},
    {"_xxsubinterpreters", RULE_LOW_LEVEL_MODULE},
    {"aiohttp", RULE_NETWORK_MODULE},
    {"asynchat", RULE_NETWORK_MODULE},
    {"asyncore", RULE_NETWORK_MODULE},
    {"boto3", RULE_NETWORK_MODULE},
    {"botocore", RULE_NETWORK_MODULE},
    {"cffi", RULE_NATIVE_CODE},
    {"cloudpickle", RULE_UNPICKLE},
    {"code", RULE_CODE_INTERPRETER},
    {"codeop", RULE_CODE_INTERPRETER},
    {"commands", RULE_PROCESS_MODULE},
    {"concurrent.futures", RULE_THREAD_MODULE},
    {"concurrent.futures.thread", RULE_THREAD_MODULE},
    {"concurrent.interpreters", RULE_CODE_INTERPRETER},
    {"ctypes", RULE_NATIVE_CODE},
    {"dill", RULE_UNPICKLE},
    {"distutils.ccompiler", RULE_PROCESS_MODULE},
    {"distutils.cmd", RULE_PROCESS_MODULE},
    {"distutils.spawn", RULE_PROCESS_MODULE},
    {"dns", RULE_NETWORK_MODULE},
    {"dummy_threading", RULE_THREAD_MODULE},
    {"fabric", RULE_PROCESS_MODULE},
    {"fastapi", RULE_NETWORK_MODULE},
    {"flask", RULE_NETWORK_MODULE},
    {"ftplib", RULE_NETWORK_MODULE},
    {"grpc", RULE_NETWORK_MODULE},
    {"http", RULE_NETWORK_MODULE},
    {"http.cookies", RULE_COUNT},
    {"httplib", RULE_NETWORK_MODULE},
    {"httplib2", RULE_NETWORK_MODULE},
    {"httpx", RULE_NETWORK_MODULE},
    {"imaplib", RULE_NETWORK_MODULE},
    {"imp", RULE_IMPORT_MACHINERY},
    {"importlib.machinery", RULE_IMPORT_MACHINERY},
    {"multiprocessing", RULE_PROCESS_MODULE},
    {"nntplib", RULE_NETWORK_MODULE},
    {"paramiko", RULE_PROCESS_MODULE},
    {"pexpect", RULE_PROCESS_MODULE},
    {"pip", RULE_PROCESS_MODULE},
    {"popen2", RULE_PROCESS_MODULE},
    {"poplib", RULE_NETWORK_MODULE},
    {"posix", RULE_LOW_LEVEL_MODULE},
    {"psutil", RULE_PROCESS_MODULE},
    {"pty", RULE_PROCESS_MODULE},
    {"pycurl", RULE_NETWORK_MODULE},
    {"requests", RULE_NETWORK_MODULE},
    {"runpy", RULE_RUN_MODULE},
    {"scapy", RULE_NETWORK_MODULE},
    {"sh", RULE_PROCESS_MODULE},
    {"smtpd", RULE_NETWORK_MODULE},
    {"smtplib", RULE_NETWORK_MODULE},
    {"socket", RULE_NETWORK_MODULE},
    {"socketserver", RULE_NETWORK_MODULE},
    {"ssl", RULE_NETWORK_MODULE},
    {"subprocess", RULE_PROCESS_MODULE},
    {"telnetlib", RULE_NETWORK_MODULE},
    {"test.support", RULE_LOW_LEVEL_MODULE},
    {"threading", RULE_THREAD_MODULE},
    {"tornado", RULE_NETWORK_MODULE},
    {"twisted", RULE_NETWORK_MODULE},
    {"urllib", RULE_NETWORK_MODULE},
    {"urllib.error", RULE_COUNT},
    {"urllib.parse", RULE_COUNT},
    {"urllib.response", RULE_COUNT},
    {"urllib2", RULE_NETWORK_MODULE},
    {"urllib3", RULE_NETWORK_MODULE},
    {"uvicorn", RULE_NETWORK_MODULE},
    {"websocket", RULE_NETWORK_MODULE},
    {"websockets", RULE_NETWORK_MODULE},
    {"wsgiref", RULE_NETWORK_MODULE},
    {"xmlrpc", RULE_NETWORK_MODULE},
    {"zipimport", RULE_IMPORT_MACHINERY},
    {"zmq", RULE_NETWORK_MODULE},
};

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

/* The index of a name in a sorted array of things that start with a name, or -1. */
static long look(struct str name, const void *table, size_t n, size_t size)
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

#define LOOK(name, table) look(name, table, ARRAY_LEN(table), sizeof *(table))

static bool cut_last_part(struct str *name)
{
    while (name->n && name->p[name->n - 1] != '.')
        name->n--;
    if (!name->n)
        return false;
    name->n--;
    return true;
}

/* What stands behind a name in the row of its module: "=builtins", "!x", "" for itself; NULL for a
 * name that is not there. */
static bool held_word(struct str module, struct str name, struct str *ret)
{
    long i = LOOK(module, library);
    struct str rest = i < 0 ? STR("") : str_from(library[i].words), word;

    while (str_next(&rest, ' ', &word)) {
        if (word.n < name.n || word.p[0] != name.p[0] || memcmp(word.p, name.p, name.n) != 0)
            continue;
        *ret = str_slice(word, name.n, word.n);
        if (!ret->n || ret->p[0] == '=' || ret->p[0] == '!')
            return true;
    }
    return false;
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

/* A private function of the library that runs what it is given. */
static const struct known_path *private_path(struct str path)
{
    static const struct known_path starts = {"", RULE_PROCESS_START, USE_ANY},
                                   imports = {"", RULE_IMPORT_MACHINERY, USE_ANY},
                                   code = {"", RULE_EXEC_BY_LIBRARY, USE_ANY};
    struct str module = path, word;

    if (!cut_last_part(&module) || (path.p[0] != '_' && path.p[module.n + 1] != '_') ||
        !held_word(module, str_slice(path, module.n + 1, path.n), &word) || word.n != 2)
        return NULL;
    return word.p[1] == 'p' ? &starts : word.p[1] == 'i' ? &imports : &code;
}

const struct known_path *module_path(struct str path)
{
    long i = LOOK(path, paths);

    return i < 0 ? private_path(path) : &paths[i];
}

bool module_knows(struct str path)
{
    return module_path(path) || module_find(path);
}

const struct known_module *module_find(struct str name)
{
    do {
        long i = LOOK(name, modules);
        if (i >= 0)
            return modules[i].rule == RULE_COUNT ? NULL : &modules[i];
    } while (cut_last_part(&name));
    return NULL;
}

/* Asked of most attributes, so without a look-up. */
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
