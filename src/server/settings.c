/* SPDX-License-Identifier: Apache-2.0 */
#include "server/settings.h"

#include <stdlib.h>
#include <string.h>

#include "backends/guests_memory.h"
#include "base/mem.h"
#include "base/printable.h"
#include "net/notify.h"

#define AT(member) offsetof(struct server_settings, member)

static const char *const access_formats[] = {"text", "json", NULL};

const struct opt serve_options[] = {
    {.name = "listen",
     .kind = OPT_LIST,
     .flags = OPT_CONF,
     .offset = AT(listen),
     .arg = "ADDRESS",
     .group = "Where to listen",
     .help = "unix:PATH, or HOST:PORT (which needs --token-file); may be repeated"},
    {.name = "token-file",
     .kind = OPT_STRING,
     .flags = OPT_CONF,
     .offset = AT(token_file),
     .arg = "FILE",
     .group = "Where to listen",
     .help = "tokens of clients on TCP: per line a token, or a name and a token; no other user "
             "may be able to read the file"},
    {.name = "host-name",
     .kind = OPT_LIST,
     .flags = OPT_CONF,
     .offset = AT(host_names),
     .arg = "NAME",
     .group = "Where to listen",
     .help = "a host name that clients may use for this daemon over TCP; may be repeated"},
    {.name = "allow",
     .kind = OPT_LIST,
     .flags = OPT_CONF,
     .offset = AT(allow),
     .arg = "WHAT",
     .group = "What clients may ask for",
     .help =
         "permit clients what weakens the wall: host-files, host-backend, net-host or without; or "
         "work outside of it: commit (images of sessions), pip (packages), dockerfile (builds)"},
    {.name = "images",
     .kind = OPT_LIST,
     .flags = OPT_CONF,
     .offset = AT(images),
     .arg = "PATTERN",
     .group = "What clients may ask for",
     .help = "images that clients may name for the backend docker, such as 'python:*'; may be "
             "repeated"},
    {.name = "lock-policy",
     .kind = OPT_FLAG,
     .flags = OPT_CONF,
     .offset = AT(lock_policy),
     .group = "What clients may ask for",
     .help = "clients cannot choose profile or imports, and nothing that they send runs unread"},
    {.name = "workers",
     .kind = OPT_INT,
     .flags = OPT_CONF,
     .offset = AT(workers),
     .arg = "N",
     .group = "How much at once",
     .initial = "128",
     .min = 1,
     .max = 1024,
     .help = "runs and cells at the same time; threads start when they are needed"},
    {.name = "queue",
     .kind = OPT_INT,
     .flags = OPT_CONF,
     .offset = AT(queue),
     .arg = "N",
     .group = "How much at once",
     .initial = "1024",
     .max = 1000000,
     .help = "requests that may wait for a worker; further requests get 429"},
    {.name = "connections",
     .kind = OPT_INT,
     .flags = OPT_CONF,
     .offset = AT(connections),
     .arg = "N",
     .group = "How much at once",
     .initial = "2048",
     .min = 1,
     .max = 100000,
     .help = "open connections; a further one takes the place of one that has sent nothing, or "
             "gets 503"},
    {.name = "sessions",
     .kind = OPT_INT,
     .flags = OPT_CONF,
     .offset = AT(sessions),
     .arg = "N",
     .group = "How much at once",
     .initial = "1000",
     .max = 100000,
     .help = "open sessions; further requests for one get 429"},
    {.name = "guests-memory",
     .kind = OPT_SIZE,
     .flags = OPT_CONF,
     .offset = AT(guests_memory),
     .arg = "SIZE",
     .group = "How much at once",
     .help = "memory of all runs and sessions together; 0: half of the machine's"},
    {.name = "sessions-memory", /* its older name */
     .kind = OPT_SIZE,
     .flags = OPT_CONF | OPT_HIDDEN,
     .offset = AT(guests_memory),
     .arg = "SIZE"},
    {.name = "session-idle",
     .kind = OPT_DURATION,
     .flags = OPT_CONF,
     .offset = AT(session_idle_ms),
     .arg = "TIME",
     .group = "How much at once",
     .initial = "30m",
     .min = 1000,
     .help = "close a session after this time without use"},
    {.name = "max-body",
     .kind = OPT_SIZE,
     .flags = OPT_CONF,
     .offset = AT(max_body),
     .arg = "SIZE",
     .group = "Requests",
     .initial = "32m",
     .min = 1024,
     .max = 1LL << 30,
     .help = "largest JSON request"},
    {.name = "max-upload",
     .kind = OPT_SIZE,
     .flags = OPT_CONF,
     .offset = AT(max_upload),
     .arg = "SIZE",
     .group = "Requests",
     .initial = "256m",
     .min = 1024,
     .help = "largest file that a client may put into a session"},
    {.name = "max-collect",
     .kind = OPT_SIZE,
     .flags = OPT_CONF,
     .offset = AT(max_collect),
     .arg = "SIZE",
     .group = "Requests",
     .initial = "16m",
     .max = 1LL << 30,
     .help = "largest size of all files in one run's answer ('collect')"},
    {.name = "header-timeout",
     .kind = OPT_DURATION,
     .flags = OPT_CONF,
     .offset = AT(header_ms),
     .arg = "TIME",
     .group = "Requests",
     .initial = "10s",
     .min = 100,
     .help = "time from the first byte of a request's head to its last"},
    {.name = "body-timeout",
     .kind = OPT_DURATION,
     .flags = OPT_CONF,
     .offset = AT(body_ms),
     .arg = "TIME",
     .group = "Requests",
     .initial = "30s",
     .min = 100,
     .help = "time for a request's body to arrive, plus one second for every 64 KiB"},
    {.name = "idle-timeout",
     .kind = OPT_DURATION,
     .flags = OPT_CONF,
     .offset = AT(idle_ms),
     .arg = "TIME",
     .group = "Requests",
     .initial = "60s",
     .min = 100,
     .help = "time without a request on a connection; not before the first one on a Unix socket"},
    {.name = "drain",
     .kind = OPT_DURATION,
     .flags = OPT_CONF,
     .offset = AT(drain_ms),
     .arg = "TIME",
     .group = "Requests",
     .initial = "30s",
     .help = "after SIGTERM, time for current runs to end"},
    {.name = "access-log",
     .kind = OPT_STRING,
     .flags = OPT_CONF,
     .offset = AT(access_log),
     .arg = "FILE",
     .group = "Requests",
     .help = "file for one line per request; - for standard output"},
    {.name = "access-format",
     .kind = OPT_CHOICE,
     .flags = OPT_CONF,
     .offset = AT(access_format),
     .arg = "FORMAT",
     .group = "Requests",
     .choices = access_formats,
     .help = "format of the access log: text or json"},
    {0},
};

#define SETTING_AT(member) offsetof(struct server_settings, member)

const struct opt serve_model_options[] = {
    {.name = "models",
     .kind = OPT_LIST,
     .flags = OPT_CONF | OPT_COMMAS,
     .offset = SETTING_AT(models),
     .arg = "NAMES",
     .group = "The model",
     .help = "models that clients may choose instead of --model"},
    {.name = "review",
     .kind = OPT_FLAG,
     .flags = OPT_CONF,
     .offset = SETTING_AT(common.review),
     .group = "The model",
     .help = "let the model read every program of every client, and run it only if the model finds "
             "it secure; with --model alone, clients may ask for that"},
    REVIEW_CACHE_ROW(SETTING_AT(no_review_cache)),
#undef AT
#define AT(member) SETTING_AT(model.member)
#include "llm/options.def"
#define AT(member) SETTING_AT(bounds.member)
#include "agent/options.def"
    {0},
};

#define AT(member) SETTING_AT(member)

const struct opt background_options[] = {
    {.name = "background",
     .kind = OPT_FLAG,
     .offset = AT(background),
     .group = "In the background",
     .excludes = "status,stop",
     .help = "start the daemon, return when it answers, and print its address and process"},
    {.name = "output",
     .kind = OPT_STRING,
     .flags = OPT_CONF,
     .offset = AT(output),
     .arg = "FILE",
     .group = "In the background",
     .help = "file for the messages of a daemon in the background; default: serve.log in "
             "$XDG_STATE_HOME/glovebox or ~/.local/state/glovebox"},
    {.name = "end-with",
     .kind = OPT_INT,
     .offset = AT(end_with),
     .arg = "PID",
     .group = "In the background",
     .min = 1,
     .max = INT32_MAX,
     .help = "stop as after SIGTERM when this process has ended, however it ended"},
    {.name = "status",
     .kind = OPT_FLAG,
     .offset = AT(status),
     .group = "In the background",
     .excludes = "background,stop",
     .help = "show the daemon that listens; exit status 1 if there is none"},
    {.name = "stop",
     .kind = OPT_FLAG,
     .offset = AT(stop),
     .group = "In the background",
     .excludes = "background,status",
     .help = "stop the daemon that listens, and wait until it has ended"},
    {.name = "json",
     .kind = OPT_FLAG,
     .offset = AT(json),
     .group = "In the background",
     .help = "--background, --status and --stop print JSON"},
    {0},
};

const struct opt ceiling_options[] = {
#define LIMIT(id, text, field, unit, value, most, ...)                                             \
    {.name = "max-" text,                                                                          \
     .kind = unit,                                                                                 \
     .flags = OPT_CONF,                                                                            \
     .offset = AT(ceilings[SETTING_##id]),                                                         \
     .arg = value,                                                                                 \
     .group = "Ceilings for requests (0: none)",                                                   \
     .initial = most,                                                                              \
     .help = "highest --" text " that a request may set"},
#include "request/request.def"
    {0},
};

const struct opt serve_general[] = {
    {.name = "print-config",
     .kind = OPT_FLAG,
     .offset = AT(print_config),
     .group = "General",
     .help = "print every setting and its source, start nothing"},
    {.name = "config",
     .kind = OPT_STRING,
     .offset = AT(config),
     .arg = "FILE",
     .group = "General",
     .help = "read this config file instead of the user's"},
    OPT_HELP_ROW(AT(help)),
    {.name = "quiet",
     .letter = 'q',
     .kind = OPT_FLAG,
     .flags = OPT_CONF,
     .offset = AT(quiet),
     .group = "General",
     .help = "print only errors"},
    {0},
};

/* Includes the settings of runs. */
static const struct opt *const serve_tables[] = {serve_options,
                                                 serve_model_options,
                                                 background_options,
                                                 ceiling_options,
                                                 serve_general,
                                                 work_options,
                                                 data_options,
                                                 wall_options,
                                                 policy_options,
                                                 guard_options,
                                                 limit_options,
                                                 log_options,
                                                 NULL};

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
    const char *named =
        config->settings.config ? config->settings.config : getenv("GLOVEBOX_CONFIG");
    bool is_named = named && *named;
    AUTO_FREE char *path = is_named ? xstrdup(named) : conf_user_path("glovebox");
    struct opt_conf conf = {.path = path,
                            .from = OPT_FROM_USER,
                            .optional = !is_named,
                            .section = on_section,
                            .ctx = config};

    if (path && opt_load_conf(&config->set, &conf, err) < 0)
        return -1;
    return language_check(&config->settings.common.languages, err);
}

/* Clients look for the daemon there (net/place.h). Sockets that systemd passes come first. */
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

static void note(void *ctx, const char *what)
{
    AUTO_FREE char *line = printable_text(str_from(what));

    (void)ctx;
    fprintf(stderr, "glovebox serve: review: %s\n", line);
}

/* A model in the user's config file may be meant for other commands: without a key for it, the
 * daemon has no reviewer. */
static int open_reviewer(struct config *config, struct err *err)
{
    const struct server_settings *s = &config->settings;
    const struct review_settings settings = {.model = &s->model,
                                             .log = s->common.log,
                                             .discreet = true,
                                             .no_cache = s->no_review_cache,
                                             .note = note};

    if (s->status || s->stop || s->print_config)
        return 0;
    if (s->common.review && !s->model.model)
        return err_set(err, ERR_USAGE, "--review needs a model: --model NAME");
    if (!s->model.model || review_open(&settings, &config->review, err) == 0)
        return 0;
    return s->common.review ? err_wrap(err, "--model") : 0;
}

static int make(struct config *config, int argc, char **argv, struct err *err)
{
    struct server_settings *s = &config->settings;

    if (opt_parse(&config->set, argc, argv, &config->args, err) < 0)
        return -1;
    s->common.sources = &config->set;
    if (s->help)
        return 0;
    if (config->args.operand_n || config->args.has_rest)
        return err_set(err, ERR_USAGE, "unexpected argument '%.60s': serve takes only options",
                       config->args.operand_n ? config->args.operands[0] : "--");
    if (s->json && !s->background && !s->status && !s->stop)
        return err_set(err, ERR_USAGE, "--json needs --background, --status or --stop");
    if (opt_load_env(&config->set, "GLOVEBOX", err) < 0 || load_usual_place(config, err) < 0 ||
        load_file(config, err) < 0 || permits_read(&s->allow, &config->rules.permits, err) < 0 ||
        settings_request(&s->common, &(struct run_request){0}, err) < 0)
        return -1;
    config->rules.defaults = &s->common;
    config->rules.manual = "/openapi.json";
    config->rules.images = &s->images;
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
    if (make(config, argc, argv, err) == 0)
        return config;
    config_drop(config);
    return NULL;
}

const struct mcp_service *config_mcp(struct config *config, struct err *err)
{
    int64_t idle_ms = config->settings.session_idle_ms;

    if (config->has_mcp)
        return &config->mcp;
    config->mcp_rules = config->rules;
    config->mcp_rules.manual = NULL;
    if (mcp_service_open(&config->mcp, &config->mcp_rules, NULL, idle_ms, err) < 0) {
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
    review_close(config->review);
    if (config->has_mcp)
        mcp_service_close(&config->mcp);
    settings_done(&config->settings.common);
    opt_args_done(&config->args);
    opt_done(&config->set);
    free(config);
}
