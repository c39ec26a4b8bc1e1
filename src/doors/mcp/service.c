/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "environments/environments.h"
#include "environments/requirement.h"
#include "formats/json_get.h"
#include "formats/printable.h"
#include "languages/packages.h"
#include "languages/pythons.h"
#include "llm/prompts.h"
#include "llm/rules.h"
#include "mcp/mcp.h"
#include "mcp/roots.h"
#include "run/check.h"

enum { ABOUT_MAX = 64 << 10, PACKAGES_MAX = 16 << 10, PACKAGES_NAMED = 40 };

/* ---- the environment ---- */

static bool is_auto(const struct run_request *q)
{
    return q->place.environment && strcmp(q->place.environment, "auto") == 0;
}

/* True if a requirement names the package. Both have names in the form of requirement.h. */
static bool is_required(const json_t *requirements, struct str package)
{
    const json_t *requirement;
    size_t i;

    json_array_foreach(requirements, i, requirement)
    {
        const char *text = json_string_value(requirement);
        char after = strncmp(text, package.p, package.n) == 0 ? text[package.n] : '-';
        if (after != '-' && !isalnum((unsigned char)after))
            return true;
    }
    return false;
}

/* Appends the packages that were asked for, or those that these brought along. */
static void add_some(struct buf *b, const json_t *document, bool required, size_t *left)
{
    const json_t *requirements = json_object_get(document, "requirements"), *package;
    size_t i;

    json_array_foreach(json_object_get(document, "packages"), i, package)
    {
        const char *name = json_get_word(package, "name");
        if (*left && is_required(requirements, str_from(name)) == required) {
            (void)buf_addf(b, "%s%s %s", b->n ? ", " : "", name, json_get_word(package, "version"));
            --*left;
        }
    }
}

static void add_packages(struct buf *b, const json_t *document)
{
    size_t n = json_array_size(json_object_get(document, "packages")), left = PACKAGES_NAMED;

    add_some(b, document, true, &left);
    add_some(b, document, false, &left);
    if (n > PACKAGES_NAMED)
        (void)buf_addf(b, " and %zu more", n - PACKAGES_NAMED);
}

/* Opens the environment of the settings, if it has been made: a server does not wait at its start
 * for packages that it has to fetch first. */
static bool open_environment(const struct run_request *q, char *const *packages,
                             struct env_used *ret)
{
    const struct env_watch watch = {.cancel_fd = -1};
    const struct env_want want = {
        .requirements = packages, .python = q->program.python, .only_known = true};
    struct err none;

    return (q->place.environment && env_open(q->place.environment, ret, &none) == 0) ||
           (packages && env_make(&want, &watch, ret, &none) == 0);
}

/* What an environment that is made later will have: the packages as they are required. */
static void add_required(struct buf *b, char *const *packages)
{
    for (size_t i = 0; packages && packages[i] && i < PACKAGES_NAMED; i++)
        (void)buf_addf(b, "%s%s", i ? ", " : "", packages[i]);
}

/* Appends the packages of the settings' environment; *ret_minor is the N of its Python 3.N, which
 * stays as it is if the environment is not there yet, or in a container. */
static void describe_environment(const struct run_request *q, bool contained, struct buf *packages,
                                 unsigned *ret_minor)
{
    const char *set = q->place.environment ? env_set(q->place.environment) : NULL;
    char *named[] = {(char *)(uintptr_t)set, NULL}, **required = NULL;
    struct env_used used = ENV_USED_NONE;
    struct err none;

    if (requirements_read(set ? named : q->place.pip, &required, &none) == 0) {
        if (!contained && open_environment(q, required, &used)) {
            json_t *document = env_describe(used.id, &none);
            add_packages(packages, document);
            *ret_minor = python_minor(used.python);
            json_decref(document);
        } else {
            add_required(packages, required);
        }
        env_close(&used);
    }
    requirements_done(required);
}

/* ---- Python ---- */

/* The name under which commands have this Python, if python3 in its folder is another one. */
static const char *name_in_shells(const char *python)
{
    const char *name = strrchr(python, '/') + 1;
    AUTO_FREE char *usual = xasprintf("%.*spython3", (int)(name - python), python);
    AUTO_FREE char *real = realpath(python, NULL), *real_usual = realpath(usual, NULL);

    return real && real_usual && strcmp(real, real_usual) == 0 ? NULL : name;
}

/* Appends "Python 3.11 with numpy 2.4, pandas 3.1". The server finds this out once, so that a model
 * needs no program for it. */
static void add_python(struct buf *b, const struct run_request *q)
{
    bool own = (q->place.environment && !is_auto(q)) || (q->place.pip && q->place.pip[0]);
    struct interpreter found = {0};
    AUTO_BUF struct buf packages = {0};

    if (check_find_python(q, &found) < 0)
        return;
    unsigned minor = interpreter_minor(&found);
    buf_init(&packages, PACKAGES_MAX);
    if (own)
        describe_environment(q, found.image, &packages, &minor);
    else if (!found.image)
        packages_describe(found.path, &packages);
    (void)buf_adds(b, "Python");
    if (minor)
        (void)buf_addf(b, " 3.%u", minor);
    if (!own && !found.image && name_in_shells(found.path))
        (void)buf_addf(b, " (%s for commands)", name_in_shells(found.path));
    if (packages.n)
        (void)buf_addf(b, " with %s", packages.p);
    else if (!found.image)
        (void)buf_adds(b, " with its standard library");
    (void)buf_adds(b, "; ");
    interpreter_done(&found);
}

/* ---- other facts ---- */

static void add_amount(struct buf *b, uint64_t bytes)
{
    if (bytes && bytes % (1 << 30) == 0)
        (void)buf_addf(b, "; %" PRIu64 " GB", bytes >> 30);
    else if (bytes)
        (void)buf_addf(b, "; %" PRIu64 " MB", bytes >> 20);
}

static void add_facts(struct buf *b, const struct run_request *q)
{
    if (q->place.net_rules)
        (void)buf_addf(b, "network: only %.500s", network_hosts(q->place.net_rules));
    else
        (void)buf_adds(b, q->place.net_host ? "the network of the host" : "no network");
    if (q->limits.wall_ms)
        (void)buf_addf(b, "; %g s", (double)q->limits.wall_ms / 1000);
    add_amount(b, q->limits.memory_bytes);
    (void)buf_adds(b,
                   ". Files in the current folder are returned, those in /tmp are not. No person "
                   "can type input.\n");
}

static bool offers_python(const struct mcp_service *s)
{
    const struct language_table *table = &s->rules->defaults->languages;
    const struct language *python = language_find(table, STR("python"));
    bool found = !s->languages || !s->languages[0];

    for (size_t i = 0; s->languages && s->languages[i]; i++)
        found |= language_find(table, str_from(s->languages[i])) == python;
    return found;
}

/* A path that is cut is of no use, so only the description's own limit holds. */
static void add_path(struct buf *b, const char *path)
{
    AUTO_FREE char *plain = printable_text(str_from(path));

    (void)buf_addc(b, '"');
    for (const char *p = plain; *p; p++) {
        if (*p == '\n')
            (void)buf_adds(b, "\\n");
        else
            (void)buf_addf(b, strchr("\"\\", *p) ? "\\%c" : "%c", *p);
    }
    (void)buf_addc(b, '"');
}

/* `spec` is a SRC[:DST] of --ro; its place inside is DST. */
static void add_shown(struct mcp_service *s, const char *spec)
{
    const struct root *root = s->roots ? roots_find(s->roots, spec) : NULL;
    const char *inside = root ? NULL : strstr(spec, ":/");

    (void)buf_adds(&s->about, "- Readable inside: ");
    add_path(&s->about, inside ? inside + 1 : spec);
    if (root && root->name) {
        (void)buf_adds(&s->about, ", the user's folder ");
        prompt_add_name(&s->about, str_from(root->name));
    } else if (root) {
        (void)buf_adds(&s->about, ", the user's own folder");
    }
    (void)buf_addc(&s->about, '\n');
}

static int service_describe(struct mcp_service *s, struct err *err)
{
    if (offers_python(s))
        add_python(&s->about, &s->base);
    add_facts(&s->about, &s->base);
    if (s->base.workspace.work_dir) {
        (void)buf_adds(&s->about, "- The current folder is the user's own folder ");
        add_path(&s->about, s->base.workspace.work_dir);
        (void)buf_adds(&s->about, "; use relative paths. What a program changes there stays.\n");
    }
    for (size_t i = 0; s->languages && s->languages[i]; i++)
        (void)buf_addf(&s->about, "%s%s%s", i ? ", " : "- The languages are: ", s->languages[i],
                       s->languages[i + 1] ? "" : ".\n");
    for (char *const *shown = s->base.workspace.ro; shown && *shown; shown++)
        add_shown(s, *shown);
    if (rules_add_imports(&s->about, &s->base, err) < 0)
        return -1;
    return s->about.overflow
               ? err_set(err, ERR_LIMIT, "the description of the tools is longer than %d bytes",
                         ABOUT_MAX)
               : 0;
}

int mcp_service_open(struct mcp_service *service, struct err *err)
{
    buf_init(&service->about, ABOUT_MAX);
    return settings_request(service->rules->defaults, &service->base, err) < 0
               ? -1
               : service_describe(service, err);
}

void mcp_service_close(struct mcp_service *service)
{
    buf_done(&service->about);
}
