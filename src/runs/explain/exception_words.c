/* SPDX-License-Identifier: Apache-2.0
 *
 * The messages for a program's errors in the systems for which some profiles are made. Their
 * messages for refusals are in the guard.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "explain/exception.h"

enum { STATEMENT_MAX = 4000 };

/* A statement of the tree begins at a column in bytes, from 0; `column` counts characters from 1,
 * and is 0 when unknown. */
static bool begins_after(const struct python_tree *tree, const struct node *s, int64_t line,
                         int64_t column)
{
    struct str before = str_slice(python_line(tree, s->line), 0, s->column);

    return s->line > line || (s->line == line && (int64_t)utf8_count(before) + 1 > column);
}

/* Returns the statement of the module at this location, as written. Several statements may share a
 * line. */
static struct str statement_at(const struct python_tree *tree, int64_t line, int64_t column)
{
    struct node_list body = tree->module->module.body;
    const struct node *found = NULL;

    for (size_t i = 0; i < body.n; i++) {
        const struct node *s = body.at[i];
        struct node_list before = node_decorators(s);
        const struct node *first = before.n ? before.at[0] : s;
        if (line < first->line || line > s->end_line)
            continue;
        if (!found || (column && !begins_after(tree, first, line, column)))
            found = s;
    }
    if (!found)
        return STR("");
    const char *from = python_line(tree, found->line).p + found->column;
    const char *to = python_line(tree, found->end_line).p + found->end_column;
    return (struct str){from, to > from ? (size_t)(to - from) : 0};
}

void exception_find_statement(struct result_exception *e, struct str code, struct python_text *text)
{
    struct str s = STR("");

    if (e->top_line && python_text_parse(text, code))
        s = statement_at(&text->tree, e->top_line, e->top_column);
    if (s.n)
        e->statement = xstrndup(s.p, utf8_cut(s, STATEMENT_MAX));
}

/* Returns the part of a message between two strings; empty if they are not there. */
static struct str between(const char *message, const char *before, const char *after)
{
    const char *from = strstr(message, before);
    const char *to = from ? strstr(from + strlen(before), after) : NULL;

    if (!to)
        return STR("");
    from += strlen(before);
    return (struct str){from, (size_t)(to - from)};
}

/* True if the statement calls this name. */
static bool calls(const char *statement, struct str name)
{
    for (const char *at = statement; at && (at = strchr(at, '(')); at++) {
        size_t n = (size_t)(at - statement);
        if (n < name.n || memcmp(at - name.n, name.p, name.n) != 0)
            continue;
        char before = n > name.n ? at[-1 - (ptrdiff_t)name.n] : ' ';
        if (strchr(" \t\n([{,;:=+-*/%<>&|^~!", before))
            return true;
    }
    return false;
}

/* Smolagents' local executor evaluates the tree itself, and has its own messages for some of
 * Python's exceptions. NULL for all other exceptions. */
static char *name_words(const struct result_exception *e, struct str name)
{
    if (e->statement && strncmp(e->statement, "del ", 4) == 0)
        return xasprintf("Cannot delete name '%.*s': name is not defined", (int)name.n, name.p);
    if (calls(e->statement, name))
        return xasprintf("Forbidden function evaluation: '%.*s' is not among the explicitly "
                         "allowed tools or defined/imported in the preceding code",
                         (int)name.n, name.p);
    return xasprintf("The variable `%.*s` is not defined.", (int)name.n, name.p);
}

/* The sentence that needs the program's values was added inside (smolagents_first.py), as the
 * exception's last note. NULL if there is none. */
static const char *words_from_inside(const struct result_exception *e)
{
    static const char *const starts[] = {"\nInterpreterError: ",
                                         "\nAssertionError: Assertion failed: "};
    const char *found = NULL;

    for (size_t i = 0; i < ARRAY_LEN(starts); i++)
        for (const char *at = e->traceback; at && (at = strstr(at, starts[i])); at++)
            found = found && found > at ? found : at;
    return found ? found + 1 : NULL;
}

static char *missing_member(const struct result_exception *e)
{
    struct str name = between(e->message, "cannot import name '", "' from '");
    struct str module = between(e->message, "' from '", "'");

    return name.n && module.n ? xasprintf("Module %.*s has no attribute %.*s", (int)module.n,
                                          module.p, (int)name.n, name.p)
                              : NULL;
}

static char *own_words(const struct result_exception *e)
{
    struct str name = between(e->message, "name '", "' is not defined");

    if (strcmp(e->type, "NameError") == 0 && name.n)
        return name_words(e, name);
    if (strcmp(e->type, "ImportError") == 0)
        return missing_member(e);
    if (strcmp(e->message, "No active exception to reraise") == 0)
        return xstrdup("Re-raise is not supported without an active exception");
    if (strcmp(e->type, "ValueError") == 0 && strstr(e->message, "values to unpack (expected"))
        return xstrdup("Cannot unpack tuple of wrong size");
    const char *mapping = strstr(e->message, "argument after ** must be a mapping, not ");
    if (strcmp(e->type, "TypeError") == 0 && mapping)
        return xasprintf("Cannot unpack non-dict value in **kwargs: %s",
                         mapping + strlen("argument after ** must be a mapping, not "));
    return NULL;
}

static void use_smolagents(struct result_exception *e)
{
    const char *inside = words_from_inside(e);
    AUTO_FREE char *own = inside ? xstrdup(inside) : NULL;
    AUTO_FREE char *plain = own ? NULL : own_words(e);

    if (!own)
        own = xasprintf("%s: %s", plain ? "InterpreterError" : str_after_last(e->type, '.'),
                        plain ? plain : e->message);
    for (size_t n = strlen(own); n && own[n - 1] == '\n'; n--)
        own[n - 1] = '\0';
    char *message = xasprintf("Code execution failed at line '%s' due to: %s",
                              e->statement ? e->statement : "", own);

    free(e->type);
    free(e->message);
    e->type = xstrdup("InterpreterError");
    e->message = message;
}

static const struct {
    const char *profile;
    void (*use)(struct result_exception *e);
} words[] = {
    {"smolagents", use_smolagents},
};

void exception_use_words(struct result_exception *e, const char *profile)
{
    for (size_t i = 0; profile && i < ARRAY_LEN(words); i++)
        if (strcmp(profile, words[i].profile) == 0 && e->top_line)
            words[i].use(e);
}

/* Uses agentos' message: seconds, as Python writes a float. */
struct result_exception *exception_of_timeout(const char *profile, int64_t ms)
{
    char seconds[40];

    if (!profile || strcmp(profile, "agentos") != 0)
        return NULL;
    snprintf(seconds, sizeof seconds, "%lld.%03d", (long long)(ms / 1000), (int)(ms % 1000));
    for (size_t n = strlen(seconds); seconds[n - 1] == '0' && seconds[n - 2] != '.'; n--)
        seconds[n - 1] = '\0';
    struct result_exception *e = xcalloc(1, sizeof *e);
    e->type = xstrdup("TimeoutError");
    e->message = xasprintf("Timeout after %ss", seconds);
    e->traceback = xstrdup("");
    return e;
}
