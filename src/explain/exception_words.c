/* SPDX-License-Identifier: Apache-2.0
 *
 * The words for a program's errors in the systems that some profiles stand in for: row P24. Their
 * words for refusals are in the guard.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "explain/exception.h"
#include "explain/exception_parts.h"

enum { STATEMENT_MAX = 4000 };

static const char *without_module(const char *type)
{
    const char *dot = strrchr(type, '.');

    return dot ? dot + 1 : type;
}

/* A statement of the tree begins at a column in bytes, from 0; `column` counts characters from 1,
 * and is 0 when unknown. */
static bool begins_after(const struct python_tree *tree, const struct node *s, int64_t line,
                         int64_t column)
{
    struct str before = str_slice(python_line(tree, s->line), 0, s->column);

    return s->line > line || (s->line == line && (int64_t)utf8_count(before) + 1 > column);
}

/* The statement of the module at a place, as it is written. Several may share a line. */
static struct str statement_at(const struct python_tree *tree, int64_t line, int64_t column)
{
    struct node_list body = tree->module->module.body;
    const struct node *found = NULL;

    for (size_t i = 0; i < body.n; i++) {
        const struct node *s = body.at[i];
        if (line < s->line || line > s->end_line)
            continue;
        if (!found || (column && !begins_after(tree, s, line, column)))
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

/* What stands between two texts in a message; empty when it is not there. */
static struct str between(const char *message, const char *before, const char *after)
{
    const char *from = strstr(message, before);
    const char *to = from ? strstr(from + strlen(before), after) : NULL;

    if (!to)
        return STR("");
    from += strlen(before);
    return (struct str){from, (size_t)(to - from)};
}

/* Whether a statement calls this name. */
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

/* The local executor evaluates the tree itself, and says by its own words what Python says by
 * exceptions. NULL for all others. */
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

static char *own_words(const struct result_exception *e)
{
    struct str name = between(e->message, "name '", "' is not defined");

    if (strcmp(e->type, "NameError") == 0 && name.n)
        return name_words(e, name);
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
    AUTO_FREE char *own = own_words(e);
    char *message = xasprintf(
        "Code execution failed at line '%s' due to: %s: %s", e->statement ? e->statement : "",
        own ? "InterpreterError" : without_module(e->type), own ? own : e->message);

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

/* Row S9: seconds as Python writes a float. */
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
