/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox log`: reads and prunes the run log.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/suggestion.h"
#include "console/commands.h"
#include "console/log_settings.h"
#include "console/options.h"
#include "console/other_words.h"
#include "formats/json_write.h"
#include "report/log_text.h"
#include "report/print_json.h"
#include "store/log_json.h"
#include "store/log_when.h"
#include "store/store.h"

enum { NOT_FOUND = 1 };

/* ---- for all subcommands ---- */

struct call {
    const struct log_settings *set;
    struct opt_set *options;
    char *path;
    const char *id;
};

/* *ret is NULL if the default log does not exist yet, because nothing was logged. A log that the
 * user named must exist. */
static int open_log(const struct call *call, unsigned flags, struct store **ret, struct err *err)
{
    *ret = NULL;
    if (store_open(call->path, flags, ret, err) == 0)
        return 0;
    if (err->sys != ENOENT || command_was_given(call->options, "log"))
        return -1;
    *err = (struct err){0};
    return 0;
}

static int make_query(const struct call *call, struct store_query *ret, struct err *err)
{
    const struct log_settings *set = call->set;
    int64_t now = clock_wall_ms();

    /* A language in a config file applies to new runs; it does not select the runs to show. */
    *ret = (struct store_query){
        .outcome = (enum run_outcome)set->outcome,
        .language = command_was_given(call->options, "lang") ? set->common.lang : NULL,
        .backend = command_was_given(call->options, "backend") ? set->common.backend : NULL,
        .text = set->text,
        .sha256_prefix = set->sha256,
        .limit = set->limit,
    };
    if (set->since && log_parse_moment(set->since, now, &ret->since_ms, err) < 0)
        return err_wrap(err, "--since");
    if (set->until && log_parse_moment(set->until, now, &ret->until_ms, err) < 0)
        return err_wrap(err, "--until");
    return 0;
}

/* ---- list ---- */

static int list_json_row(const struct run_record *run, void *ctx)
{
    bool *first = ctx;
    json_t *v = log_json_run(run, false);
    AUTO_FREE char *text = json_write(v, false);

    fputs(*first ? "\n" : ",\n", stdout);
    *first = false;
    fputs(text, stdout);
    json_decref(v);
    return ferror(stdout) != 0;
}

/* Prints row by row, because a log may be larger than memory. */
static int list_json(struct store *s, const struct store_query *query, struct err *err)
{
    bool first = true;

    fputs("{\"runs\": [", stdout);
    if (s && store_list(s, query, list_json_row, &first, err) < 0)
        return -1;
    puts(first ? "]}" : "\n]}");
    return 0;
}

struct widest {
    struct log_table table;
    bool any;
};

static int cmd_log_measure(const struct run_record *run, void *ctx)
{
    struct widest *w = ctx;

    w->any = true;
    return log_table_measure(run, &w->table);
}

static int list_text(const struct call *call, struct store *s, const struct store_query *query,
                     struct err *err)
{
    struct widest w = {.any = false};
    struct store_stats all = {0};
    struct store_query everything = {0};

    log_table_init(&w.table, stdout);
    if (s && store_list(s, query, cmd_log_measure, &w, err) < 0)
        return -1;
    if (w.any) {
        log_table_head(&w.table);
        return store_list(s, query, log_table_row, &w.table, err);
    }
    if (s && store_stats(s, &everything, &all, err) < 0)
        return -1;
    if (all.runs)
        printf("none of the %" PRId64 " runs in %s\n", all.runs, call->path);
    else
        printf("no runs yet in %s\n", call->path);
    return 0;
}

static int run_list(const struct call *call, struct err *err)
{
    struct store_query query;
    struct store *s;

    if (make_query(call, &query, err) < 0 || open_log(call, STORE_READ, &s, err) < 0)
        return -1;
    int result = call->set->json ? list_json(s, &query, err) : list_text(call, s, &query, err);
    store_close(s);
    return result;
}

/* ---- show, stats, prune, path ---- */

static int run_show(const struct call *call, struct err *err)
{
    struct run_record run = {0};
    struct store *s;

    if (open_log(call, STORE_READ, &s, err) < 0)
        return -1;
    int found = s ? store_get(s, call->id, &run, err) : NOT_FOUND;
    store_close(s);
    if (found == NOT_FOUND)
        fprintf(stderr, "glovebox log: no run '%.64s' in %s\n", call->id, call->path);
    else if (found == 0 && call->set->json)
        print_json(log_json_run(&run, true));
    else if (found == 0)
        log_text_run(stdout, &run);
    run_record_done(&run);
    return found;
}

static int run_stats(const struct call *call, struct err *err)
{
    struct store_query query;
    struct store_stats stats = {0};
    struct store *s;

    if (make_query(call, &query, err) < 0 || open_log(call, STORE_READ, &s, err) < 0)
        return -1;
    int result = s ? store_stats(s, &query, &stats, err) : 0;
    store_close(s);
    if (result < 0)
        return -1;
    if (call->set->json)
        print_json(log_json_stats(&stats));
    else if (stats.runs)
        log_text_stats(stdout, &stats);
    else
        printf("no such runs in %s\n", call->path);
    return 0;
}

static int run_prune(const struct call *call, struct err *err)
{
    int64_t age = 0, before = INT64_MAX, deleted = 0;
    struct store *s;

    if (!call->set->older_than && !command_was_given(call->options, "keep"))
        return err_set(err, ERR_USAGE,
                       "give the runs to delete: --older-than 30d, --keep 1000, or both");
    if (call->set->older_than) {
        if (log_parse_age(call->set->older_than, &age, err) < 0)
            return err_wrap(err, "--older-than");
        before = clock_wall_ms() - age;
    }
    if (open_log(call, STORE_WRITE, &s, err) < 0)
        return -1;
    int result = s ? store_prune(s, before, call->set->keep, &deleted, err) : 0;
    store_close(s);
    if (result < 0)
        return -1;
    if (call->set->json)
        return print_json(json_pack("{s:I}", "deleted", (json_int_t)deleted));
    printf("deleted %" PRId64 " run%s\n", deleted, deleted == 1 ? "" : "s");
    return 0;
}

static int run_path(const struct call *call, struct err *err)
{
    (void)err;
    if (call->set->json)
        return print_json(json_pack("{s:s}", "path", call->path));
    puts(call->path);
    return 0;
}

/* ---- which subcommand ---- */

#define ALL_TAKE      ",log,json,config,help,"
#define QUERY_OPTIONS ALL_TAKE "since,until,outcome,lang,backend,text,sha256,"

static const struct subcommand {
    const char *name;
    size_t operands;     /* number of operands after the name */
    const char *options; /* in addition to --log and --json */
    int (*run)(const struct call *call, struct err *err);
} subcommands[] = {
    {"list", 0, QUERY_OPTIONS "limit,", run_list},
    {"show", 1, ALL_TAKE, run_show},
    {"stats", 0, QUERY_OPTIONS, run_stats},
    {"prune", 0, ALL_TAKE "older-than,keep,", run_prune},
    {"path", 0, ALL_TAKE, run_path},
};

static bool verb(size_t i, struct command_verb *ret)
{
    if (i >= ARRAY_LEN(subcommands))
        return false;
    *ret = (struct command_verb){.name = subcommands[i].name,
                                 .takes = subcommands[i].options,
                                 .operand = subcommands[i].operands ? "runs" : NULL};
    return true;
}

static const struct subcommand *find_subcommand(const struct opt_args *args, struct err *err)
{
    const char *name = args->operand_n ? args->operands[0] : "list";
    struct suggestion near = {.word = str_from(name), .best = other_verb("log", name)};

    for (size_t i = 0; i < ARRAY_LEN(subcommands); i++) {
        if (strcmp(name, subcommands[i].name) == 0)
            return &subcommands[i];
        suggestion_try(&near, subcommands[i].name);
    }
    err_set(err, ERR_USAGE, "'%.40s' is not one of list, show, stats, prune, path%s%s%s", name,
            near.best ? "; did you mean '" : "", near.best ? near.best : "", near.best ? "'?" : "");
    return NULL;
}

static bool is_taken(const void *ctx, const struct opt *row)
{
    return command_lists(((const struct subcommand *)ctx)->options, row);
}

static int cmd_log_check_options(const struct subcommand *sub, const struct opt_set *options,
                                 struct err *err)
{
    AUTO_FREE char *command = xasprintf("log %s", sub->name);

    return command_refuse_others(options, is_taken, sub, command, err);
}

static int check_operands(const struct subcommand *sub, const struct opt_args *args,
                          struct err *err)
{
    size_t given = (args->operand_n ? args->operand_n - 1 : 0) + args->rest_n;

    if (given < sub->operands)
        return err_set(err, ERR_USAGE,
                       "name the run to show: 'glovebox log show ID'; 'glovebox log' lists "
                       "the ids");
    if (given > sub->operands)
        return err_set(err, ERR_USAGE, "'glovebox log %s' takes %s", sub->name,
                       sub->operands ? "one id" : "no arguments");
    return 0;
}

/* With --log off, the earlier runs in the default log can still be read. */
static int find_path(struct call *call, struct err *err)
{
    const char *named = call->set->common.log;

    if (!named || strcmp(named, "off") == 0)
        return store_default_path(&call->path, err);
    call->path = xstrdup(named);
    return 0;
}

/* Returns the exit status, or -1 with *err. */
static int cmd_log_dispatch(struct opt_set *options, const struct opt_args *args, struct err *err)
{
    struct call call = {.set = options->settings, .options = options};
    const struct subcommand *sub = find_subcommand(args, err);

    if (!sub || check_operands(sub, args, err) < 0 || cmd_log_check_options(sub, options, err) < 0)
        return -1;
    call.id = args->operand_n > 1 ? args->operands[1] : args->rest_n ? args->rest[0] : NULL;
    if (find_path(&call, err) < 0)
        return -1;
    int result = sub->run(&call, err);
    free(call.path);
    if (result >= 0 && (fflush(stdout) != 0 || ferror(stdout)))
        result = err_sys(err, "write the answer");
    return result;
}

static int run(int argc, char **argv)
{
    struct log_settings set = {.json = false};
    struct opt_set options;
    struct opt_args args = {0};
    struct err err = {0};
    int status = -1;

    opt_init(&options, log_tables, &set);
    options.elsewhere = cli_is_key;
    if (cli_parse(&options, argc, argv, &args, &err) == 0) {
        if (opt_help_asked(&set.help)) {
            help_print_command(stdout, &command_log, &set.help);
            status = 0;
        } else if (settings_load(&set.common, &options, set.config, &err) == 0) {
            status = cmd_log_dispatch(&options, &args, &err);
        }
    }
    settings_done(&set.common);
    opt_args_done(&args);
    opt_done(&options);
    return status < 0 ? cli_fail("log", &err) : status;
}

const struct command command_log = {
    .name = "log",
    .summary = "list past runs: when, what, and how they ended",
    .usage = "glovebox log [list] [OPTION]...\n"
             "glovebox log show ID\n"
             "glovebox log stats [OPTION]...\n"
             "glovebox log prune [--older-than AGE] [--keep N]\n"
             "glovebox log path",
    .tables = log_shown_tables,
    .verb = verb,
    .run = run,
};
