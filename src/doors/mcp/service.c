/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "formats/printable.h"
#include "languages/packages.h"
#include "languages/pythons.h"
#include "llm/prompts.h"
#include "llm/rules.h"
#include "mcp/mcp.h"
#include "mcp/roots.h"
#include "run/check.h"

enum { ABOUT_MAX = 64 << 10, PACKAGES_MAX = 1000 };

/* Appends "Python 3.11 with numpy 2.4, pandas 3.1". The server finds this out once, so that a model
 * needs no program for it. */
static void add_python(struct buf *b, const struct run_request *q)
{
    struct interpreter found = {0};
    AUTO_BUF struct buf packages = {0};

    if (check_find_python(q, &found) < 0)
        return;
    unsigned minor = interpreter_minor(&found);
    buf_init(&packages, PACKAGES_MAX);
    if (!found.image)
        packages_describe(found.path, &packages);
    (void)buf_adds(b, "Python");
    if (minor)
        (void)buf_addf(b, " 3.%u", minor);
    if (packages.n)
        (void)buf_addf(b, " with %s", packages.p);
    else if (!found.image)
        (void)buf_adds(b, " with its standard library");
    (void)buf_adds(b, "; ");
    interpreter_done(&found);
}

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
