/* SPDX-License-Identifier: Apache-2.0 */
#include "session/settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "python/python.h"

#define AT(member) offsetof(struct settings, member)

static const char *const targets[] = {"auto", "3.11", "3.12", "3.13", "3.14", NULL};
static const char *const nets[] = {"none", "host", NULL};

const struct opt work_options[] = {
    {.name = "lang",
     .letter = 'l',
     .kind = OPT_STRING,
     .flags = OPT_CONF,
     .offset = AT(lang),
     .arg = "NAME",
     .group = "What to run",
     .initial = "auto",
     .help = "language; auto looks at the extension, the #! line and the text"},
    {.name = "file",
     .letter = 'f',
     .kind = OPT_LIST,
     .offset = AT(files),
     .arg = "SRC[:NAME]",
     .group = "What to run",
     .help = "put a file or folder into the workspace; may be repeated"},
    {.name = "out",
     .letter = 'o',
     .kind = OPT_STRING,
     .offset = AT(out),
     .arg = "DIR",
     .group = "What to run",
     .help = "copy new and changed files here"},
    {.name = "work-dir",
     .letter = 'w',
     .kind = OPT_STRING,
     .offset = AT(work_dir),
     .arg = "DIR",
     .group = "What to run",
     .help = "use this folder as the workspace and keep it between runs"},
    {.name = "env",
     .letter = 'e',
     .kind = OPT_LIST,
     .flags = OPT_LOOSENS,
     .offset = AT(env),
     .arg = "K=V",
     .group = "What to run",
     .help = "set a variable in the program's environment (K alone passes yours on)"},
    {.name = "data",
     .kind = OPT_LIST,
     .offset = AT(data),
     .arg = "NAME=FILE.json",
     .group = "Data and context",
     .help = "bind a variable of a Python or JavaScript program to what is in a JSON file; may be "
             "repeated"},
    {.name = "optimize-data",
     .kind = OPT_FLAG,
     .flags = OPT_CONF | OPT_LOOSENS,
     .offset = AT(optimize_data),
     .group = "Data and context",
     .help = "before a Python program: read the CSV files among its inputs into variables, and "
             "print what is in their columns"},
    {.name = "context",
     .kind = OPT_STRING,
     .offset = AT(context),
     .arg = "FILE",
     .group = "Data and context",
     .help = "a JSON document of an agent's session: its input files are put in, the result is "
             "added, errors are counted; made when there is none"},
    {.name = "invocation",
     .kind = OPT_STRING,
     .offset = AT(invocation),
     .arg = "ID",
     .group = "Data and context",
     .help = "whose errors and results these are in the context; after --retries and one more, "
             "nothing is run for it any more"},
    {.name = "execution-id",
     .kind = OPT_STRING,
     .offset = AT(execution_id),
     .arg = "ID",
     .group = "Data and context",
     .help = "note this id in the context"},
    {0},
};

const struct opt wall_options[] = {
    {.name = "backend",
     .letter = 'b',
     .kind = OPT_STRING,
     .flags = OPT_CONF | OPT_LOOSENS,
     .offset = AT(backend),
     .arg = "NAME",
     .group = "The wall",
     .initial = "jail",
     .help = "where to run: jail, or host (no wall at all)"},
    {.name = "net",
     .kind = OPT_CHOICE,
     .flags = OPT_CONF | OPT_LOOSENS,
     .offset = AT(net),
     .arg = "MODE",
     .group = "The wall",
     .choices = nets,
     .help = "network: none, or host for the host's own"},
    {.name = "ro",
     .kind = OPT_LIST,
     .flags = OPT_CONF | OPT_LOOSENS,
     .offset = AT(ro),
     .arg = "SRC[:DST]",
     .group = "The wall",
     .help = "show a host file or folder inside, read-only; may be repeated"},
    {.name = "require",
     .kind = OPT_LIST,
     .flags = OPT_CONF | OPT_ONLY_LOWER,
     .offset = AT(require),
     .arg = "LAYER",
     .group = "The wall",
     .help = "refuse to run without this layer (125); 'default' and 'all' name several; 'glovebox "
             "help layers'"},
    {.name = "without",
     .kind = OPT_LIST,
     .flags = OPT_LOOSENS,
     .offset = AT(without),
     .arg = "LAYER",
     .group = "The wall",
     .help = "leave a layer out, to find out which one is in the way (needs --allow-unsafe)"},
    {.name = "allow-unsafe",
     .kind = OPT_FLAG,
     .flags = OPT_LOOSENS,
     .offset = AT(allow_unsafe),
     .group = "The wall",
     .help = "agree to run with less than the whole wall"},
    {.name = "no-daemon",
     .kind = OPT_FLAG,
     .flags = OPT_CONF,
     .offset = AT(no_daemon),
     .group = "The wall",
     .help = "run it in this process, even where a daemon runs"},
    {.name = "cold",
     .kind = OPT_FLAG,
     .flags = OPT_CONF,
     .offset = AT(cold),
     .group = "The wall",
     .help = "make the jail from nothing, even where one is ready"},
    {0},
};

/* Only forbid-imports can do no harm in a project's file: a looser profile would, a stricter one
 * cannot be told from it, and a prelude is not looked at for patterns. */
const struct opt policy_options[] = {
    {.name = "profile",
     .letter = 'p',
     .kind = OPT_STRING,
     .flags = OPT_CONF | OPT_LOOSENS,
     .offset = AT(profile),
     .arg = "NAME|FILE",
     .group = "The guard",
     .help = "what a program may be and use: a profile, or a policy file; standard, or host on "
             "that backend ('glovebox check --list-profiles')"},
    {.name = "allow-imports",
     .kind = OPT_LIST,
     .flags = OPT_CONF | OPT_LOOSENS,
     .offset = AT(allow_imports),
     .arg = "NAMES",
     .group = "The guard",
     .help = "modules that may be imported as well: a,b.*; may be repeated"},
    {.name = "forbid-imports",
     .kind = OPT_LIST,
     .flags = OPT_CONF | OPT_ONLY_LOWER,
     .offset = AT(forbid_imports),
     .arg = "NAMES",
     .group = "The guard",
     .help = "modules that may not be imported; may be repeated"},
    {.name = "target",
     .kind = OPT_CHOICE,
     .flags = OPT_CONF,
     .offset = AT(target),
     .arg = "VERSION",
     .group = "The guard",
     .choices = targets,
     .help = "the Python whose syntax holds: 3.11 to 3.14; auto is the interpreter's, else the "
             "newest"},
    {.name = "prelude",
     .kind = OPT_STRING,
     .flags = OPT_CONF | OPT_LOOSENS,
     .offset = AT(prelude),
     .arg = "FILE",
     .group = "The guard",
     .help = "text of yours that comes before the program, with an empty line between; it may use "
             "what the program may not"},
    {0},
};

const struct opt guard_options[] = {
    {.name = "check",
     .kind = OPT_FLAG,
     .flags = OPT_CONF | OPT_LOOSENS,
     .offset = AT(check),
     .initial = "true",
     .group = "The guard",
     .help = "read the program before it runs, and refuse it where the profile says so (as is done "
             "anyway)"},
    {.name = "no-check",
     .kind = OPT_NEGATION,
     .flags = OPT_CONF | OPT_LOOSENS,
     .offset = AT(check),
     .group = "The guard",
     .help = "run the program unread"},
    {0},
};

const struct opt limit_options[] = {
    {.name = "timeout",
     .letter = 't',
     .kind = OPT_DURATION,
     .flags = OPT_CONF | OPT_ONLY_LOWER,
     .offset = AT(timeout_ms),
     .arg = "TIME",
     .group = "Limits (0: none)",
     .initial = "30s",
     .help = "wall clock, for the whole tree of processes"},
    {.name = "cpu-time",
     .kind = OPT_DURATION,
     .flags = OPT_CONF | OPT_ONLY_LOWER,
     .offset = AT(cpu_time_ms),
     .arg = "TIME",
     .group = "Limits (0: none)",
     .initial = "0s",
     .help = "processor time, for the whole tree"},
    {.name = "memory",
     .letter = 'm',
     .kind = OPT_SIZE,
     .flags = OPT_CONF | OPT_ONLY_LOWER,
     .offset = AT(memory),
     .arg = "SIZE",
     .group = "Limits (0: none)",
     .initial = "512m",
     .help = "memory of the whole tree, its files in /tmp and the workspace included"},
    {.name = "cpus",
     .kind = OPT_MILLI,
     .flags = OPT_CONF | OPT_ONLY_LOWER,
     .offset = AT(cpus_milli),
     .arg = "N",
     .group = "Limits (0: none)",
     .initial = "1.0",
     .max = 4096000,
     .help = "share of the processors, such as 0.5"},
    {.name = "pids",
     .kind = OPT_INT,
     .flags = OPT_CONF | OPT_ONLY_LOWER,
     .offset = AT(pids),
     .arg = "N",
     .group = "Limits (0: none)",
     .initial = "64",
     .max = 4194304,
     .help = "processes and threads at one time"},
    {.name = "disk",
     .kind = OPT_SIZE,
     .flags = OPT_CONF | OPT_ONLY_LOWER,
     .offset = AT(disk),
     .arg = "SIZE",
     .group = "Limits (0: none)",
     .initial = "256m",
     .help = "workspace, /tmp and /dev/shm together"},
    {.name = "inodes",
     .kind = OPT_INT,
     .flags = OPT_CONF | OPT_ONLY_LOWER,
     .offset = AT(inodes),
     .arg = "N",
     .group = "Limits (0: none)",
     .initial = "65536",
     .max = 1 << 30,
     .help = "files and folders in them"},
    {.name = "open-files",
     .kind = OPT_INT,
     .flags = OPT_CONF | OPT_ONLY_LOWER,
     .offset = AT(open_files),
     .arg = "N",
     .group = "Limits (0: none)",
     .initial = "768", /* and 253 that one more message may hold are fewer than the usual 1024 */
     .max = 1048576,
     .help = "open descriptors of one process"},
    {.name = "output-limit",
     .kind = OPT_SIZE,
     .flags = OPT_CONF | OPT_ONLY_LOWER,
     .offset = AT(output_limit),
     .arg = "SIZE",
     .group = "Limits (0: none)",
     .initial = "1m",
     .max = 1LL << 30,
     .help = "the result (--json, the log) keeps so much of each output stream, half from its "
             "beginning, half from its end; what is streamed to a terminal, a pipe or a file is "
             "complete, and only --timeout ends a program that never stops printing"},
    {.name = "retries",
     .kind = OPT_INT,
     .flags = OPT_CONF,
     .offset = AT(retries),
     .arg = "N",
     .group = "Retries",
     .initial = "2",
     .max = 100,
     .help = "try again when the failure is ours, never when it is the program's"},
    {.name = "retry-delay",
     .kind = OPT_DURATION,
     .flags = OPT_CONF,
     .offset = AT(retry_delay_ms),
     .arg = "TIME",
     .group = "Retries",
     .initial = "1s",
     .max = 60000,
     .help = "wait between tries"},
    {0},
};

const struct opt log_options[] = {
    {.name = "log",
     .kind = OPT_STRING,
     .flags = OPT_CONF | OPT_LOOSENS,
     .offset = AT(log),
     .arg = "FILE",
     .group = "Log",
     .help = "where runs are written down, or off; 'glovebox log path' tells the default"},
    {.name = "log-code",
     .kind = OPT_FLAG,
     .flags = OPT_CONF | OPT_LOOSENS,
     .offset = AT(log_code),
     .group = "Log",
     .help = "keep the program's text in the log too"},
    {0},
};

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

/* Does the variable or the option name the user's file? Then it has to be there. */
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
    settings->sources = set;
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

static int check_layers(const struct run_request *q, struct err *err)
{
    for (unsigned i = 0; i < LAYER_COUNT; i++)
        if (q->required & q->without & LAYER_BIT(i))
            return err_set(err, ERR_USAGE, "--require %s and --without %s contradict each other",
                           jail_layers[i].name, jail_layers[i].name);
    if (q->net_host && q->required & LAYER_BIT(LAYER_NETNS))
        return err_set(err, ERR_USAGE, "--net host and --require netns contradict each other");
    return 0;
}

bool settings_asked(const struct settings *settings, const char *name)
{
    const struct opt_source *source =
        settings->sources ? opt_source_of(settings->sources, name) : NULL;

    return source && source->from != OPT_FROM_DEFAULT;
}

static unsigned asked_limits(const struct settings *s)
{
    return (settings_asked(s, "cpus") ? (unsigned)ASKED_CPUS : 0) |
           (settings_asked(s, "pids") ? (unsigned)ASKED_PIDS : 0) |
           (settings_asked(s, "inodes") ? (unsigned)ASKED_INODES : 0) |
           (settings_asked(s, "net") && s->net == 0 ? (unsigned)ASKED_NO_NET : 0);
}

int settings_request(const struct settings *s, struct run_request *ret, struct err *err)
{
    run_request_init(ret);
    ret->language = s->lang;
    ret->languages = &s->languages;
    ret->files = s->files.items;
    ret->env = s->env.items;
    ret->ro = s->ro.items;
    ret->work_dir = s->work_dir;
    ret->out_dir = s->out;
    ret->backend = s->backend;
    ret->allow_unsafe = s->allow_unsafe;
    ret->net_host = s->net == 1;
    ret->limits = (struct jail_limits){
        .wall_ms = s->timeout_ms,
        .cpu_ms = s->cpu_time_ms,
        .memory_bytes = s->memory,
        .disk_bytes = s->disk,
        .inodes = (uint64_t)s->inodes,
        .pids = (uint32_t)s->pids,
        .cpu_milli = (uint32_t)s->cpus_milli,
        .open_files = (uint32_t)s->open_files,
    };
    ret->asked = asked_limits(s);
    ret->output_limit = s->output_limit ? s->output_limit : 1ULL << 30;
    ret->retries = (int)s->retries;
    ret->retry_delay_ms = s->retry_delay_ms;
    ret->cold = s->cold;
    ret->no_check = !s->check;
    ret->profile = s->profile;
    ret->allow_imports = s->allow_imports.items;
    ret->forbid_imports = s->forbid_imports.items;
    ret->target = s->target ? PYTHON_OLDEST + (unsigned)s->target - 1 : 0;
    ret->prelude = s->prelude;
    ret->data = s->data.items;
    ret->optimize_data = s->optimize_data;
    ret->context = s->context;
    ret->invocation = s->invocation;
    ret->execution_id = s->execution_id;
    ret->log = s->log;
    ret->log_code = s->log_code;
    if (parse_layers(&s->require, &ret->required, err) < 0)
        return err_wrap(err, "--require");
    if (parse_layers(&s->without, &ret->without, err) < 0)
        return err_wrap(err, "--without");
    return check_layers(ret, err);
}
