/* SPDX-License-Identifier: Apache-2.0 */
#include "request/setting.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/suggestion.h"
#include "network/rules.h"
#include "options/user_file.h"
#include "python/python.h"
#include "request/limits.h"

const char *const setting_targets[] = {"auto", PYTHON_TARGETS, NULL};
const char *const setting_compares[] = {"exact", "tokens", "floats", "lines", NULL};
const char *const setting_calls[] = {"auto", "tools", "blocks", "builtin", NULL};
const char *const setting_styles[] = {"auto",      "default", "smolagents", "smolagents-json",
                                      "kodeagent", "adk",     "chapter",    NULL};
const char *const setting_values[] = {"profile", "notebook", "last", NULL};

#define OPTION(...) __VA_ARGS__
#define PLACED(text, unit, place)                                                                  \
    .name = (text), .kind = (unit), .offset = offsetof(struct settings, place)
#define SETTING(id, text, field, unit, option, row) {PLACED(text, unit, id), OPTION option},
#define LOCAL(id, text, unit, option, row)          {PLACED(text, unit, id), OPTION option},
#define TEXT(id, text, field, option, row)          {PLACED(text, OPT_STRING, id), OPTION option},
#define BOTH(id, text, field, unit, option, row)    {PLACED(text, unit, id), OPTION option},
#define NEGATION(id, text, field, of, option, row)  {PLACED(text, OPT_NEGATION, of), OPTION option},
#define INTO(id, text, field, unit, member, option, row)                                           \
    {PLACED(text, unit, member), OPTION option},
#define LIMIT(id, text, field, unit, value, most, whose, verbs, option)                            \
    {PLACED(text, unit, id), .flags = OPT_CONF | OPT_ONLY_LOWER, .arg = (value),                   \
     .group = "Limits (0: none)", OPTION option},
#define TABLE(name) const struct opt name##_options[] = {
#define TABLE_END                                                                                  \
    {                                                                                              \
        0                                                                                          \
    }                                                                                              \
    }                                                                                              \
    ;
#include "request/request.def"

static int on_section(void *ctx, const struct opt_source *source, const struct conf_item *item,
                      struct err *err)
{
    struct settings *settings = ctx;
    struct str section = item->section;

    if (str_is(section, "serve") && source->from != OPT_FROM_PROJECT)
        return 0; /* read by the daemon itself (server/settings.h) */
    if (!str_starts(section, "language.") || section.n <= 9)
        return err_set(err, ERR_USAGE, "there is no section [%.*s]; use [language.NAME]",
                       (int)section.n, section.p);
    return language_configure(&settings->languages, str_slice(section, 9, section.n), item,
                              source->from == OPT_FROM_PROJECT, err);
}

char *settings_user_file(const char *config, bool *ret_named)
{
    const char *named = config ? config : getenv("GLOVEBOX_CONFIG");

    *ret_named = named && *named;
    return *ret_named ? xstrdup(named) : user_file_config("glovebox.conf");
}

/* After sudo or setpriv, HOME is often another user's. */
static int blame_home(struct err *err)
{
    const char *home = getenv("HOME");
    struct stat st;

    if (err->sys != EACCES)
        return -1;
    bool foreign = home && stat(home, &st) == 0 && st.st_uid != geteuid();
    struct err why = *err;
    (void)err_set(err, ERR_SYSTEM, "%s; %s, or GLOVEBOX_CONFIG to a file that you can read",
                  why.msg,
                  foreign ? "$HOME is another user's folder: set it to your own"
                          : "make it readable, or set HOME to another folder");
    err->sys = why.sys;
    return -1;
}

static int load_files(struct settings *settings, struct opt_set *set, const char *config,
                      struct err *err)
{
    bool named;
    AUTO_FREE char *user = settings_user_file(config, &named);
    struct opt_conf conf = {
        .path = user,
        .from = OPT_FROM_USER,
        .optional = !named,
        .section = on_section,
        .ctx = settings,
    };

    if (user && opt_load_conf(set, &conf, err) < 0)
        return named ? -1 : blame_home(err);
    if (!config) {
        conf.path = "glovebox.conf";
        conf.from = OPT_FROM_PROJECT;
        conf.optional = true;
        if (opt_load_conf(set, &conf, err) < 0)
            return -1;
    }
    return language_check(&settings->languages, err);
}

int settings_load(struct settings *settings, struct opt_set *set, const char *config,
                  struct err *err)
{
    const char *named = config ? config : getenv("GLOVEBOX_CONFIG");

    settings->sources = set;
    settings->config_named = named && *named;
    if (opt_load_env(set, "GLOVEBOX", err) < 0)
        return -1;
    return load_files(settings, set, config, err);
}

void settings_done(struct settings *settings)
{
    language_table_done(&settings->languages);
}

static int parse_layers(const struct opt_list *list, layer_mask *ret, struct err *err)
{
    *ret = 0;
    for (size_t i = 0; i < list->n; i++) {
        layer_mask some;
        if (layers_parse(str_from(list->items[i]), &some, err) < 0)
            return -1;
        *ret |= some;
    }
    return 0;
}

/* The defaults are constant: they are computed once. */
static struct run_request defaults;

static void make_defaults(void)
{
    static const struct opt *const tables[] = {work_options,   data_options,  wall_options,
                                               policy_options, guard_options, limit_options,
                                               log_options,    NULL};
    struct settings settings = {0};
    struct opt_set set;
    struct err err;

    opt_init(&set, tables, &settings);
    (void)settings_request(&settings, &defaults, &err);
    defaults.program.language = defaults.place.backend = NULL;
    defaults.program.languages = NULL;
    opt_done(&set);
}

void run_request_init(struct run_request *request)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, make_defaults);
    *request = defaults;
}

static int check_layers(const struct run_request *q, struct err *err)
{
    for (unsigned i = 0; i < LAYER_COUNT; i++)
        if (q->place.required & q->place.without & LAYER_BIT(i))
            return err_set(err, ERR_USAGE, "--require and --without contradict each other: %s",
                           jail_layers[i].name);
    if (q->place.net_host && q->place.required & LAYER_BIT(LAYER_NETNS))
        return err_set(err, ERR_USAGE, "--net=host and --require=netns contradict each other");
    if (q->place.net_rules && q->place.without & LAYER_BIT(LAYER_NETNS))
        return err_set(err, ERR_USAGE, "--net=allow: and --without=netns contradict each other");
    return 0;
}

/* Hosts without NET_ALLOW before them: a plain word is more likely a misspelt mode. */
static bool looks_like_rules(struct str value)
{
    return str_starts(value, NET_ALLOW) || memchr(value.p, '.', value.n) ||
           memchr(value.p, ':', value.n) || memchr(value.p, '*', value.n);
}

/* The mode that was probably meant; or NULL. */
static const char *nearest_mode(struct str value)
{
    struct suggestion near = {.word = value};

    suggestion_try(&near, "none");
    suggestion_try(&near, "host");
    return near.best;
}

int network_read(const char *text, struct request_place *ret, struct err *err)
{
    struct str value = str_from(text);
    struct net_rules rules;

    ret->net_host = str_is(value, "host");
    ret->net_rules = NULL;
    if (value.n == 0 || ret->net_host || str_is(value, "none"))
        return 0;
    if (!looks_like_rules(value) && nearest_mode(value))
        return err_set(err, ERR_USAGE, "--net: there is no network '%.60s'; did you mean '%s'?",
                       text, nearest_mode(value));
    if (!looks_like_rules(value))
        return err_set(err, ERR_USAGE,
                       "--net: '%.60s' is no network: none, host, or allow:HOST,... as in "
                       "allow:api.example.com,10.1.2.3:5432",
                       text);
    if (net_rules_read(value, &rules, err) < 0)
        return err_wrap(err, "--net");
    net_rules_done(&rules);
    ret->net_rules = text;
    return 0;
}

const char *network_hosts(const char *rules)
{
    return str_starts(str_from(rules), NET_ALLOW) ? rules + strlen(NET_ALLOW) : rules;
}

/* A folder that is made would hide a misspelt path. */
static int check_log(const struct settings *s, struct err *err)
{
    bool given = s->lent ? settings_requested(s, SETTING_log) : settings_asked(s, SETTING_log);
    AUTO_FREE char *folder = given && s->log && *s->log ? user_file_missing_folder(s->log) : NULL;

    return folder ? err_set(err, ERR_USAGE, "--log: there is no folder '%.200s'", folder) : 0;
}

static enum opt_from source_of(const struct settings *s, enum setting_id id)
{
    const char *name = settings_all[id].opt.name;
    const struct opt_source *source = s->sources && name ? opt_source_of(s->sources, name) : NULL;

    return source ? source->from : OPT_FROM_DEFAULT;
}

bool settings_read_compare(struct settings *settings)
{
    for (int i = 0; settings->compare_given && setting_compares[i]; i++)
        if (strcmp(settings->compare_given, setting_compares[i]) == 0) {
            settings->compare = i;
            return true;
        }
    return !settings->compare_given;
}

bool settings_requested(const struct settings *settings, enum setting_id id)
{
    return settings->asked[id / 64] >> id % 64 & 1;
}

bool settings_asked(const struct settings *settings, enum setting_id id)
{
    return settings_requested(settings, id) || source_of(settings, id) != OPT_FROM_DEFAULT;
}

bool settings_given(const struct settings *settings, enum setting_id id)
{
    return settings_requested(settings, id) || source_of(settings, id) == OPT_FROM_COMMAND;
}

static const char *backend_of(const struct settings *s)
{
    return s->backend ? s->backend : "jail";
}

static bool is_for(const struct setting *row, const char *backend)
{
    size_t n = strlen(backend);

    for (const char *name = row->backends; name && *name; name += strspn(name, " ")) {
        size_t length = strcspn(name, " ");
        if (length == n && strncasecmp(name, backend, n) == 0)
            return true;
        name += length;
    }
    return !row->backends;
}

bool setting_counts(const struct settings *s, const struct setting *row)
{
    return is_for(row, backend_of(s)) || settings_given(s, row->of);
}

/* The template and the image become the same member of a request, so check the template before. */
static int check_template(const struct settings *s, struct err *err)
{
    const struct setting *row = &settings_all[SETTING_e2b_template];

    if (!s->e2b_template || !setting_counts(s, row) || is_for(row, backend_of(s)))
        return 0;
    return err_set(err, ERR_USAGE, "--e2b-template needs --backend=e2b; this is backend %s",
                   backend_of(s));
}

bool request_has_prelude(const struct run_request *request)
{
    return request->program.prelude || request->program.prelude_text.p;
}

const char *request_image(const struct run_request *request)
{
    return request->place.dockerfile          ? request->place.dockerfile
           : request->place.dockerfile_text.p ? "Dockerfile"
                                              : request->place.image;
}

static void copy_value(const struct setting *row, const struct settings *s, struct run_request *ret)
{
    const void *from = (const char *)s + row->opt.offset;
    void *to = (char *)ret + row->to;

    switch (row->opt.kind) {
    case OPT_FLAG:
        *(bool *)to = *(const bool *)from;
        break;
    case OPT_STRING: /* one member may have two rows */
        if (*(char *const *)from)
            *(const char **)to = *(char *const *)from;
        break;
    case OPT_LIST:
        *(char *const **)to = ((const struct opt_list *)from)->items;
        break;
    case OPT_INT:
    case OPT_DURATION:
        *(int64_t *)to = *(const int64_t *)from;
        break;
    case OPT_NEGATION:
    case OPT_SIZE:
    case OPT_MILLI:
    case OPT_CHOICE:
        break; /* no row with TO has these kinds */
    }
}

/* The time of the chapter's restricted mode, unless another one is asked for. */
enum { RESTRICTED_MS = 5000 };

static void set_profile_time(const struct settings *s, struct jail_limits *limits)
{
    bool restricted = s->profile && strcmp(s->profile, "restricted") == 0;

    if (restricted && !settings_asked(s, SETTING_timeout) && limits->wall_ms > RESTRICTED_MS)
        limits->wall_ms = RESTRICTED_MS;
}

static bool is_for_this(const struct settings *s, enum setting_id id)
{
    return s->lent ? settings_requested(s, id) : settings_given(s, id);
}

int settings_request(const struct settings *s, struct run_request *ret, struct err *err)
{
    *ret = (struct run_request){.program.stdin_fd = -1};
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (settings_all[i].has_to && setting_counts(s, &settings_all[i]))
            copy_value(&settings_all[i], s, ret);
    ret->program.languages = &s->languages;
    ret->program.python = s->python && *s->python ? s->python : NULL;
    limits_from_settings(s, &ret->limits);
    set_profile_time(s, &ret->limits);
    ret->asked = limits_asked(s);
    if (network_read(s->net, &ret->place, err) < 0)
        return -1;
    ret->place.packages_given = is_for_this(s, SETTING_pip) || is_for_this(s, SETTING_environment);
    ret->place.asked_no_net =
        !ret->place.net_host && !ret->place.net_rules && settings_asked(s, SETTING_net);
    ret->output_limit = s->output_limit ? s->output_limit : 1ULL << 30;
    ret->door.retries = (int)s->retries;
    ret->policy.no_check = !s->check;
    ret->policy.target = s->target ? PYTHON_OLDEST + (unsigned)s->target - 1 : 0;
    ret->program.prelude_text = s->prelude_text;
    ret->place.dockerfile_text = s->dockerfile_text;
    if (parse_layers(&s->require, &ret->place.required, err) < 0)
        return err_wrap(err, "--require");
    if (parse_layers(&s->without, &ret->place.without, err) < 0)
        return err_wrap(err, "--without");
    return check_template(s, err) < 0 || check_log(s, err) < 0 ? -1 : check_layers(ret, err);
}

enum { GIVEN_MAX = 1 << 20 };

void request_given(const struct run_request *request, struct buf *ret)
{
    buf_init(ret, GIVEN_MAX);
    for (char *const *at = request->workspace.data; at && *at; at++) {
        (void)buf_add_str(ret, str_slice(str_from(*at), 0, strcspn(*at, "=")));
        (void)buf_addc(ret, '\0');
    }
    for (size_t i = 0; i < request->workspace.value_count; i++) {
        (void)buf_add_str(ret, request->workspace.values[i].name);
        (void)buf_addc(ret, '\0');
    }
    if (ret->overflow) {
        buf_clear(ret);
        (void)buf_adds(ret, "*");
    }
}
