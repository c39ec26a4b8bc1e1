/* SPDX-License-Identifier: Apache-2.0 */
#include "run/warm.h"

#include <stdlib.h>
#include <string.h>

#include "backends/cell_wire.h"
#include "base/mem.h"
#include "jail/spec.h"
#include "languages/warm_modules.h"
#include "request/environment.h"

enum {
    TEXT_MAX = (128 << 10) - 1, /* the kernel's limit for one argument */
    MODULE_MAX = 200,           /* of a module's name */
    MODULES_MAX = 64,
    FRAMES_MAX = 1 << 20, /* the maximum capacity of a pipe */
};

/* Makes the runner (guests/python_runner.py) check the files beside the program. */
static char beside[] = "--beside";

/* True if an interpreter, its libc or its loader reads the variable at the start. */
static bool is_read_at_start(const char *pair)
{
    static const char *const prefixes[] = {"PYTHON", "LC_", "LANG", "LD_", "MALLOC_", "GLIBC_"};

    for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
        if (strncmp(pair, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* Returns a variable of the request that changes how the interpreter starts; NULL for none. */
static const char *early_variable(const struct run_request *q)
{
    for (char *const *pair = q->program.env; pair && *pair; pair++)
        if (is_read_at_start(*pair))
            return *pair;
    return NULL;
}

static size_t count_until(const char *const *args, const char *arg)
{
    size_t n = 0;

    while (args[n] && strcmp(args[n], arg) != 0)
        n++;
    return n;
}

static bool has_argument(const char *const *args, const char *arg)
{
    return args[count_until(args, arg)] != NULL;
}

static bool can_be_warm(const struct prepared *p)
{
    const struct run_request *q = p->request;

    return q->place.pool && !q->place.cold && p->language->zygote &&
           !backend_need(p->backend, CAN_WARM).why_not &&
           has_argument(p->language->args, "{boot}") &&
           has_argument(p->language->args, "{runner}") && !early_variable(q);
}

/* Returns the interpreter and its arguments before `until`, then the zygote's text in place of that
 * argument, then `more` free entries. *ret_at is the first free entry. */
static char **zygote_arguments(const struct prepared *p, const char *const *args, const char *until,
                               size_t more, char ***ret_at)
{
    size_t n = count_until(args, until);
    char **argv = xcalloc(n + more + 3, sizeof *argv);

    argv[0] = xstrdup(p->interpreter.path);
    for (size_t i = 0; i < n; i++)
        argv[i + 1] = xstrdup(args[i]);
    argv[n + 1] = xstrdup(p->language->zygote);
    *ret_at = argv + n + 2;
    return argv;
}

/* Leaves out the user's own variables: each fork receives them. */
static char **zygote_environment(const struct prepared *p)
{
    struct run_request plain = *p->request;
    struct err err;

    plain.program.env = NULL;
    return environment_make(&plain, p->interpreter.path, NULL, NULL, &err);
}

/* True if there is a file that packages read when they are loaded. */
static bool has_configuration(const struct lay_list *laid)
{
    struct str path;
    size_t at = 0;

    while (lay_list_next(laid, &at, &path))
        if (str_is(path, "matplotlibrc"))
            return true;
    return false;
}

/* Returns the modules to load in advance; none if the user set a variable, or gave a file, that
 * packages read when they are loaded. */
static size_t find_modules(const struct prepared *p, const struct warm_run *run,
                           const char *ret[WARM_MODULES_MAX])
{
    struct str texts[] = {run->program, run->first};

    for (char *const *pair = p->request->program.env; pair && *pair; pair++)
        if (warm_modules_read(*pair))
            return 0;
    if (has_configuration(run->laid))
        return 0;
    return warm_modules(texts, ARRAY_LEN(texts), p->interpreter.path, ret);
}

/* True if there is any file except a program of the usual name: an import might mean that file, not
 * a module that the zygote has loaded. */
static bool has_others(const struct lay_list *laid)
{
    struct str path;
    size_t at = 0;

    while (lay_list_next(laid, &at, &path))
        if (!str_is(path, "main.py"))
            return true;
    return false;
}

/* Returns the arguments after the runner. */
static char **words_of(const struct prepared *p, const struct warm_run *run)
{
    char **own = p->argv + count_until(p->language->args, "{runner}") + 2;
    size_t n = 0, at = 0;

    while (own[n])
        n++;
    char **words = xcalloc(n + 2, sizeof *words);
    if (has_others(run->laid))
        words[at++] = beside;
    memcpy(words + at, own, n * sizeof *words);
    return words;
}

void warm_make(const struct prepared *p, const struct warm_run *run, struct warm *ret)
{
    const char *modules[WARM_MODULES_MAX];
    char **at;

    *ret = (struct warm){0};
    if (!can_be_warm(p))
        return;
    size_t n = find_modules(p, run, modules);
    ret->possible = true;
    ret->how = (struct backend_warm){
        .early = EARLY_ZYGOTE,
        .argv = zygote_arguments(p, p->language->args, "{boot}", n + 1, &at),
        .env = zygote_environment(p),
        .fork_argv = words_of(p, run),
    };
    *at++ = xstrdup(p->language->runner);
    for (size_t i = 0; i < n; i++)
        *at++ = xstrdup(modules[i]);
}

/* ---- sessions ---- */

static int check_cells(const struct prepared *p, struct err *err)
{
    const struct run_request *q = p->request;
    const struct language *l = p->language;
    const char *pair = early_variable(q);

    const char *why_not = backend_need(p->backend, CAN_FORKS).why_not;

    if (why_not)
        return err_set(err, ERR_UNSUPPORTED, "%s (backend %s)", why_not, p->backend->name);
    if (!l->zygote || !l->cells || !has_argument(l->cells_args, "{cells}"))
        return err_set(err, ERR_UNSUPPORTED,
                       "a session in %s cannot be forked: its interpreter does not support it",
                       l->name);
    if (q->place.cold)
        return err_set(err, ERR_UNSUPPORTED, "a session that starts cold cannot be forked");
    if (pair)
        return err_set(err, ERR_UNSUPPORTED,
                       "a session with %.*s in its environment cannot be forked: the interpreter "
                       "reads that when it starts",
                       (int)strcspn(pair, "="), pair);
    return 0;
}

/* False for a name that could be taken for an option, a path or similar: then the guest gets the
 * name and reports an error. */
static bool is_module(const char *name)
{
    size_t n = strlen(name);

    return n && n <= MODULE_MAX &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == n &&
           !strchr("0123456789.", name[0]);
}

/* Appends the text without comments and empty lines: with these, an eighth more, it would be too
 * long. No string in the text has a line that looks like a comment: a test in tests/cells/ checks
 * this. */
static int add_code(const char *text, struct buf *ret)
{
    for (const char *line = text, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next == '\n';
        const char *word = line + strspn(line, " ");
        if (*word != '#' && *word != '\n' &&
            buf_add_str(ret, (struct str){line, (size_t)(next - line)}) < 0)
            return -1;
    }
    return 0;
}

static char *cells_text(const struct language *language)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, TEXT_MAX);
    for (const char *const *piece = language->cells; *piece; piece++)
        if (add_code(*piece, &text) < 0)
            return NULL;
    return xstrdup(text.p);
}

int warm_make_cells(const struct prepared *p, char *const *preload, struct warm *ret,
                    struct err *err)
{
    size_t n = 0;
    char **at;

    *ret = (struct warm){0};
    if (check_cells(p, err) < 0)
        return -1;
    AUTO_FREE char *text = cells_text(p->language);
    if (!text)
        return err_set(err, ERR_UNSUPPORTED, "the server of cells is too long for an argument");
    while (preload && preload[n])
        n++;
    ret->cells = ret->possible = true;
    ret->how = (struct backend_warm){
        .early = EARLY_ZYGOTE,
        .argv = zygote_arguments(p, p->language->cells_args, "{cells}", n + 1, &at),
        .env = zygote_environment(p),
        .fork_argv = xcalloc(1, sizeof(char *)),
    };
    *at++ = mem_take(&text);
    for (size_t i = 0; i < n && i < MODULES_MAX; i++)
        if (is_module(preload[i]))
            *at++ = xstrdup(preload[i]);
    return 0;
}

/* ---- without a zygote ---- */

static bool can_be_early(const struct prepared *p, const struct warm *warm)
{
    const struct run_request *q = p->request;

    return !warm->possible && q->place.pool && !q->place.cold &&
           !backend_need(p->backend, CAN_WARM).why_not;
}

/* True if every language can set the name, and the value is the same in JSON. */
static bool warm_is_plain(const char *pair)
{
    size_t n = strspn(pair, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

    if (!n || (pair[n] && pair[n] != '=') || strchr("0123456789", pair[0]))
        return false;
    while (pair[n] && !((unsigned char)pair[n] & 0x80))
        n++;
    return !pair[n];
}

/* True if a variable that the user added can be set after the interpreter's start. */
static bool can_be_late(const struct language *language, const char *pair)
{
    if (!warm_is_plain(pair))
        return false;
    for (const char *const *early = language->early; early && *early; early++)
        if (strncmp(pair, *early, strlen(*early)) == 0)
            return false;
    return language->early != NULL;
}

static bool names_package(const struct lay_list *laid)
{
    struct str path;
    size_t at = 0;

    while (lay_list_next(laid, &at, &path))
        if (str_is(path, "package.json"))
            return true;
    return false;
}

/* Returns the name of the program that a waiting interpreter may expect: its only argument, and the
 * first file that it reads in the workspace. */
static const char *waited_for(const struct prepared *p, const struct lay_list *laid)
{
    const struct run_request *q = p->request;
    const char *const *name = p->language->waits_for;
    size_t n = strlen(SPEC_WORK "/");

    char **file = p->argv + 1; /* after the arguments with limits */
    while (*file && strncmp(*file, SPEC_WORK "/", n) != 0)
        file++;
    if (!name || (q->program.env && q->program.env[0]) || !*file || file[1] || names_package(laid))
        return NULL;
    while (*name && strcmp(*name, *file + n) != 0)
        name++;
    return *name;
}

void warm_make_early(const struct prepared *p, const struct lay_list *laid, struct warm *ret)
{
    if (!can_be_early(p, ret) || p->language->zygote)
        return;
    const char *waits_for = waited_for(p, laid);
    ret->possible = true;
    ret->how = (struct backend_warm){.early = waits_for ? EARLY_PROGRAM : EARLY_PLACE,
                                     .waits_for = waits_for,
                                     .env = zygote_environment(p)};
}

void warm_make_waiting(const struct prepared *p, struct str program, struct warm *ret)
{
    if (!can_be_early(p, ret) || !p->language->cells_boot)
        return;
    for (char *const *pair = p->request->program.env; pair && *pair; pair++)
        if (!can_be_late(p->language, *pair))
            return;
    buf_init(&ret->text, FRAMES_MAX);
    if (cell_frame_put(&ret->text, "program", 0, program) < 0)
        return;
    ret->possible = true;
    ret->how = (struct backend_warm){
        .early = EARLY_PROGRAM, .env = zygote_environment(p), .frames_sent = buf_str(&ret->text)};
}

void warm_done(struct warm *warm)
{
    environment_free(warm->how.argv);
    environment_free(warm->how.env);
    free(warm->how.fork_argv);
    buf_done(&warm->text);
}

void warm_use(const struct warm *warm, const struct prepared *p, struct backend_job *job)
{
    /* A guest that waits is in its workspace already. */
    if (!warm->possible || job->folder.n)
        return;
    job->pool = p->request->place.pool;
    job->warm = &warm->how;
    job->forks = warm->cells;
}
