/* SPDX-License-Identifier: Apache-2.0 */
#include "run/arguments.h"

#include <string.h>

#include "base/mem.h"
#include "jail/spec.h"

/* ---- words in braces ---- */

static void add_filled(struct buf *b, const char *text, const struct filling *fill)
{
    while (*text) {
        const struct filling *f = fill;
        while (f->word && !(f->value && str_starts(str_from(text), f->word)))
            f++;
        if (f->word) {
            (void)buf_adds(b, f->value);
            text += strlen(f->word);
        } else {
            (void)buf_addc(b, *text++);
        }
    }
}

char *arguments_fill(const char *text, const struct filling *fill)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 1 << 20);
    add_filled(&b, text, fill);
    return buf_take(&b);
}

/* True if the text has a word that the list has without a value. */
static bool lacks(const char *text, const struct filling *fill)
{
    for (; fill->word; fill++)
        if (!fill->value && strstr(text, fill->word))
            return true;
    return false;
}

/* ---- limits ---- */

/* A quarter, and at least 64 MiB, is left for what is not on an interpreter's own heap: its code,
 * stacks of threads, files in the workspace. */
static uint64_t heap_mib(uint64_t memory_bytes)
{
    uint64_t all = memory_bytes >> 20, rest = all / 4 < 64 ? 64 : all / 4;

    return all > 2 * rest ? all - rest : all / 2;
}

static char **limit_words(const struct language *language, const struct jail_limits *limits)
{
    AUTO_FREE char *heap =
        limits->memory_bytes >> 21
            ? xasprintf("%llu", (unsigned long long)heap_mib(limits->memory_bytes))
            : NULL;
    AUTO_FREE char *cpus =
        limits->cpu_milli ? xasprintf("%u", (limits->cpu_milli + 999) / 1000) : NULL;
    const struct filling fill[] = {{"{heap}", heap}, {"{cpus}", cpus}, {NULL, NULL}};
    size_t n = 0;

    while (language->heap && language->heap[n])
        n++;
    char **words = xcalloc(n + 1, sizeof *words), **at = words;
    for (size_t i = 0; i < n; i++)
        if (!lacks(language->heap[i], fill))
            *at++ = arguments_fill(language->heap[i], fill);
    return words;
}

static bool is_variable(const char *word)
{
    return word[0] >= 'A' && word[0] <= 'Z' && strchr(word, '=');
}

/* Appends the words that are arguments. */
static char **add_limits(const struct language *language, const struct jail_limits *limits,
                         char **at)
{
    AUTO_FREE char **words = limit_words(language, limits);

    for (char **word = words; *word; word++) {
        if (is_variable(*word))
            free(*word);
        else
            *at++ = *word;
    }
    return at;
}

char *arguments_variable(const struct language *language, const struct jail_limits *limits)
{
    AUTO_FREE char **words = limit_words(language, limits);
    char *found = NULL;

    for (char **word = words; *word; word++) {
        if (!found && is_variable(*word))
            found = *word;
        else
            free(*word);
    }
    return found;
}

/* ---- argument lists ---- */

enum { LIMIT_WORDS_MAX = 8 };

static char *fill_in(const struct arguments *a, const char *arg)
{
    if (strcmp(arg, "{runner}") == 0 && a->language->runner)
        return xstrdup(a->language->runner);
    if (strcmp(arg, "{boot}") == 0 && a->language->boot)
        return xstrdup(a->language->boot);
    AUTO_FREE char *path = xasprintf("%s/%s", SPEC_WORK, a->name);
    const struct filling fill[] = {
        {"{file}", path}, {"{out}", a->product}, {"{main}", a->main}, {NULL, NULL}};
    return arguments_fill(arg, fill);
}

char **arguments_cells(const struct language *language, const char *interpreter,
                       const struct jail_limits *limits)
{
    size_t n = 0;

    while (language->cells_args[n])
        n++;
    char **argv = xcalloc(n + LIMIT_WORDS_MAX + 2, sizeof *argv), **at = argv;
    *at++ = xstrdup(interpreter);
    at = add_limits(language, limits, at);
    for (size_t i = 0; i < n; i++)
        *at++ = xstrdup(strcmp(language->cells_args[i], "{cells}") == 0 && language->cells_boot
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

char **arguments_make(const struct arguments *a)
{
    const struct language *language = a->language;
    size_t n = 0, owned = 0;

    while (language->args[n])
        n++;
    while (a->own && a->own[owned])
        owned++;
    char **argv = xcalloc(n + owned + LIMIT_WORDS_MAX + 8, sizeof *argv), **at = argv;
    *at++ = xstrdup(a->interpreter);
    at = add_limits(language, a->limits, at);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(language->args[i], "{file}") == 0) {
            if (language->rich && a->wish)
                *at++ = xstrdup("--rich");
            if (language->rich && a->wish == RICH_VALUE)
                *at++ = xstrdup("--value");
            at = add_first(a->first, at);
        }
        *at++ = fill_in(a, language->args[i]);
    }
    for (size_t i = 0; i < owned; i++)
        *at++ = xstrdup(a->own[i]);
    return argv;
}
