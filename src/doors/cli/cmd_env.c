/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox env`: makes, lists and removes environments.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/suggestion.h"
#include "console/commands.h"
#include "console/options.h"
#include "console/other_words.h"
#include "environments/environments.h"
#include "environments/lock.h"
#include "environments/requirement.h"
#include "report/print_json.h"
#include "terminal/cancel.h"

enum { LIST_MAX = 4 << 20, DAMAGED = 1 };

struct env_settings {
    struct opt_list pip;
    char *requirements, *python;
    int64_t keep;
    bool json, offline, fresh, allow_builds;
    struct opt_help help;
};

#define AT(field) offsetof(struct env_settings, field)

static const struct opt options[] = {
    {.name = "pip",
     .kind = OPT_LIST,
     .offset = AT(pip),
     .arg = "PACKAGES",
     .group = "Create",
     .help = "packages: 'numpy, pandas>=2;requests', as PEP 508 writes them; may be repeated"},
    {.name = "requirements",
     .letter = 'r',
     .kind = OPT_STRING,
     .offset = AT(requirements),
     .arg = "FILE",
     .group = "Create",
     .help = "the packages that a file lists, with or without hashes; 'env export' writes one"},
    {.name = "python",
     .kind = OPT_STRING,
     .offset = AT(python),
     .arg = "VERSION|PATH",
     .group = "Create",
     .help = "the Python to make it from: 3.12, or a program's path"},
    {.name = "offline",
     .kind = OPT_FLAG,
     .offset = AT(offline),
     .group = "Create",
     .help = "use only what is stored already"},
    {.name = "allow-builds",
     .kind = OPT_FLAG,
     .flags = OPT_HIDDEN,
     .offset = AT(allow_builds),
     .group = "Create",
     .help = "build packages that have no wheel"},
    {.name = "keep",
     .kind = OPT_SIZE,
     .offset = AT(keep),
     .arg = "SIZE",
     .group = "Prune",
     .initial = "10g",
     .help = "remove the longest unused until the store is not larger than SIZE"},
    JSON_ROW(AT(json), "print one JSON document"),
    OPT_HELP_ROWS(AT(help)),
    {0},
};

static const struct opt *const tables[] = {options, NULL};

struct call {
    const struct env_settings *set;
    const char *name;
};

/* ---- create ---- */

static void show_line(void *ctx, const char *line)
{
    (void)ctx;
    fprintf(stderr, "glovebox env: %s\n", line);
}

/* The packages of the options, or of the set with this name. */
static int read_wanted(const struct call *call, char ***ret, char ***ret_hashes, struct err *err)
{
    const struct env_settings *set = call->set;
    AUTO_BUF struct buf file = {0}, list = {0};
    const char *usual = set->pip.n || set->requirements ? NULL : env_set(call->name);
    size_t n = 0;

    buf_init(&file, LIST_MAX);
    buf_init(&list, LIST_MAX);
    if (set->requirements && (fd_read_file(set->requirements, &file, err) < 0 ||
                              env_lock_read(buf_str(&file), &list, ret_hashes, err) < 0))
        return err_wrap(err, "--requirements");
    AUTO_FREE char **texts = xcalloc(set->pip.n + 3, sizeof *texts);
    for (size_t i = 0; i < set->pip.n; i++)
        texts[n++] = set->pip.items[i];
    if (usual)
        texts[n++] = (char *)usual;
    texts[n] = list.p;
    return requirements_read(texts, ret, err) < 0 ? -1 : env_check_named(*ret, err);
}

static int run_create(const struct call *call, struct err *err)
{
    const struct env_settings *set = call->set;
    char **wanted = NULL, **hashes = NULL;
    struct env_used used = ENV_USED_NONE;
    int stop[2] = {-1, -1};

    if (set->allow_builds)
        return err_set(err, ERR_UNSUPPORTED,
                       "--allow-builds: packages are not built here; only wheels are used");
    if (cancel_catch_signals(stop, err) < 0)
        return -1;
    int result = read_wanted(call, &wanted, &hashes, err);
    const struct env_want want = {.requirements = wanted,
                                  .hashes = hashes,
                                  .python = set->python,
                                  .offline = set->offline,
                                  .fresh = !set->offline};
    const struct env_watch watch = {show_line, NULL, stop[0]};
    if (result == 0)
        result = env_make(&want, &watch, &used, err);
    if (result == 0)
        result = env_name(call->name, used.id, err);
    requirements_done(wanted);
    requirements_done(hashes);
    json_t *about = result == 0 ? env_describe(call->name, err) : NULL;
    env_close(&used);
    if (!about)
        return -1;
    if (set->json)
        return print_json(about);
    printf("%s: %zu packages, Python %s, %" JSON_INTEGER_FORMAT " MiB\n", call->name,
           json_array_size(json_object_get(about, "packages")),
           json_string_value(json_object_get(about, "python")),
           json_integer_value(json_object_get(about, "bytes")) >> 20);
    json_decref(about);
    return 0;
}

/* ---- list, show ---- */

static void print_words(const json_t *list, const char *none)
{
    size_t i;
    json_t *word;

    json_array_foreach(list, i, word) printf("%s%s", i ? ", " : "", json_string_value(word));
    fputs(json_array_size(list) ? "" : none, stdout);
}

static int run_list(const struct call *call, struct err *err)
{
    json_t *all = env_list(err), *one;
    size_t i;

    if (!all)
        return -1;
    if (call->set->json)
        return print_json(json_pack("{s:o}", "environments", all));
    if (!json_array_size(all))
        puts("no environments yet; 'glovebox env create NAME --pip PACKAGES' makes one");
    json_array_foreach(all, i, one)
    {
        print_words(json_object_get(one, "names"), json_string_value(json_object_get(one, "id")));
        printf("  Python %s  %" JSON_INTEGER_FORMAT " MiB  ",
               json_string_value(json_object_get(one, "python")),
               json_integer_value(json_object_get(one, "bytes")) >> 20);
        print_words(json_object_get(one, "requirements"), "no packages");
        putchar('\n');
    }
    json_decref(all);
    return 0;
}

static int cmd_env_show(const struct call *call, struct err *err)
{
    json_t *about = env_describe(call->name, err), *package;
    size_t i;

    if (!about)
        return -1;
    if (call->set->json)
        return print_json(about);
    printf("path      %s\npython    %s, from %s\nsize      %" JSON_INTEGER_FORMAT
           " MiB\nwanted    ",
           json_string_value(json_object_get(about, "path")),
           json_string_value(json_object_get(about, "python")),
           json_string_value(json_object_get(about, "base")),
           json_integer_value(json_object_get(about, "bytes")) >> 20);
    print_words(json_object_get(about, "requirements"), "no packages");
    putchar('\n');
    json_array_foreach(json_object_get(about, "packages"), i, package)
        printf("%s %s %s\n", i ? "         " : "packages ",
               json_string_value(json_object_get(package, "name")),
               json_string_value(json_object_get(package, "version")));
    json_decref(about);
    return 0;
}

/* ---- remove, prune, verify, export ---- */

static int run_remove(const struct call *call, struct err *err)
{
    if (env_remove(call->name, err) < 0)
        return -1;
    if (call->set->json)
        return print_json(json_pack("{s:s}", "removed", call->name));
    printf("removed %s\n", call->name);
    return 0;
}

static int run_prune(const struct call *call, struct err *err)
{
    json_t *removed = NULL;

    if (env_prune((uint64_t)call->set->keep, &removed, err) < 0)
        return -1;
    if (call->set->json)
        return print_json(json_pack("{s:o}", "removed", removed));
    printf("removed %zu environments\n", json_array_size(removed));
    json_decref(removed);
    return 0;
}

static int run_verify(const struct call *call, struct err *err)
{
    json_t *damaged = NULL, *path;
    size_t i;

    if (env_verify(call->name, &damaged, err) < 0)
        return -1;
    int status = json_array_size(damaged) ? DAMAGED : 0;
    if (call->set->json)
        return print_json(json_pack("{s:b, s:o}", "valid", !status, "damaged", damaged)) < 0
                   ? -1
                   : status;
    json_array_foreach(damaged, i, path)
        printf("missing or changed: %s\n", json_string_value(path));
    if (!status)
        printf("%s is as it was made\n", call->name);
    else
        printf("'glovebox env create %s' with the same packages repairs it\n", call->name);
    json_decref(damaged);
    return status;
}

static int run_export(const struct call *call, struct err *err)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, LIST_MAX);
    if (env_export(call->name, &text, err) < 0)
        return -1;
    if (call->set->json)
        return print_json(json_pack("{s:s}", "requirements", text.p));
    fputs(text.p, stdout);
    return 0;
}

/* ---- which subcommand ---- */

#define ALL_TAKE ",json,help,"

static const struct subcommand {
    const char *name, *meaning;
    bool named;
    const char *takes;
    int (*run)(const struct call *call, struct err *err);
} subcommands[] = {
    {"create", "make one", true, ALL_TAKE "pip,requirements,python,offline,allow-builds,",
     run_create},
    {"list", "list them", false, ALL_TAKE, run_list},
    {"show", "show its packages", true, ALL_TAKE, cmd_env_show},
    {"remove", "remove one", true, ALL_TAKE, run_remove},
    {"prune", "remove the longest unused", false, ALL_TAKE "keep,", run_prune},
    {"verify", "compute the hashes of its files again", true, ALL_TAKE, run_verify},
    {"export", "print its packages with hashes", true, ALL_TAKE, run_export},
};

static bool env_verb(size_t i, struct command_verb *ret)
{
    if (i >= ARRAY_LEN(subcommands))
        return false;
    *ret = (struct command_verb){.name = subcommands[i].name,
                                 .meaning = subcommands[i].meaning,
                                 .takes = subcommands[i].takes,
                                 .operand = subcommands[i].run == run_create ? NULL
                                            : subcommands[i].named           ? "made"
                                                                             : NULL};
    return true;
}

static const struct subcommand *cmd_env_find(const char *name, struct err *err)
{
    struct suggestion near = {.word = str_from(name), .best = other_verb("env", name)};

    for (size_t i = 0; i < ARRAY_LEN(subcommands); i++) {
        if (strcmp(name, subcommands[i].name) == 0)
            return &subcommands[i];
        suggestion_try(&near, subcommands[i].name);
    }
    err_set(err, ERR_USAGE,
            "'%.40s' is not one of create, list, show, remove, prune, verify, export%s%s%s", name,
            near.best ? "; did you mean '" : "", near.best ? near.best : "", near.best ? "'?" : "");
    return NULL;
}

static bool is_taken(const void *ctx, const struct opt *row)
{
    return command_lists(((const struct subcommand *)ctx)->takes, row);
}

static int cmd_env_dispatch(struct opt_set *set, const struct opt_args *args, struct err *err)
{
    const struct subcommand *sub = cmd_env_find(args->operand_n ? args->operands[0] : "list", err);
    size_t given = (args->operand_n ? args->operand_n - 1 : 0) + args->rest_n;

    if (!sub)
        return -1;
    AUTO_FREE char *command = xasprintf("env %s", sub->name);
    if (command_refuse_others(set, is_taken, sub, command, err) < 0)
        return -1;
    if (given != sub->named)
        return err_set(err, ERR_USAGE, "'glovebox env %s' takes %s", sub->name,
                       sub->named ? "one name" : "no names");
    const struct call call = {set->settings, args->operand_n > 1 ? args->operands[1]
                                             : given             ? args->rest[0]
                                                                 : ""};
    int status = sub->run(&call, err);
    if (status >= 0 && (fflush(stdout) != 0 || ferror(stdout)))
        status = err_sys(err, "write the answer");
    return status;
}

static int env_main(int argc, char **argv)
{
    struct env_settings settings = {0};
    struct opt_set set;
    struct opt_args args = {0};
    struct err err = {0};

    opt_init(&set, tables, &settings);
    int status = cli_parse(&set, argc, argv, &args, &err);
    if (status == 0 && opt_help_asked(&settings.help))
        help_print_command(stdout, &command_env, &settings.help);
    else if (status == 0)
        status = cmd_env_dispatch(&set, &args, &err);
    if (status < 0)
        status = cli_fail("env", &err);
    opt_args_done(&args);
    opt_done(&set);
    return status;
}

const struct command command_env = {
    .name = "env",
    .summary = "make and keep environments: a Python with packages",
    .usage = "glovebox env create NAME [--pip PACKAGES] [OPTION]...\n"
             "glovebox env [list]\n"
             "glovebox env show NAME\n"
             "glovebox env remove NAME\n"
             "glovebox env prune [--keep SIZE]\n"
             "glovebox env verify NAME\n"
             "glovebox env export NAME",
    .tables = tables,
    .verb = env_verb,
    .run = env_main,
};
