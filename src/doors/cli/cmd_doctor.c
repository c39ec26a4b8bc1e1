/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/backend.h"
#include "base/mem.h"
#include "cli/diagnose.h"
#include "cli/doctor_daemon.h"
#include "console/commands.h"
#include "console/options.h"
#include "formats/encoded.h"
#include "jail/surroundings.h"
#include "languages/pythons.h"
#include "registry/listing.h"
#include "registry/registry.h"
#include "report/print_json.h"
#include "terminal/colours.h"

enum { NAMES_COLUMN = 15, LINE_COLUMNS = 100 };

static const struct opt doctor_options[] = {
    {.name = "all",
     .kind = OPT_FLAG,
     .offset = offsetof(struct cli_settings, doctor_all),
     .group = "What to do",
     .help = "print what each layer does, each language, the path of each Python, and what each "
             "backend can "
             "do"},
    {.name = "clean",
     .kind = OPT_FLAG,
     .offset = offsetof(struct cli_settings, clean),
     .group = "What to do",
     .help =
         "only remove the containers and sandboxes that dead processes left in container engines "
         "and at E2B, and the images that were made for runs"},
    {0},
};

static const struct opt *const shown[] = {json_option, doctor_options, general_options, NULL};
/* The languages come from config files, which contain settings of other commands as well. */
static const struct opt *const tables[] = {
    json_option,  doctor_options, general_options, quiet_option,  work_options, data_options,
    wall_options, policy_options, guard_options,   limit_options, log_options,  NULL};

static const struct {
    const char *name, *text, *colour;
} states[] = {
    [LAYER_PRESENT] = {"present", "present", "\033[32m"},
    [LAYER_PARTIAL] = {"partial", "partial", "\033[33m"},
    [LAYER_ABSENT] = {"absent", "absent", "\033[31m"},
    [LAYER_UNTRIED] = {"untried", "not tried", "\033[33m"},
};

static void print_state(enum layer_state state)
{
    bool colour = terminal_colours(stdout);

    printf("%s%-9s%s", colour ? states[state].colour : "", states[state].text,
           colour ? "\033[0m" : "");
}

/* Prints a name in a list that is broken into lines; `column` is kept between calls, and begins
 * with NAMES_COLUMN. */
static void print_name(const char *name, int *column)
{
    if (*column > NAMES_COLUMN && *column + (int)strlen(name) >= LINE_COLUMNS) {
        printf("\n%*s", NAMES_COLUMN, "");
        *column = NAMES_COLUMN;
    }
    *column += printf("%s%s", *column > NAMES_COLUMN ? " " : "", name);
}

/* The names of all layers that are present. */
static void print_present(const struct diagnosis *d)
{
    int column = NAMES_COLUMN;

    fputs("  present      ", stdout);
    for (unsigned i = 0; i < LAYER_COUNT; i++)
        if (d->layers[i].state == LAYER_PRESENT)
            print_name(jail_layers[i].name, &column);
    putchar('\n');
}

static void print_layer(const struct layer_diagnosis *l, const char *name, const char *text)
{
    printf("  %-13s", name);
    print_state(l->state);
    printf("  %s%s%s%s\n", text, l->detail[0] ? " (" : "", l->detail, l->detail[0] ? ")" : "");
}

static void print_layers(const struct diagnosis *d)
{
    puts("Layers of the wall");
    print_present(d);
    for (unsigned i = 0; i < LAYER_COUNT; i++)
        if (d->layers[i].state != LAYER_PRESENT)
            print_layer(&d->layers[i], jail_layers[i].name, jail_layers[i].without);
}

static void print_whole_layers(const struct diagnosis *d)
{
    puts("Layers of the wall");
    for (unsigned i = 0; i < LAYER_COUNT; i++) {
        const struct layer_diagnosis *l = &d->layers[i];
        print_layer(l, jail_layers[i].name, jail_layers[i].does);
        if (l->state != LAYER_PRESENT)
            printf("  %24s  without it: %s\n", "", jail_layers[i].without);
    }
}

/* True for a missing layer; false for a layer that was not tried. */
static bool is_missing(const struct diagnosis *d, unsigned layer)
{
    return d->layers[layer].state == LAYER_PARTIAL || d->layers[layer].state == LAYER_ABSENT;
}

/* One remedy may provide many layers. */
static void print_way(const struct diagnosis *d, const char *how)
{
    fputs(" ", stdout);
    for (unsigned i = 0; i < LAYER_COUNT; i++)
        if (is_missing(d, i) && layer_how(i, d->where) == how)
            printf(" %s", jail_layers[i].name);
    printf("\n    %s\n", how);
}

static void print_ways(const struct diagnosis *d)
{
    unsigned printed = 0;

    for (unsigned i = 0; i < LAYER_COUNT; i++) {
        unsigned bit = 1u << jail_layers[i].means;
        if (!is_missing(d, i) || printed & bit)
            continue;
        if (!printed)
            printf("\nHow to get the missing layers (this is %s)\n", surroundings_title(d->where));
        printed |= bit;
        print_way(d, layer_how(i, d->where));
    }
}

static void print_language(const struct language_diagnosis *l)
{
    printf("  %-13s", l->name);
    print_state(l->problem ? LAYER_ABSENT : LAYER_PRESENT);
    if (l->problem)
        printf("  %s\n", l->problem);
    else
        printf("  %s (%s)\n", l->path, l->version ? l->version : "not tried");
}

/* The names of the languages without sessions that are present, or absent. */
static void print_other_languages(const struct diagnosis *d, bool present)
{
    int column = NAMES_COLUMN;

    for (size_t i = 0; i < d->language_count; i++) {
        const struct language_diagnosis *l = &d->languages[i];
        if (l->sessions || !l->problem != present)
            continue;
        if (column == NAMES_COLUMN)
            printf("  %-13s", present ? "present" : "absent");
        print_name(l->name, &column);
    }
    if (column > NAMES_COLUMN)
        puts(present ? "" : " (--all: how to get them)");
}

static void print_languages(const struct diagnosis *d, bool all)
{
    puts("\nLanguages");
    for (size_t i = 0; i < d->language_count; i++)
        if (all || d->languages[i].sessions)
            print_language(&d->languages[i]);
    if (all)
        return;
    print_other_languages(d, true);
    print_other_languages(d, false);
}

/* The purpose of a feature, and what it needs from a host in addition to a jail. */
static const struct early_start {
    const char *name, *does, *without, *how;
} early_starts[] = {
    {"warm", "runs of a daemon find an interpreter that has started already",
     "each run starts its own, which takes most of its time",
     "all namespaces and a private root (layers userns, pidns, mountns, ipcns, utsns, root)"},
    {"forks", "sessions can be forked, and cells tried",
     "'session fork', 'exec --try' and ':fork' are refused",
     "the same, the layers proc and seccomp, and Linux 5.14 or newer"},
    {"network", "--net allow: reaches an allowed host, and refuses another one",
     "--net allow: must not be used", "layer netns, and glovebox-net"},
};

static const struct early_diagnosis *early_of(const struct diagnosis *d, size_t i)
{
    return i == 0 ? &d->warm : i == 1 ? &d->forks : &d->names;
}

static void print_early(const struct diagnosis *d, bool all)
{
    puts("\nEarly starts, and the network by name (Python)");
    for (size_t i = 0; i < ARRAY_LEN(early_starts); i++) {
        const struct early_diagnosis *a = early_of(d, i);
        printf("  %-13s", early_starts[i].name);
        print_state(a->present ? LAYER_PRESENT : LAYER_ABSENT);
        printf("  %s%s%s%s\n", early_starts[i].does, a->detail[0] ? " (" : "", a->detail,
               a->detail[0] ? ")" : "");
        if (a->present || !all)
            continue;
        printf("  %24s  without it: %s\n", "", early_starts[i].without);
        printf("  %24s  to get it: %s\n", "", early_starts[i].how);
    }
}

static void print_ability(const struct backend *backend, enum backend_ability ability)
{
    struct backend_can can = backend->can(ability);

    if (can.why_not)
        printf("  %13s  without %s: %s\n", "", backend_ability_names[ability], can.why_not);
    else if (can.how)
        printf("  %13s  %s: %s\n", "", backend_ability_names[ability], can.how);
}

static void print_fact(const char *name, const json_t *value)
{
    const json_t *word;
    size_t i;

    printf("  %13s  ", "");
    for (; *name; name++)
        putchar(*name == '_' ? ' ' : *name);
    printf(": %s", json_is_string(value) ? json_string_value(value) : "");
    json_array_foreach(value, i, word) printf("%s%s", i ? ", " : "", json_string_value(word));
    putchar('\n');
}

static void print_about(const struct backend *backend)
{
    json_t *about = backend->about ? backend->about() : NULL, *value;
    const char *name;

    json_object_foreach(about, name, value) print_fact(name, value);
    json_decref(about);
}

static void print_whole_backend(const struct backend *backend)
{
    printf("  %-14s %s\n", backend->name, backend->summary);
    print_about(backend);
    for (unsigned ability = 0; ability < BACKEND_ABILITIES; ability++)
        print_ability(backend, ability);
}

static void print_backends(void)
{
    puts("\nBackends ('glovebox doctor NAME' prints what one can do, --all prints everything)");
    for (size_t i = 0; backends[i]; i++) {
        const char *why_not = backends[i]->can(CAN_RUN).why_not;
        printf("  %-13s", backends[i]->name);
        print_state(why_not ? LAYER_ABSENT : LAYER_PRESENT);
        printf("  %s\n", why_not ? why_not : backends[i]->summary);
    }
}

static void print_whole_backends(void)
{
    puts("\nBackends");
    for (size_t i = 0; backends[i]; i++)
        print_whole_backend(backends[i]);
}

/* The limits that control groups enforce, and what remains of them without control groups. */
static const struct limit {
    enum jail_layer layer;
    const char *without; /* one word, for programs that read JSON */
    const char *means;
} limits[] = {
    {LAYER_MEMORY, "watched",
     "is watched from outside: a program can exceed it for some milliseconds before it is killed"},
    {LAYER_PIDS, "rlimit", "is held by RLIMIT_NPROC, which counts the processes of a user"},
    {LAYER_CPU, "none", "does not bind: a program may use every processor, not just one"},
};

static bool is_held(const struct diagnosis *d, const struct limit *limit)
{
    return d->layers[limit->layer].state == LAYER_PRESENT;
}

static void print_limits(const struct diagnosis *d)
{
    puts("\nLimits that no control group holds here:");
    for (size_t i = 0; i < ARRAY_LEN(limits); i++)
        if (!is_held(d, &limits[i]))
            printf("  %-13s%s\n", jail_layers[limits[i].layer].name, limits[i].means);
    puts("Use --require memory,pids,cpu to refuse such runs.");
}

static bool holds_limits(const struct diagnosis *d)
{
    for (size_t i = 0; i < ARRAY_LEN(limits); i++)
        if (!is_held(d, &limits[i]))
            return false;
    return true;
}

static json_t *limits_json(const struct diagnosis *d)
{
    json_t *doc = json_object();

    for (size_t i = 0; i < ARRAY_LEN(limits); i++)
        json_object_set_new(doc, jail_layers[limits[i].layer].name,
                            json_string(is_held(d, &limits[i]) ? "group"
                                        : d->runs              ? limits[i].without
                                                               : "none"));
    return doc;
}

static bool is_complete(const struct diagnosis *d)
{
    for (unsigned i = 0; i < LAYER_COUNT; i++)
        if (d->layers[i].state != LAYER_PRESENT)
            return false;
    return d->runs;
}

static void print_incomplete(const struct diagnosis *d)
{
    fputs("\nNot every layer holds. Less than the whole:", stdout);
    for (unsigned i = 0; i < LAYER_COUNT; i++)
        if (d->layers[i].state != LAYER_PRESENT)
            printf(" %s", jail_layers[i].name);
    puts(d->holds ? ".\nThe layers of the default policy hold (--require default); --require all "
                    "refuses to run here."
                  : ".\nPrograms run, but the default policy does not hold: --require default "
                    "refuses such runs.");
}

static void print_verdict(const struct diagnosis *d)
{
    if (!d->runs)
        printf("\nNothing runs here: %s\n", d->why);
    else if (is_complete(d))
        puts("\nThe default policy holds, with every layer.");
    else {
        print_incomplete(d);
        if (!holds_limits(d))
            print_limits(d);
    }
}

static json_t *early_json(const struct diagnosis *d)
{
    json_t *list = json_array();

    for (size_t i = 0; i < ARRAY_LEN(early_starts); i++) {
        const struct early_diagnosis *a = early_of(d, i);
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:o, s:s, s:s}", "name", early_starts[i].name, "state",
                            states[a->present ? LAYER_PRESENT : LAYER_ABSENT].name, "does",
                            early_starts[i].does, "detail", json_text_or_null(str_from(a->detail)),
                            "without", early_starts[i].without, "how", early_starts[i].how));
    }
    return list;
}

static void add_python(void *ctx, unsigned minor, const char *path)
{
    AUTO_FREE char *version = xasprintf("3.%u", minor);

    json_array_append_new(ctx, json_pack("{s:s, s:s}", "version", version, "path", path));
}

static json_t *pythons_json(void)
{
    json_t *list = json_array();

    pythons_each(add_python, list);
    return list;
}

static void print_python(void *ctx, unsigned minor, const char *path)
{
    (void)ctx;
    printf("  3.%-11u%s\n", minor, path);
}

static void print_version(void *ctx, unsigned minor, const char *path)
{
    (void)ctx;
    (void)path;
    printf(" 3.%u", minor);
}

static void print_pythons(bool all)
{
    if (all) {
        puts("\nPythons that --python can name by version:");
        pythons_each(print_python, NULL);
        return;
    }
    fputs("  --python     names one by version:", stdout);
    pythons_each(print_version, NULL);
    putchar('\n');
}

static const char *why_missing(const struct diagnosis *d, unsigned layer)
{
    if (d->layers[layer].detail[0])
        return d->layers[layer].detail;
    return d->runs ? "this host does not have it" : d->why;
}

static void print_diagnosis(const struct diagnosis *d, const char *config)
{
    json_t *doc = json_object(), *layers = json_array(), *languages = json_array();
    json_t *missing = json_array();

    for (unsigned i = 0; i < LAYER_COUNT; i++)
        json_array_append_new(
            layers, json_pack("{s:s, s:s, s:b, s:s, s:o, s:s, s:s}", "name", jail_layers[i].name,
                              "state", states[d->layers[i].state].name, "essential",
                              jail_layers[i].essential, "does", jail_layers[i].does, "detail",
                              json_text_or_null(str_from(d->layers[i].detail)), "without",
                              jail_layers[i].without, "how", layer_how(i, d->where)));
    for (unsigned i = 0; i < LAYER_COUNT; i++)
        if (d->layers[i].state != LAYER_PRESENT)
            json_array_append_new(missing, json_pack("{s:s, s:s}", "layer", jail_layers[i].name,
                                                     "why", why_missing(d, i)));
    for (size_t i = 0; i < d->language_count; i++) {
        const struct language_diagnosis *l = &d->languages[i];
        json_array_append_new(languages,
                              json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", l->name, "state",
                                        l->problem ? "absent" : "present", "path",
                                        json_text_or_null(str_from(l->path)), "version",
                                        json_text_or_null(str_from(l->version)), "problem",
                                        json_text_or_null(str_from(l->problem))));
    }
    json_object_set_new(doc, "version", json_string(GLOVEBOX_VERSION));
    json_object_set_new(doc, "place", json_string(surroundings_name(d->where)));
    json_object_set_new(doc, "runs", json_boolean(d->runs));
    json_object_set_new(doc, "holds", json_boolean(d->holds));
    json_object_set_new(doc, "limits", limits_json(d));
    json_object_set_new(doc, "complete", json_boolean(is_complete(d)));
    json_object_set_new(doc, "missing", missing);
    json_object_set_new(doc, "problem", json_text_or_null(str_from(d->why)));
    json_object_set_new(doc, "layers", layers);
    json_object_set_new(doc, "languages", languages);
    json_object_set_new(doc, "pythons", pythons_json());
    json_object_set_new(doc, "early", early_json(d));
    json_object_set_new(doc, "daemon", doctor_daemon_json(config));
    json_object_set_new(doc, "backends", backends_listing());
    print_json(doc);
}

static int doctor(const struct cli_settings *settings)
{
    struct diagnosis d;

    diagnose(&settings->common.languages, &d);
    if (settings->json) {
        print_diagnosis(&d, settings->config);
    } else {
        bool all = settings->doctor_all;
        (all ? print_whole_layers : print_layers)(&d);
        print_ways(&d);
        print_languages(&d, all);
        print_pythons(all);
        print_early(&d, all);
        doctor_daemon_print(settings->config);
        (all ? print_whole_backends : print_backends)();
        print_verdict(&d);
    }
    int status = is_complete(&d) ? 0 : 1;
    diagnosis_done(&d);
    return status;
}

/* Returns the exit status. A missing engine has nothing to clean, and is not a failure. */
static int clean(void)
{
    for (size_t i = 0; backends[i]; i++) {
        AUTO_FREE char *said = NULL;
        struct err err;
        if (!backends[i]->clean)
            continue;
        int result = backends[i]->clean(&said, &err);
        if (result < 0 && err.kind != ERR_UNSUPPORTED)
            return cli_fail("doctor", &err);
        printf("%s: %s\n", backends[i]->name, result == 0 ? said : err.msg);
    }
    return 0;
}

static int print_named_backends(const struct opt_args *args, struct err *err)
{
    for (size_t i = 0; i < args->operand_n; i++) {
        const struct backend *backend = backend_find(str_from(args->operands[i]), err);
        if (!backend)
            return -1;
        print_whole_backend(backend);
    }
    return 0;
}

static int doctor_perform(struct cli_options *options, struct err *err)
{
    const struct cli_settings *settings = &options->settings;

    if (options->args.operand_n && (settings->json || settings->clean || settings->doctor_all))
        return err_set(err, ERR_USAGE, "a backend's name cannot be combined with other options");
    if (options->args.operand_n)
        return print_named_backends(&options->args, err);
    if (options->settings.clean && options->settings.json)
        return err_set(
            err, ERR_USAGE,
            "--clean cannot be combined with --json: it prints one line for each backend");
    return options->settings.clean ? clean() : doctor(&options->settings);
}

const struct command command_doctor = {
    .name = "doctor",
    .summary = "what this machine supports: layers, languages, warm runs, forks",
    .usage = "glovebox doctor [BACKEND... | --all | --json | --clean]",
    .tables = shown,
    .reads = tables,
    .perform = doctor_perform,
};
