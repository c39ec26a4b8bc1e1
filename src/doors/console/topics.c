/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "console/help.h"
#include "jail/surroundings.h"
#include "languages/language.h"
#include "llm/provider.h"
#include "policy/policy.h"
#include "request/setting.h"

/* ---- parts made from tables ---- */

/* Calls back once per name for each option that has these flags and is in a group whose name begins
 * with `group` (NULL: any group). */
static void each_option(unsigned flags, const char *group, struct buf *b,
                        void (*add)(struct buf *b, const struct opt *row))
{
    const struct opt *seen[256];
    size_t n = 0;

    for (size_t i = 0; commands[i]; i++) {
        struct opt_walk walk = {0};
        const struct opt *row;
        while ((row = opt_next(command_tables(commands[i]), &walk))) {
            bool again = n == sizeof seen / sizeof seen[0];
            for (size_t j = 0; j < n && !again; j++)
                again = strcmp(seen[j]->name, row->name) == 0;
            if (again || row->flags & OPT_HIDDEN || (row->flags & flags) != flags ||
                (group && !str_starts(str_from(row->group), group)))
                continue;
            seen[n++] = row;
            add(b, row);
        }
    }
}

static void add_option_item(struct buf *b, const struct opt *row)
{
    const char *value = help_value_name(row);

    (void)buf_addf(b, "* --%s%s%s | ", row->name, value ? " " : "", value ? value : "");
    help_add_option(b, row);
    (void)buf_addc(b, '\n');
}

static void topics_add_name(struct buf *b, const struct opt *row)
{
    bool first = b->n >= 2 && b->p[b->n - 2] == ':';

    (void)buf_addf(b, "%s%s", first ? "" : ", ", row->name);
}

static void add_limits(struct buf *b)
{
    each_option(0, "Limits", b, add_option_item);
}

static void add_result_fields(struct buf *b)
{
    (void)buf_adds(b, "\n\n");
#define RESULT_ABOUT(names, text) (void)buf_adds(b, "* " names " | " text "\n");
#include "result/result.def"
    (void)buf_adds(b, "\nThe limits in limits_set:");
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (settings_all[i].ceiling)
            (void)buf_addf(b, "%s %s", b->p[b->n - 1] == ':' ? "" : ",", settings_all[i].field);
    (void)buf_adds(b, ".\n");
}

static void add_config_keys(struct buf *b)
{
    (void)buf_adds(b, "\n\nKeys that weaken the sandbox: ");
    each_option(OPT_CONF | OPT_LOOSENS, NULL, b, topics_add_name);
    (void)buf_adds(b, ".\n\nKeys that a project's file may only make stricter: ");
    each_option(OPT_CONF | OPT_ONLY_LOWER, NULL, b, topics_add_name);
    (void)buf_adds(b, ".\n\nAll keys: ");
    each_option(OPT_CONF, NULL, b, topics_add_name);
    (void)buf_adds(b, ".\n");
}

static void add_words(struct buf *b, const char *lead, const char *const *words)
{
    for (size_t i = 0; words && words[i]; i++)
        (void)buf_addf(b, "%s%s", i ? ", " : lead, words[i]);
}

static void topics_add_language(void *ctx, const struct language *language)
{
    struct buf *b = ctx;

    (void)buf_addf(b, "* %s | runs ", language->name);
    add_words(b, "", language->programs);
    add_words(b, "; files ", language->extensions);
    add_words(b, "; also called ", language->aliases);
    (void)buf_addc(b, '\n');
}

static void add_languages(struct buf *b)
{
    (void)buf_adds(b, "\n\n");
    language_each(NULL, topics_add_language, b);
}

static void add_profiles(struct buf *b)
{
    (void)buf_adds(b, "\n\nThe profiles that are built in:\n\n");
    for (const struct profile_info *p = profiles; p->name; p++)
        (void)buf_addf(b, "* %s | %s\n", p->name, p->summary);
}

static void add_layers(struct buf *b)
{
    (void)buf_adds(b, "\n\n");
    for (size_t i = 0; i < LAYER_COUNT; i++)
        (void)buf_addf(b, "* %s%s | %s. Without it: %s. To get it: %s\n", jail_layers[i].name,
                       jail_layers[i].essential ? " *" : "", jail_layers[i].does,
                       jail_layers[i].without, layer_how((enum jail_layer)i, ON_HOST));
}

static void add_providers(struct buf *b)
{
    (void)buf_adds(b, "\n\nProviders, their keys and the variables for another address:\n\n");
    for (const struct provider *p = providers; p->name; p++) {
        (void)buf_addf(b, "* %s | %s; keys: ", p->name, p->help);
        for (size_t i = 0; p->keys[i].variable; i++)
            (void)buf_addf(b, "%s%s", i ? ", " : "", p->keys[i].variable);
        add_words(b, "; address: ", p->variables);
        add_words(b, "; models: ", p->models);
        (void)buf_addf(b, "; %s\n", p->base);
    }
}

/* ---- topics ---- */

const struct topic help_topics[] = {
    {"install", "building and installing, and what the machine needs", NULL},
    {"python", "which Python runs a program", NULL},
    {"packages", "how a program gets numpy and other packages", NULL},
    {"network", "why a program has no network, and how to give it data", NULL},
    {"docker", "running in a container of Docker or Podman", NULL},
    {"exit-status", "the numbers that 'glovebox run' ends with", NULL},
    {"limits", "time, memory, processes, disk, output", add_limits},
    {"config", "config files, environment variables, and their order", add_config_keys},
    {"languages", "the languages of programs, and how to add one", add_languages},
    {"layers", "the layers of the sandbox", add_layers},
    {"sessions", "sessions, whose variables and files last from cell to cell", NULL},
    {"http", "the daemon for clients: address, token, requests, streams", NULL},
    {"notebooks", "the cells of a Jupyter notebook, and their outputs", NULL},
    {"results", "the fields of --json", add_result_fields},
    {"events", "following a run with --events", NULL},
    {"profiles", "the rules by which the guard checks a program", add_profiles},
    {"cases", "the cases of 'glovebox test': arguments and expected results", NULL},
    {"suites", "many candidates in one file, HumanEval and MBPP", NULL},
    {"models", "language models: providers, keys, prices, records", add_providers},
    {"secrets", "what a program sees of your keys, and how to give it one", NULL},
    {"security", "the attacks that the sandbox prevents, and those that it does not", NULL},
    {"containers", "Glovebox in docker, Kubernetes or a chroot: the layers there", NULL},
    {0},
};

const char *help_other_name(const char *name)
{
    static const char *const names[][2] = {
        {"api", "http"},
        {"daemon", "serve"},
        {"environment", "packages"},
        {"environments", "packages"},
        {"humaneval", "suites"},
        {"jupyter", "notebooks"},
        {"json", "results"},
        {"kubernetes", "containers"},
        {"mbpp", "suites"},
        {"openapi", "http"},
        {"pip", "packages"},
        {"podman", "docker"},
        {"virtualenv", "python"},
        {"venv", "python"},
        {"keys", "secrets"},
        {"passwords", "secrets"},
        {"internet", "network"},
        {"net", "network"},
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcasecmp(name, names[i][0]) == 0)
            return names[i][1];
    return name;
}
