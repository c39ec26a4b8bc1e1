/* SPDX-License-Identifier: Apache-2.0 */
#include "console/misspelt.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/suggestion.h"
#include "console/command.h"
#include "console/options.h"
#include "terminal/safe_text.h"

#define PREFIX "GLOVEBOX_"

enum { NAME_MAX_BYTES = 64, LINES_MAX = 8 };

/* Variables that are no option's: addresses, files of the program, and those of the package. */
static const char *const other_variables[] = {
    "socket", "config", "token",  "url",        "program", "libexec",
    "jail",   "fetch",  "cgroup", "plain-http", "hints",
};

static bool is_other_variable(struct str key)
{
    for (size_t i = 0; i < ARRAY_LEN(other_variables); i++)
        if (str_eq(key, str_from(other_variables[i])))
            return true;
    return false;
}

static void suggest_key(struct suggestion *near)
{
    for (size_t i = 0; i < ARRAY_LEN(other_variables); i++)
        suggestion_try(near, other_variables[i]);
    for (size_t i = 0; commands[i]; i++) {
        struct opt_walk walk = {0};
        const struct opt *row;
        while ((row = opt_next(command_tables(commands[i]), &walk)))
            if (row->flags & OPT_CONF)
                suggestion_try(near, row->name);
    }
}

/* "TIMEOUT" becomes "timeout", "FORBID_IMPORTS" becomes "forbid-imports", and back. */
static struct str key_of_variable(const char *name, size_t n, char ret[NAME_MAX_BYTES])
{
    for (size_t i = 0; i < n; i++)
        ret[i] = name[i] == '_' ? '-' : (char)tolower((unsigned char)name[i]);
    return (struct str){ret, n};
}

static void variable_of_key(const char *key, char ret[NAME_MAX_BYTES])
{
    size_t i = 0;

    for (; key[i] && i < NAME_MAX_BYTES - 1; i++)
        ret[i] = key[i] == '-' ? '_' : (char)toupper((unsigned char)key[i]);
    ret[i] = '\0';
}

static bool is_misspelt(const char *name, size_t n, char ret_meant[NAME_MAX_BYTES])
{
    char key[NAME_MAX_BYTES];
    struct suggestion near = {.word = key_of_variable(name, n, key)};

    if (cli_is_key(near.word) || is_other_variable(near.word))
        return false;
    suggest_key(&near);
    if (!near.best)
        return false;
    variable_of_key(near.best, ret_meant);
    return true;
}

/* 0 or 1 for the value of a variable that is on or off; -1 for another word. */
static int is_on(const char *value)
{
    static const char *const off[] = {"0", "off", "no", "false", NULL};
    static const char *const on[] = {"", "1", "on", "yes", "true", NULL};

    return str_one_of_nocase(str_from(value), off)  ? 0
           : str_one_of_nocase(str_from(value), on) ? 1
                                                    : -1;
}

bool hints_are_wanted(void)
{
    const char *value = getenv(HINTS_VARIABLE);

    return !value || is_on(value) != 0;
}

static void report_odd_hints(FILE *out)
{
    const char *value = getenv(HINTS_VARIABLE);

    if (!value || is_on(value) >= 0)
        return;
    AUTO_FREE char *safe = safe_text(str_slice(str_from(value), 0, 40), false);
    fprintf(out, "glovebox: " HINTS_VARIABLE " is '%s'; write 0 or 1\n", safe);
}

void misspelt_variables_report(FILE *out)
{
    char meant[NAME_MAX_BYTES];
    int lines = 0;

    report_odd_hints(out);
    for (char **entry = environ; entry && *entry && lines < LINES_MAX; entry++) {
        const char *name = *entry + strlen(PREFIX), *equals = strchr(*entry, '=');
        if (strncmp(*entry, PREFIX, strlen(PREFIX)) != 0 || !equals || equals <= name ||
            !equals[1] || equals - name >= NAME_MAX_BYTES ||
            !is_misspelt(name, (size_t)(equals - name), meant))
            continue;
        AUTO_FREE char *safe = safe_text((struct str){name, (size_t)(equals - name)}, false);
        fprintf(out, "glovebox: %s%s is an unknown setting; did you mean %s%s?\n", PREFIX, safe,
                PREFIX, meant);
        lines++;
    }
}
