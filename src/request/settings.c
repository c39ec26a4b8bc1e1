/* SPDX-License-Identifier: Apache-2.0 */
#include "request/setting.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "python/python.h"
#include "request/limits.h"

const char *const setting_targets[] = {"auto", "3.11", "3.12", "3.13", "3.14", NULL};
const char *const setting_nets[] = {"none", "host", NULL};
const char *const setting_values[] = {"profile", "notebook", "last", NULL};

#define OPTION(...)     __VA_ARGS__
#define VALUE(id, unit) .kind = (unit), .offset = offsetof(struct settings, id)
#define SETTING(id, text, field, unit, option, row)                                                \
    {.name = (text), VALUE(id, unit), OPTION option},
#define LOCAL(id, text, unit, option, row) {.name = (text), VALUE(id, unit), OPTION option},
#define NEGATION(id, text, field, of, option, row)                                                 \
    {.name = (text), VALUE(of, OPT_NEGATION), OPTION option},
#define LIMIT(id, text, field, unit, value, most, whose, sessions, option)                         \
    {.name = (text),                                                                               \
     VALUE(id, unit),                                                                              \
     .flags = OPT_CONF | OPT_ONLY_LOWER,                                                           \
     .arg = (value),                                                                               \
     .group = "Limits (0: none)",                                                                  \
     OPTION option},
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
        return 0; /* the daemon's own (server/settings.h) */
    if (!str_starts(section, "language.") || section.n <= 9)
        return err_set(err, ERR_USAGE, "there is no section [%.*s]; use [language.NAME]",
                       (int)section.n, section.p);
    return language_configure(&settings->languages, str_slice(section, 9, section.n), item,
                              source->from == OPT_FROM_PROJECT, err);
}

/* Does the variable or the option name the user's file? Then it must exist. */
static char *user_file(const char *config, bool *ret_named)
{
    const char *named = config ? config : getenv("GLOVEBOX_CONFIG");

    *ret_named = named && *named;
    return *ret_named ? xstrdup(named) : conf_user_path("glovebox");
}

static int load_files(struct settings *settings, struct opt_set *set, const char *config,
                      struct err *err)
{
    bool named;
    AUTO_FREE char *user = user_file(config, &named);
    struct opt_conf conf = {
        .path = user,
        .from = OPT_FROM_USER,
        .optional = !named,
        .section = on_section,
        .ctx = settings,
    };

    if (user && opt_load_conf(set, &conf, err) < 0)
        return -1;
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

/* The defaults are a constant: they are made once. */
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
    defaults.language = defaults.backend = NULL;
    defaults.languages = NULL;
    opt_done(&set);
}

void run_request_init(struct run_request *request)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, make_defaults);
    *request = defaults;
}

static int check_layers(const struct settings *s, const struct run_request *q, struct err *err)
{
    bool json = s->asked >> SETTING_require & 1;

    for (unsigned i = 0; i < LAYER_COUNT; i++)
        if (q->required & q->without & LAYER_BIT(i))
            return err_set(err, ERR_USAGE,
                           json ? "'require' and 'without' contradict each other: %s"
                                : "--require and --without contradict each other: %s",
                           jail_layers[i].name);
    if (q->net_host && q->required & LAYER_BIT(LAYER_NETNS))
        return err_set(err, ERR_USAGE,
                       json ? "'net': 'host' and 'require': 'netns' contradict each other"
                            : "--net=host and --require=netns contradict each other");
    return 0;
}

bool settings_asked(const struct settings *settings, enum setting_id id)
{
    const struct opt_source *source =
        settings->sources ? opt_source_of(settings->sources, settings_all[id].opt.name) : NULL;

    return settings->asked >> id & 1 || (source && source->from != OPT_FROM_DEFAULT);
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

static bool is_given(const struct settings *s, enum setting_id id)
{
    const struct opt_source *source =
        s->sources ? opt_source_of(s->sources, settings_all[id].opt.name) : NULL;

    return s->asked >> id & 1 || (source && source->from == OPT_FROM_COMMAND);
}

bool setting_counts(const struct settings *s, const struct setting *row)
{
    return is_for(row, backend_of(s)) || is_given(s, setting_id_of(row));
}

/* A request has one member for the template and the image: later they look the same. */
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
    return request->prelude || request->prelude_text.p;
}

const char *request_image(const struct run_request *request)
{
    return request->dockerfile          ? request->dockerfile
           : request->dockerfile_text.p ? "Dockerfile"
                                        : request->image;
}

/* In the form that the user knows: "--require", or "'require'" of a request. */
static int blame(const struct settings *s, enum setting_id id, struct err *err)
{
    const struct setting *row = &settings_all[id];

    return s->asked >> id & 1 ? err_wrap(err, "'%s'", row->field)
                              : err_wrap(err, "--%s", row->opt.name);
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

int settings_request(const struct settings *s, struct run_request *ret, struct err *err)
{
    *ret = (struct run_request){.stdin_fd = -1};
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (settings_all[i].has_to && setting_counts(s, &settings_all[i]))
            copy_value(&settings_all[i], s, ret);
    ret->languages = &s->languages;
    ret->python = s->python && *s->python ? s->python : NULL;
    ret->net_host = s->net == 1;
    limits_from_settings(s, &ret->limits);
    ret->asked = limits_asked(s);
    ret->asked_no_net = s->net == 0 && settings_asked(s, SETTING_net);
    ret->output_limit = s->output_limit ? s->output_limit : 1ULL << 30;
    ret->retries = (int)s->retries;
    ret->no_check = !s->check;
    ret->target = s->target ? PYTHON_OLDEST + (unsigned)s->target - 1 : 0;
    ret->prelude_text = s->prelude_text;
    ret->dockerfile_text = s->dockerfile_text;
    if (parse_layers(&s->require, &ret->required, err) < 0)
        return blame(s, SETTING_require, err);
    if (parse_layers(&s->without, &ret->without, err) < 0)
        return blame(s, SETTING_without, err);
    return check_template(s, err) < 0 ? -1 : check_layers(s, ret, err);
}
