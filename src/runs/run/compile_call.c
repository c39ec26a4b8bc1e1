/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/mem.h"
#include "run/arguments.h"
#include "run/compile_parts.h"

#define VERSION "1" /* of what products and keys are */

enum { HASHED_MAX = 64 << 20 };

void compile_call_done(struct compile_call *c)
{
    for (size_t i = 0; i < c->n; i++)
        free((char *)c->words[i]);
    for (char **pair = c->env; pair && *pair; pair++)
        free(*pair);
    free(c->env);
    interpreter_done(&c->tool);
}

/* ---- the call's words ---- */

static void add_word(struct compile_call *c, char *word)
{
    if (c->n + 1 < COMPILE_WORDS)
        c->words[c->n++] = word;
    else
        free(word);
}

static bool is_source(const struct compile_call *c, struct str path)
{
    const char *const *e = c->in->prepared->language->extensions;

    if (str_is(path, c->in->name) || str_find(path, STR("/")) >= 0)
        return false;
    while (e && *e && !str_ends(path, *e))
        e++;
    /* A text that the program includes by its name is not a part of its own. */
    AUTO_FREE char *quoted = xasprintf("\"%.*s\"", (int)path.n, path.p);
    return e && *e && str_find(c->text, str_from(quoted)) < 0;
}

static void add_sources(struct compile_call *c)
{
    struct str path;
    size_t at = 0;

    add_word(c, xstrdup("{file}"));
    while (c->given && lay_list_next(c->given, &at, &path))
        if (is_source(c, path))
            add_word(c, xasprintf("%s/%.*s", SPEC_WORK, (int)path.n, path.p));
}

static void make_words(struct compile_call *c)
{
    AUTO_FREE char *shared = c->shared ? xasprintf("%s/%s", c->shared, COMPILED_PROGRAM) : NULL;
    const struct filling fill[] = {{"{out}", COMPILE_OUT}, {"{shared}", shared}, {NULL, NULL}};
    size_t n = 0;

    for (const char *const *arg = c->args; *arg; arg++) {
        if (strcmp(*arg, "{sources}") == 0)
            add_sources(c);
        else
            add_word(c, arguments_fill(*arg, fill));
    }
    while (c->how->env && c->how->env[n])
        n++;
    c->env = xcalloc(n + 1, sizeof *c->env);
    /* The call that makes the shared product makes it in its place. */
    const struct filling own[] = {{"{shared}", shared ? shared : COMPILE_OUT}, {NULL, NULL}};
    for (size_t i = 0; i < n; i++)
        c->env[i] = arguments_fill(c->how->env[i], own);
    c->row.args = c->words;
}

int compile_call_make(struct compile_call *c, struct err *err)
{
    const struct prepared *p = c->in->prepared;
    const struct language *language = p->language;

    c->how = language->compile;
    c->row = (struct language){
        .name = language->name,
        .traits = &no_traits,
        .aliases = language->aliases,
        .extensions = language->extensions,
        .programs = c->how->programs ? c->how->programs : language->programs,
        .extension = language->extension,
        .install = language->install,
        .image = language->image,
        .needs = language->needs,
    };
    make_words(c);
    if (p->backend->interpreter)
        return 0;
    return interpreter_find_recent(&c->row, &c->tool, err);
}

/* ---- the key ---- */

static void add_text(struct sha256 *sum, struct str text)
{
    char size[32];
    int n = snprintf(size, sizeof size, "%zu:", text.n);

    sha256_add(sum, size, (size_t)n);
    sha256_add(sum, text.p ? text.p : "", text.n);
}

static void add_tool(struct sha256 *sum, const struct compile_call *c)
{
    AUTO_FREE char *real = realpath(c->tool.path, NULL);
    struct utsname machine = {.machine = ""};
    struct stat st = {.st_size = 0};
    char text[128];

    (void)uname(&machine);
    (void)!stat(c->tool.path, &st);
    snprintf(text, sizeof text, "%lld %lld.%09ld", (long long)st.st_size,
             (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    add_text(sum, str_from(VERSION));
    add_text(sum, str_from(c->row.name));
    add_text(sum, str_from(c->tool.path));
    add_text(sum, str_from(real ? real : ""));
    add_text(sum, str_from(text));
    add_text(sum, str_from(machine.machine));
}

bool compile_call_key(const struct compile_call *c, struct lay_list *laid, char ret[SHA256_HEX])
{
    const struct run_request *q = c->in->request;
    struct sha256 sum;
    char owner[32];
    struct err err;

    /* Programs may include files of shown folders, and nothing says when these change. */
    if (!c->tool.path || (laid && q->workspace.ro && q->workspace.ro[0]))
        return false;
    sha256_init(&sum);
    add_tool(&sum, c);
    for (size_t i = 0; i < c->n; i++)
        add_text(&sum, str_from(c->words[i]));
    for (char **pair = c->env; *pair; pair++)
        add_text(&sum, str_from(*pair));
    /* A fast answer must not show to one owner which programs another one has compiled. */
    snprintf(owner, sizeof owner, "%llu", laid ? (unsigned long long)q->door.owner : 0);
    add_text(&sum, str_from(owner));
    add_text(&sum, str_from(c->in->name));
    add_text(&sum, c->text);
    if (laid && lay_identify(laid, HASHED_MAX, &sum, &err) < 0)
        return false;
    sha256_hex(&sum, ret);
    return true;
}
