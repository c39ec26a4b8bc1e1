/* SPDX-License-Identifier: Apache-2.0
 *
 * The interpreter of a run or a session, and its environment: one with a name, the one for its
 * packages, or ("auto") the one for the packages that the program names itself.
 */
#include <string.h>

#include "base/mem.h"
#include "environments/requirement.h"
#include "environments/script.h"
#include "languages/pythons.h"
#include "run/prepare.h"

static bool is_auto(const struct prepared *p)
{
    const char *name = p->request->place.environment;

    return name && strcmp(name, "auto") == 0;
}

int prepare_check_backend_environment(const struct prepared *p, struct err *err)
{
    if (!p->request->place.environment || !p->backend->interpreter)
        return 0;
    return err_set(err, ERR_USAGE,
                   "backend %s has its own interpreters: use --pip instead of --environment",
                   p->backend->name);
}

/* Where the backend has its own interpreters, a shell's python3 is not ours to choose. */
static bool has_packages(const struct prepared *p)
{
    const struct language_traits *traits = p->language->traits;

    return traits->has_versions || (traits->calls_python && !p->backend->interpreter);
}

int prepare_check_language_environment(const struct prepared *p, struct err *err)
{
    bool named = p->request->place.environment && !is_auto(p);

    if ((!p->packages && !named) || has_packages(p) || !p->request->place.packages_given)
        return 0;
    return err_set(err, ERR_USAGE, "%s packages for Python, and this program is in %s",
                   p->packages ? "--pip installs" : "--environment has", p->language->name);
}

/* ---- "auto" ---- */

struct search {
    const char *versions;
    char *found;
};

static void try_python(void *ctx, unsigned minor, const char *path)
{
    struct search *s = ctx;

    if (!env_script_fits(s->versions, minor))
        return;
    mem_free_ptr(&s->found); /* a newer one */
    s->found = xstrdup(path);
}

/* The usual Python, or the newest one that the program's block takes. The caller frees it; NULL
 * with *err if there is none. */
static char *choose_python(const struct env_script *script, struct err *err)
{
    struct interpreter usual = {0};
    struct search search = {script->python, NULL};
    struct err none;

    if (python_find("3", &usual, &none) == 0 &&
        env_script_fits(script->python, interpreter_minor(&usual)))
        search.found = xstrdup(usual.path);
    interpreter_done(&usual);
    if (!search.found)
        pythons_each(try_python, &search);
    if (!search.found)
        err_set(err, ERR_UNSUPPORTED, "the program requires Python %s, which this machine lacks",
                script->python);
    return search.found;
}

/* Returns 1 if the program names nothing. */
static int make_auto(struct prepared *p, struct env_want *want, struct err *err)
{
    struct env_script script;
    char **packages = NULL;
    int result = env_script_read(p->request->program.code, &script, err);
    AUTO_FREE char *python = NULL;

    if (result == 0 && !script.found)
        result = 1;
    if (result == 0 && script.python[0] && !want->python) {
        python = choose_python(&script, err);
        want->python = python;
        result = python ? 0 : -1;
    }
    char *texts[] = {script.requirements.p, NULL};
    if (result == 0)
        result = requirements_read(texts, &packages, err);
    want->requirements = packages;
    if (result == 0)
        result = env_make(want, &p->watch, &p->environment, err);
    requirements_done(packages);
    env_script_done(&script);
    return result;
}

/* ---- the others ---- */

/* A named set is made when it is used first. */
static int open_named(struct prepared *p, struct env_want *want, struct err *err)
{
    const char *name = p->request->place.environment, *set = env_set(name);
    char *texts[] = {(char *)set, NULL}, **packages = NULL;
    struct err none;

    if (env_open(name, &p->environment, set ? &none : err) == 0)
        return 0;
    if (!set || requirements_read(texts, &packages, err) < 0)
        return -1;
    want->requirements = packages;
    int result = env_make(want, &p->watch, &p->environment, err);
    requirements_done(packages);
    return result;
}

/* Finds or makes the environment, and its interpreter. 1 for "auto" and a program that names no
 * packages. */
static int find_environment(struct prepared *p, const char *choice, struct interpreter *ret,
                            struct err *err)
{
    const struct request_place *place = &p->request->place;
    struct env_want want = {
        .requirements = p->packages, .python = choice, .only_known = place->only_known};
    int result = is_auto(p)           ? make_auto(p, &want, err)
                 : place->environment ? open_named(p, &want, err)
                                      : env_make(&want, &p->watch, &p->environment, err);

    if (result < 0)
        return err_wrap(err, place->environment ? "--environment" : "--pip");
    return result ? result : interpreter_at(p->environment.python, ret, err);
}

/* ---- the interpreter ---- */

/* False for a user's row of the config file: it has its own programs, which only --python
 * replaces. */
static bool is_usual_python(const struct language *language)
{
    return language->traits->has_versions && strcmp(language->programs[0], "python3") == 0;
}

/* Uses the version in the program's first line only if nothing else names a version. */
static int find_elsewhere(struct prepared *p, const char *choice, struct err *err)
{
    const struct run_request *q = p->request;
    const char *image = request_image(q);
    unsigned named =
        is_usual_python(p->language) && !choice && !image ? python_of_shebang(q->program.code) : 0;
    AUTO_FREE char *version = named ? xasprintf("3.%u", named) : NULL;

    return p->backend->interpreter(p->language, version ? version : choice, image, &p->interpreter,
                                   err);
}

static bool has_environment(const struct prepared *p)
{
    return p->packages || p->request->place.environment;
}

/* Finds the interpreter. The examination may already have found it: use the recent answer, because
 * a daemon comes here some hundred times a second. */
static int find_interpreter(struct prepared *p, const char *choice, struct err *err)
{
    if (!p->language->traits->has_versions)
        choice = NULL;
    if (p->backend->interpreter)
        return find_elsewhere(p, choice, err);
    if (p->language->traits->has_versions && has_environment(p)) {
        int found = find_environment(p, choice, &p->interpreter, err);
        if (found <= 0)
            return found;
    }
    if (choice)
        return python_find(choice, &p->interpreter, err);
    unsigned named = is_usual_python(p->language) ? python_of_shebang(p->request->program.code) : 0;
    if (named && python_find_minor(named, &p->interpreter))
        return 0;
    p->missing_python = named;
    return interpreter_find_recent(p->language, &p->interpreter, err);
}

/* Finds the Python that a shell's programs get as python3: the one of Python's own programs. A
 * block of "auto" is in Python. -1 for an environment that cannot be had; no Python at all is no
 * failure. */
static int find_called(struct prepared *p, const char *choice, struct interpreter *ret,
                       struct err *err)
{
    const struct language *python = language_find(p->request->program.languages, STR("python"));
    struct err none;

    if (has_environment(p) && !is_auto(p))
        return find_environment(p, choice, ret, err);
    if (choice)
        return python_find(choice, ret, err);
    if (interpreter_find_recent(python, ret, &none) < 0)
        *ret = (struct interpreter){0};
    return 0;
}

/* Languages with a command_cell call commands, too, but live without a Python that fails. */
static int show_called(struct prepared *p, const char *choice, struct err *err)
{
    const struct language_traits *traits = p->language->traits;
    struct interpreter python = {0};

    if (traits->has_versions || p->backend->interpreter ||
        !(traits->calls_python || traits->command_cell))
        return 0;
    if (find_called(p, choice, &python, err) < 0)
        return traits->calls_python ? -1 : 0;
    interpreter_add(&p->interpreter, &python);
    p->called = mem_take(&python.path);
    interpreter_done(&python);
    return 0;
}

int prepare_interpreter(struct prepared *p, const char *choice, struct err *err)
{
    return find_interpreter(p, choice, err) < 0 ? -1 : show_called(p, choice, err);
}
