/* SPDX-License-Identifier: Apache-2.0 */
#include "server/settings.h"

#include <stdlib.h>
#include <string.h>

#include "backends/guests_memory.h"
#include "base/mem.h"
#include "formats/printable.h"
#include "net/notify.h"

/* These include the settings of runs. */
static const struct opt *const serve_tables[] = {
    serve_options,  serve_model_options, model_options,   cache_options,
    bounds_options, background_options,  ceiling_options, serve_general,
    work_options,   data_options,        wall_options,    policy_options,
    guard_options,  limit_options,       log_options,     NULL};

/* ---- loading ---- */

static int on_section(void *ctx, const struct opt_source *source, const struct conf_item *item,
                      struct err *err)
{
    struct config *config = ctx;
    struct str section = item->section;

    if (str_is(section, "serve"))
        return opt_apply_list(&config->set, source, item->key, item->values, item->n, err);
    if (!str_starts(section, "language.") || section.n <= 9)
        return err_set(err, ERR_USAGE, "there is no section [%.*s]; use [serve] or [language.NAME]",
                       (int)section.n, section.p);
    return language_configure(&config->settings.common.languages, str_slice(section, 9, section.n),
                              item, false, err);
}

static int load_file(struct config *config, struct err *err)
{
    bool is_named;
    AUTO_FREE char *path = settings_user_file(config->settings.config, &is_named);
    struct opt_conf conf = {.path = path,
                            .from = OPT_FROM_USER,
                            .optional = !is_named,
                            .section = on_section,
                            .ctx = config};

    if (path && opt_load_conf(&config->set, &conf, err) < 0)
        return -1;
    return language_check(&config->settings.common.languages, err);
}

/* $GLOVEBOX_SOCKET is where clients look for the daemon (net/place.h). Sockets from systemd come
 * first. */
static int load_usual_place(struct config *config, struct err *err)
{
    static const struct opt_source source = {.from = OPT_FROM_ENV, .place = "GLOVEBOX_SOCKET"};
    const char *place = getenv("GLOVEBOX_SOCKET");

    if (!place || !*place || notify_listen_fds())
        return 0;
    return opt_apply(&config->set, &source, "listen", str_from(place), err);
}

static bool listens_on_unix(const struct opt_list *listen)
{
    for (size_t i = 0; i < listen->n; i++)
        if (str_starts(str_from(listen->items[i]), "unix:") || listen->items[i][0] == '/')
            return true;
    return listen->n == 0;
}

static int read_tokens(struct config *config, struct err *err)
{
    const struct server_settings *s = &config->settings;

    if (s->token_file && token_list_read(s->token_file, &config->tokens, err) < 0)
        return -1;
    config->owners =
        token_list_names(&config->tokens) + (config->tokens.n == 0 || listens_on_unix(&s->listen));
    return 0;
}

unsigned config_owners(const struct config *config)
{
    return config->owners;
}

static void settings_note(void *ctx, const char *what)
{
    AUTO_FREE char *line = printable_text(str_from(what));

    (void)ctx;
    fprintf(stderr, "glovebox serve: review: %s\n", line);
}

/* A model in the user's config file may be meant for other commands: if there is no key for it, the
 * daemon has no reviewer, and this is not an error. */
static int open_reviewer(struct config *config, struct err *err)
{
    const struct server_settings *s = &config->settings;
    const struct review_settings settings = {.model = &s->common.model,
                                             .log = s->common.log,
                                             .discreet = true,
                                             .no_cache = s->common.no_review_cache,
                                             .note = settings_note};

    if (s->status || s->stop || s->print_config)
        return 0;
    if (s->common.review && !s->common.model.model)
        return err_set(err, ERR_USAGE, "--review needs a model: --model NAME");
    if (!s->common.model.model || review_open(&settings, &config->review, err) == 0)
        return 0;
    return s->common.review ? err_wrap(err, "--model") : 0;
}

static int settings_make(struct config *config, int argc, char **argv, struct err *err)
{
    struct server_settings *s = &config->settings;

    if (opt_parse(&config->set, argc, argv, &config->args, err) < 0)
        return -1;
    s->common.sources = &config->set;
    if (opt_help_asked(&s->help))
        return 0;
    if (config->args.operand_n || config->args.has_rest)
        return err_set(err, ERR_USAGE, "unexpected argument '%.60s': serve takes only options",
                       config->args.operand_n ? config->args.operands[0] : "--");
    if (s->json && !s->background && !s->status && !s->stop)
        return err_set(err, ERR_USAGE, "--json needs --background, --status or --stop");
    if (opt_load_env(&config->set, "GLOVEBOX", err) < 0 || load_usual_place(config, err) < 0 ||
        load_file(config, err) < 0 ||
        permits_read(&s->allow, &config->rules.permits, &config->nets, err) < 0 ||
        settings_request(&s->common, &(struct run_request){0}, err) < 0)
        return -1;
    config->rules.defaults = &s->common;
    config->rules.manual = "/openapi.json";
    config->rules.images = &s->images;
    config->rules.nets = &config->nets;
    config->rules.lock_policy = s->lock_policy;
    config->rules.reviews = s->common.review;
    memcpy(config->rules.ceilings, s->ceilings, sizeof s->ceilings);
    config->own_rules = config->rules;
    config->own_rules.permits |= PERMITS_OF_OWN_USER;
    config->own_rules.any_image = true;
    s->guests_memory = s->guests_memory ? s->guests_memory : guests_memory_usual();
    return read_tokens(config, err) < 0 ? -1 : open_reviewer(config, err);
}

struct config *config_make(int argc, char **argv, bool (*elsewhere)(struct str key),
                           struct err *err)
{
    struct config *config = xcalloc(1, sizeof *config);

    atomic_init(&config->references, 1);
    opt_init(&config->set, serve_tables, &config->settings);
    config->set.elsewhere = elsewhere;
    if (settings_make(config, argc, argv, err) == 0)
        return config;
    config_drop(config);
    return NULL;
}

const struct mcp_service *config_mcp(struct config *config, struct err *err)
{
    if (config->has_mcp)
        return &config->mcp;
    config->mcp_rules = config->rules;
    config->mcp_rules.manual = NULL;
    config->mcp = (struct mcp_service){.rules = &config->mcp_rules,
                                       .idle_ms = config->settings.session_idle_ms};
    if (mcp_service_open(&config->mcp, err) < 0) {
        mcp_service_close(&config->mcp);
        return NULL;
    }
    config->has_mcp = true;
    return &config->mcp;
}

struct config *config_hold(struct config *config)
{
    atomic_fetch_add(&config->references, 1);
    return config;
}

void config_drop(struct config *config)
{
    if (!config || atomic_fetch_sub(&config->references, 1) != 1)
        return;
    token_list_done(&config->tokens);
    net_rules_done(&config->nets);
    review_close(config->review);
    if (config->has_mcp)
        mcp_service_close(&config->mcp);
    settings_done(&config->settings.common);
    opt_args_done(&config->args);
    opt_done(&config->set);
    free(config);
}
