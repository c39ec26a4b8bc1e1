/* SPDX-License-Identifier: Apache-2.0
 *
 * The values that completion offers. Values that cannot be found are left out without an error.
 */
#include <string.h>

#include "base/mem.h"
#include "cli/complete.h"
#include "console/help.h"
#include "console/options.h"
#include "environments/environments.h"
#include "formats/json_get.h"
#include "limits/layers.h"
#include "llm/provider.h"
#include "policy/policy.h"
#include "registry/registry.h"
#include "remote/run_remote.h"
#include "store/store.h"

enum { PATIENCE_MS = 2000, RUNS = 50 };

struct caller {
    complete_value_fn *fn;
    void *ctx;
};

static void add_backends(const struct caller *to, const struct cli_options *o)
{
    (void)o;
    for (size_t i = 0; backends[i]; i++)
        to->fn(to->ctx, backends[i]->name, backends[i]->summary);
}

static void complete_values_add_language(void *ctx, const struct language *language)
{
    const struct caller *to = ctx;

    to->fn(to->ctx, language->name, NULL);
}

static void add_providers(const struct caller *to, const struct cli_options *o)
{
    (void)o;
    for (const struct provider *p = providers; p->name; p++)
        to->fn(to->ctx, p->name, p->help);
}

static void add_languages(const struct caller *to, const struct cli_options *o)
{
    to->fn(to->ctx, "auto", "look at the extension, the #! line and the text");
    language_each(&o->settings.common.languages, complete_values_add_language, (void *)to);
}

static void add_networks(const struct caller *to, const struct cli_options *o)
{
    (void)o;
    to->fn(to->ctx, "none", "no network");
    to->fn(to->ctx, "allow:", "only these hosts, as in allow:api.example.com");
    to->fn(to->ctx, "host", "the host's own network");
}

static void add_layers(const struct caller *to, const struct cli_options *o)
{
    (void)o;
    for (size_t i = 0; i < LAYER_COUNT; i++)
        to->fn(to->ctx, jail_layers[i].name, jail_layers[i].does);
    to->fn(to->ctx, "default", "the essential layers");
    to->fn(to->ctx, "all", "every layer");
}

static void add_profiles(const struct caller *to, const struct cli_options *o)
{
    (void)o;
    for (const struct profile_info *p = profiles; p->name; p++)
        to->fn(to->ctx, p->name, p->summary);
}

static void add_names(const struct caller *to, const struct cli_options *o)
{
    (void)o;
    for (size_t i = 0; commands[i]; i++)
        to->fn(to->ctx, commands[i]->name, commands[i]->summary);
    for (size_t i = 0; help_topics[i].name; i++)
        to->fn(to->ctx, help_topics[i].name, help_topics[i].summary);
}

static void add_session(const struct caller *to, const json_t *session)
{
    const char *id = json_get_text(session, "id"), *name = json_get_text(session, "name");
    const char *language = json_get_text(session, "language");

    if (id)
        to->fn(to->ctx, id, name && *name ? name : language);
    if (name && *name)
        to->fn(to->ctx, name, language);
}

static void add_sessions(const struct caller *to, const struct cli_options *o)
{
    struct http_ask ask = {
        .method = "GET", .path = "/v1/sessions", .timeout_ms = PATIENCE_MS, .cancel_fd = -1};
    struct http_client client;
    struct http_reply reply;
    struct err err;
    json_t *doc = NULL, *session;
    size_t i;

    if (remote_open(&o->settings, &client, &err) < 0)
        return;
    if (http_client_ask(&client, &ask, &reply, &err) == 0 && reply.status == 200)
        doc = remote_json(buf_str(&reply.body), &err);
    json_array_foreach(json_object_get(doc, "sessions"), i, session) add_session(to, session);
    json_decref(doc);
    http_reply_done(&reply);
    http_client_done(&client);
}

static void add_environments(const struct caller *to, const struct cli_options *o)
{
    struct err err;
    json_t *all = env_list(&err), *one, *name;
    size_t i, k;

    (void)o;
    json_array_foreach(all, i, one)
    {
        json_array_foreach(json_object_get(one, "names"), k, name)
            to->fn(to->ctx, json_string_value(name), "an environment of yours");
    }
    json_decref(all);
}

static void add_all_environments(const struct caller *to, const struct cli_options *o)
{
    add_environments(to, o);
    to->fn(to->ctx, "data", "numpy, pandas, matplotlib and more");
    to->fn(to->ctx, "auto", "the packages that the program names itself");
}

static int complete_values_add_run(const struct run_record *run, void *ctx)
{
    const struct caller *to = ctx;
    AUTO_FREE char *id = xstrndup(run->id.p, run->id.n);

    to->fn(to->ctx, id, run_outcome_name(run->outcome));
    return 0;
}

static void add_runs(const struct caller *to, const struct cli_options *o)
{
    const struct store_query query = {.limit = RUNS};
    const char *named = o->settings.common.log;
    AUTO_FREE char *usual = NULL;
    struct store *store;
    struct err err;

    if (!named && store_default_path(&usual, &err) < 0)
        return;
    if (store_open(named ? named : usual, STORE_READ, &store, &err) < 0)
        return;
    (void)store_list(store, &query, complete_values_add_run, (void *)to, &err);
    store_close(store);
}

static const struct {
    const char *values;
    void (*add)(const struct caller *to, const struct cli_options *o);
} rows[] = {
    {"backends", add_backends},   {"languages", add_languages},
    {"layers", add_layers},       {"networks", add_networks},
    {"names", add_names},         {"profiles", add_profiles},
    {"providers", add_providers}, {"runs", add_runs},
    {"sessions", add_sessions},   {"environments", add_all_environments},
    {"made", add_environments},
};

void complete_values(const char *values, complete_value_fn *fn, void *ctx)
{
    static char name[] = "run";
    char *argv[] = {name, NULL};
    const struct caller to = {fn, ctx};
    struct cli_options options;
    struct err err;

    /* if the config file is wrong, the default settings are used */
    (void)cli_options_load(&options, help_find_command("run"), 1, argv, &err);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (strcmp(rows[i].values, values) == 0)
            rows[i].add(&to, &options);
    cli_options_done(&options);
}
