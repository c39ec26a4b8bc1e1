/* SPDX-License-Identifier: Apache-2.0
 *
 * Searches for words in a Python program without parsing it: a comment counts, too. An unneeded
 * pipe costs a moment, a missing one loses the picture.
 */
#include <string.h>

#include "base/mem.h"
#include "policy/modules.h"
#include "run/run_display.h"

enum { MODULES_MAX = 100 };

static bool run_display_wanted_is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\\' || c == '\r' || c == '\n';
}

static void skip_blanks(struct str *rest)
{
    size_t n = 0;

    while (n < rest->n && is_blank(rest->p[n]))
        n++;
    *rest = str_slice(*rest, n, rest->n);
}

/* Cuts a name "a.b.c" off the beginning; empty if there is none. */
static struct str take_name(struct str *rest)
{
    size_t n = 0;

    while (n < rest->n && (run_display_wanted_is_name(rest->p[n]) || (n && rest->p[n] == '.')))
        n++;
    struct str name = str_slice(*rest, 0, n);
    *rest = str_slice(*rest, n, rest->n);
    return name;
}

/* Cuts a name off the end. */
static struct str take_name_before(struct str *rest)
{
    size_t at;

    while (rest->n && is_blank(rest->p[rest->n - 1]))
        rest->n--;
    for (at = rest->n;
         at && (run_display_wanted_is_name(rest->p[at - 1]) || rest->p[at - 1] == '.'); at--)
        ;
    struct str name = str_slice(*rest, at, rest->n);
    rest->n = at;
    return name;
}

/* Decides by the first part of the module's name. One of the user's own files may import
 * anything. */
static bool may_show(struct str module)
{
    static const char *const silent[] = {"numpy",    "scipy", "requests", "yaml",
                                         "dateutil", "pytz",  "pytest",   "typing_extensions"};
    const char *dot = module.n ? memchr(module.p, '.', module.n) : NULL;

    if (dot)
        module.n = (size_t)(dot - module.p);
    if (!module.n || module_is_library(module))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(silent); i++)
        if (str_is(module, silent[i]))
            return false;
    return true;
}

/* Reads "a, b.c as d, e". If the list is too long, the answer is true. */
static bool one_may_show(struct str rest)
{
    for (int n = 0; n < MODULES_MAX; n++) {
        skip_blanks(&rest);
        if (may_show(take_name(&rest)))
            return true;
        skip_blanks(&rest);
        struct str after = rest;
        if (str_is(take_name(&after), "as")) {
            skip_blanks(&after);
            (void)take_name(&after);
            skip_blanks(&after);
            rest = after;
        }
        if (!rest.n || rest.p[0] != ',')
            return false;
        rest = str_slice(rest, 1, rest.n);
    }
    return true;
}

/* A word that was found in the program, and the text around it. */
struct word_place {
    struct str before, after;
    bool alone; /* not part of a longer name */
};

static bool is_display(const struct word_place *at)
{
    return at->alone && !str_ends(at->before, ".");
}

/* True for exec() and similar functions: the code that they run is in a string or a file, and
 * cannot be checked in advance. */
static bool is_whole(const struct word_place *at)
{
    return at->alone;
}

static bool imports(const struct word_place *at)
{
    struct str rest = at->before, module;

    if (str_ends(at->before, "__") || str_starts(at->after, "_module"))
        return true; /* __import__(), importlib.import_module() */
    if (!at->alone)
        return false;
    module = take_name_before(&rest);
    return str_is(take_name_before(&rest), "from") ? may_show(module) : one_may_show(at->after);
}

static const struct {
    const char *word;
    bool (*says)(const struct word_place *at);
} words[] = {{"import", imports},       {"display", is_display}, {"exec", is_whole},
             {"exec_module", is_whole}, {"run_path", is_whole},  {"run_module", is_whole}};

static bool any_says(struct str code, const char *word, bool (*says)(const struct word_place *at))
{
    size_t n = strlen(word), from = 0;
    const char *found;

    while (from < code.n && (found = memmem(code.p + from, code.n - from, word, n))) {
        size_t at = (size_t)(found - code.p);
        struct word_place place = {.before = str_slice(code, 0, at),
                                   .after = str_slice(code, at + n, code.n)};
        place.alone = (!at || !run_display_wanted_is_name(code.p[at - 1])) &&
                      (at + n == code.n || !run_display_wanted_is_name(code.p[at + n]));
        if (says(&place))
            return true;
        from = at + n;
    }
    return false;
}

static bool can_show(const struct language *language)
{
    bool has_runner = false;

    for (const char *const *arg = language->args; *arg; arg++)
        has_runner |= strcmp(*arg, "{runner}") == 0;
    return has_runner && language->rich;
}

bool run_value_wanted(const struct language *language, struct str code)
{
    static const char *const statements[] = {"print(", "import ", "from ", "def ", "class ", "#"};
    struct str all = str_trim(code), line = {0};

    if (!can_show(language))
        return false;
    while (str_next_line(&all, &line))
        ;
    for (size_t i = 0; i < ARRAY_LEN(statements); i++)
        if (str_starts(line, statements[i]))
            return false;
    return line.n && line.p[0] != ' ' && line.p[0] != '\t';
}

bool run_display_wanted(const struct language *language, struct str code)
{
    if (!can_show(language))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (any_says(code, words[i].word, words[i].says))
            return true;
    return false;
}
