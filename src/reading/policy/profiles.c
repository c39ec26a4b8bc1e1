/* SPDX-License-Identifier: Apache-2.0
 *
 * The built-in profiles, as policy files, so a user's file can express everything that they do. The
 * profiles with the names of other systems refuse what these systems refuse, decided on the syntax
 * tree.
 */
#include "policy/policy_parts.h"

/* clang-format off */
const struct profile_info profiles[] = {
    {"standard", "refuses only by size and syntax, and reports other findings: for a sandbox"},
    {"strict", "also refuses code from strings, processes, network, removal of files, secrets"},
    {"host", "the same as strict; the default of --backend host"},
    {"kodeagent", "the import list and scores of kodeagent's code runner"},
    {"codeact", "kodeagent, with the modules that its CodeAct agent adds"},
    {"chapter", "the input checks of the \"Code Execution\" chapter"},
    {"restricted", "the rules of RestrictedPython; a program may use only fifteen builtins"},
    {"agentos", "the forbidden modules and calls of agentos' code sandbox"},
    {"smolagents", "the import list, functions and attributes of smolagents' Python executor"},
    {NULL, NULL},
};

static const char standard[] =
    "languages = [*]\n"
    "stages = [input, syntax]\n"
    "refuse_at = high\n"
    "[rule.text-as-list]\noff = true\n"
    "[rule.command-call]\noff = true\n"; /* a profile whose score counts a use and its call turns it
                                            on */

static const char strict[] =
    "base = standard\n"
    "languages = [python]\n"
    "stages = [input, syntax, imports, patterns]\n"
    "refuse_at = high\n"
    "[rule.network-module]\nseverity = high\n"
    "[rule.network-use]\nseverity = high\n"
    "[rule.file-rights]\nseverity = high\n"
    "[rule.signal-handler]\nseverity = high\n"
    "[rule.limit-change]\nseverity = high\n"
    "[rule.dynamic-import]\nseverity = high\n"
    "[rule.namespace-lookup]\nseverity = high\n"
    "[rule.made-name]\nseverity = high\n"
    "[rule.module-handed-on]\nseverity = high\n"
    "[rule.unsafe-yaml]\nseverity = high\n"
    "[rule.bidi-control]\nseverity = high\n";

static const char host[] = "base = strict\n"
    "languages = [python]\n";

static const char kodeagent[] =
    "base = standard\n"
    "languages = [python]\n"
    "texts = kodeagent\n"
    "stages = [input, syntax, imports, patterns]\n"
    "refuse_at = critical\n"
    "score_threshold = 15\n"
    "allowed_imports = [ast, operator, random, re, time]\n"
    "forbidden_names = [exec, eval, __import__, compile]\n"
    "spelled_builtins = [exec, eval, __import__, compile]\n"
    "max_range = 1000000\n"
    "[rule.bidi-control]\npoints = 0\n"
    "[rule.decode-call]\nseverity = high\npoints = 5\n"
    "[rule.exec-decoded]\noff = true\n"
    "[rule.command-call]\noff = false\nseverity = critical\npoints = 10\n"
    "[rule.env-access]\nseverity = high\npoints = 7\n"
    "[path.os.environ]\nseverity = critical\npoints = 10\n"
    "[rule.dunder-attribute]\nseverity = medium\npoints = 3\n"
    "[rule.class-name]\nseverity = medium\npoints = 3\n"
    "[rule.function-internals]\nseverity = medium\npoints = 3\n"
    "[rule.subclasses-walk]\nseverity = medium\npoints = 3\n"
    "[rule.builtins-access]\nseverity = medium\npoints = 3\n"
    "[rule.process-module]\nseverity = high\npoints = 5\n"
    "[rule.thread-module]\nseverity = high\npoints = 5\n"
    "[rule.thread-start]\noff = true\n"
    "[rule.made-name]\noff = true\n"
    "[rule.module-handed-on]\noff = true\n"
    "[rule.network-module]\nseverity = medium\npoints = 2\n"
    "[rule.file-open]\noff = true\n"
    "[rule.file-write]\noff = true\n"
    "[rule.input-call]\noff = true\n"
    "[rule.code-reference]\nseverity = critical\npoints = 10\n";

static const char codeact[] =
    "base = kodeagent\n"
    "languages = [python]\n"
    "allowed_imports = [datetime, typing, mimetypes]\n";

static const char chapter[] =
    "base = standard\n"
    "languages = [python]\n"
    "texts = chapter\n"
    "stages = [input, syntax, imports, patterns]\n"
    "together = true\n"
    "refuse_at = critical\n"
    "max_code_chars = 10000\n"
    "forbidden_imports = [os, sys, subprocess]\n"
    "spelled_builtins = [open, eval, exec, __import__]\n"
    "allowed_builtins = [print, range, len, sum, max, min, abs, round, sorted, list, dict, set, str,"
    " int, float]\n"
    "[rule.builtin-not-allowed]\nseverity = info\npoints = 0\n"
    "[rule.file-open]\nseverity = critical\npoints = 10\n"
    "[rule.file-write]\nseverity = critical\npoints = 10\n"
    "[rule.code-reference]\nseverity = critical\npoints = 10\n"
    "[path.builtins.compile]\nseverity = medium\npoints = 3\n";

static const char restricted[] =
    "base = standard\n"
    "languages = [python]\n"
    "texts = restricted\n"
    "stages = [input, syntax, imports, patterns]\n"
    "together = true\n"
    "refuse_at = critical\n"
    "allowed_builtins = [print, range, len, sum, max, min, abs, round, sorted, list, dict, set, str,"
    " int, float, exec, eval, breakpoint, __import__]\n" /* the last four are refused as names */
    "invalid_names = [_*, *__roles__, builtins, breakpoint]\n"
    "reserved_names = [print, printed]\n"
    "allowed_dunders = [__init__, __contains__, __lt__, __le__, __eq__, __ne__, __gt__, __ge__]\n"
    "forbidden_attributes = [_*, *__roles__, format, format_map, tb_frame, tb_next, f_back,"
    " f_builtins, f_code, f_generator, f_globals, f_locals, f_trace, co_code, gi_frame, gi_code,"
    " gi_yieldfrom, cr_await, cr_frame, cr_code, cr_origin, ag_await, ag_code, ag_frame]\n"
    "foreign_attributes = [obj]\n" /* `obj` is an attribute of AttributeError: CVE-2024-47532 */
    "spelled_builtins = [exec, eval]\n"
    "max_range_items = 1000\n"
    "forbidden_features = [async, await, nonlocal, try_star, annotated_assignment, match, metaclass,"
    " star_import, ellipsis, augmented_member, type_alias, type_parameters, t_string]\n"
    "[rule.dunder-forbidden]\noff = true\n"
    "[rule.text-as-list]\noff = false\nseverity = critical\npoints = 10\n"
    "[rule.code-reference]\nseverity = critical\npoints = 10\n"
    "[rule.string-formatter]\nseverity = critical\npoints = 10\n"
    "[rule.format-walk]\nseverity = critical\npoints = 10\n"
    "[rule.attrgetter-walk]\nseverity = critical\npoints = 10\n";

static const char agentos[] =
    "base = standard\n"
    "languages = [python]\n"
    "texts = agentos\n"
    "stages = [input, syntax, imports, patterns]\n"
    "together = true\n"
    "refuse_at = critical\n"
    "forbidden_imports = [os.system, subprocess, shutil, socket, requests, urllib, http, ftp,"
    " ftplib, httpx, urllib3]\n"
    "spelled_builtins = [open, eval, exec, __import__]\n"
    "[rule.file-open]\nseverity = critical\npoints = 10\n"
    "[rule.file-write]\nseverity = critical\npoints = 10\n"
    "[rule.code-reference]\nseverity = critical\npoints = 10\n"
    "[path.builtins.compile]\nseverity = medium\npoints = 3\n";

#define SMOLAGENTS_FUNCTIONS                                                                      \
    "print, isinstance, range, float, int, bool, str, set, list, dict, tuple, round, pow, sum,"    \
    " len, max, min, abs, enumerate, zip, reversed, sorted, all, any, map, filter, ord, chr,"      \
    " next, iter, divmod, callable, getattr, hasattr, setattr, issubclass, type, complex"

static const char smolagents[] =
    "base = standard\n"
    "languages = [python]\n"
    "texts = smolagents\n"
    "stages = [input, syntax, imports, patterns]\n"
    "together = true\n"
    "refuse_at = critical\n"
    "import_semantics = path\n"
    "allowed_imports = [collections, datetime, itertools, math, queue, random, re, stat, statistics,"
    " time, unicodedata]\n"
    "forbidden_names = [compile, eval, exec, globals, locals, __import__, os.popen, os.system]\n"
    "allowed_builtins = [" SMOLAGENTS_FUNCTIONS
    ", compile, eval, exec, globals, locals, __import__]\n" /* these six are refused in calls */
    /* The last row of names are those of `math` that a program has without an import. */
    "kept_names = [" SMOLAGENTS_FUNCTIONS
    ", ceil, floor, log, exp, sin, cos, tan, asin, acos, atan, atan2, degrees, radians, sqrt]\n"
    "allowed_dunders = [__init__, __str__, __repr__]\n";

static const struct {
    const char *name, *text;
} texts[] = {
    {"standard", standard}, {"strict", strict}, {"host", host}, {"kodeagent", kodeagent},
    {"codeact", codeact}, {"chapter", chapter}, {"restricted", restricted}, {"agentos", agentos},
    {"smolagents", smolagents},
};
/* clang-format on */

const char *profile_text(struct str name)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (str_is(name, texts[i].name))
            return texts[i].text;
    }
    return NULL;
}
