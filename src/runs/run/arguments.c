/* SPDX-License-Identifier: Apache-2.0 */
#include "run/arguments.h"

#include <string.h>

#include "base/mem.h"
#include "jail/spec.h"

static char *fill_in(const struct language *language, const char *name, const char *arg)
{
    if (strcmp(arg, "{file}") == 0)
        return xasprintf("%s/%s", SPEC_WORK, name);
    if (strcmp(arg, "{runner}") == 0 && language->runner)
        return xstrdup(language->runner);
    if (strcmp(arg, "{boot}") == 0 && language->boot)
        return xstrdup(language->boot);
    return xstrdup(arg);
}

char **arguments_cells(const struct language *language, const char *interpreter)
{
    size_t n = 0;

    while (language->cells_args[n])
        n++;
    char **argv = xcalloc(n + 2, sizeof *argv);
    argv[0] = xstrdup(interpreter);
    for (size_t i = 0; i < n; i++)
        argv[i + 1] =
            xstrdup(strcmp(language->cells_args[i], "{cells}") == 0 && language->cells_boot
                        ? language->cells_boot
                        : language->cells_args[i]);
    return argv;
}

/* Appends the arguments by which the interpreter gets the code that runs before the program. */
static char **add_first(const struct first *first, char **at)
{
    if (first->skips_annotations)
        *at++ = xstrdup("--no-annotations");
    if (first->text.n) {
        *at++ = xstrdup("--first");
        *at++ = xstrdup(first->text.p);
    } else if (first->file) {
        *at++ = xstrdup("--require");
        *at++ = xasprintf("%s/%s", SPEC_WORK, first->file);
    }
    return at;
}

char **arguments_make(const struct language *language, const char *interpreter, const char *name,
                      const struct first *first, enum rich_wish wish, char *const *own)
{
    size_t n = 0, owned = 0;

    while (language->args[n])
        n++;
    while (own && own[owned])
        owned++;
    char **argv = xcalloc(n + owned + 8, sizeof *argv), **at = argv;
    *at++ = xstrdup(interpreter);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(language->args[i], "{file}") == 0) {
            if (language->rich && wish)
                *at++ = xstrdup("--rich");
            if (language->rich && wish == RICH_VALUE)
                *at++ = xstrdup("--value");
            at = add_first(first, at);
        }
        *at++ = fill_in(language, name, language->args[i]);
    }
    for (size_t i = 0; i < owned; i++)
        *at++ = xstrdup(own[i]);
    return argv;
}
