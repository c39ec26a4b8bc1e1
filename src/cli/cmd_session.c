/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox session`: sessions of a running daemon.
 */
#include "cli/cmd_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggestion.h"
#include "cli/commands.h"
#include "console/given_pipe.h"
#include "console/other_words.h"
#include "console/run_remote.h"
#include "request/setting.h"

enum { PATIENCE_MS = 120000 };

#define AT(member) offsetof(struct session_settings, member)

static const struct opt open_options[] = {
    {.name = "name",
     .kind = OPT_STRING,
     .offset = AT(name),
     .arg = "NAME",
     .group = "The session",
     .help = "a name of your choice, usable instead of the ID"},
    {0},
};

/* Options of running a cell. */
static const struct opt cell_options[] = {
    {.name = "code",
     .letter = 'c',
     .kind = OPT_STRING,
     .offset = AT(cli.code),
     .arg = "CODE",
     .group = "The cell",
     .help = "run this text instead of a file"},
    {.name = "stdin",
     .kind = OPT_STRING,
     .offset = AT(cli.stdin_path),
     .arg = "FILE",
     .group = "The cell",
     .help = "the cell's standard input; - is that of this command"},
    {.name = "try",
     .kind = OPT_FLAG,
     .offset = AT(attempt),
     .group = "The cell",
     .help = "undo everything that the cell did, unless it succeeds"},
    {.name = "keep",
     .kind = OPT_FLAG,
     .offset = AT(attempt_keep),
     .group = "The cell",
     .help = "with --try: undo the cell only if it would have ended its session"},
    {.name = "drop",
     .kind = OPT_FLAG,
     .offset = AT(attempt_drop),
     .group = "The cell",
     .help = "with --try: undo the cell in any case"},
    {.name = "events",
     .kind = OPT_FLAG,
     .offset = AT(cli.events),
     .group = "Output",
     .help = "print events as they happen, one JSON object per line"},
    {0},
};

static const struct opt *const tables[] = {
    session_options, open_options, cell_options,   work_options,    data_options,
    json_option,     quiet_option, wall_options,   policy_options,  guard_options,
    limit_options,   log_options,  daemon_options, general_options, NULL};

bool session_is_given(const struct session_call *call, const char *option)
{
    return opt_source_of(call->options, option)->from == OPT_FROM_COMMAND;
}

/* ---- requests ---- */

int session_ask(struct session_call *call, const char *method, const char *path, json_t *body,
                json_t **ret, struct err *err)
{
    AUTO_FREE char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
    struct http_ask ask = {.method = method,
                           .path = path,
                           .body = {text, text ? strlen(text) : 0},
                           .timeout_ms = PATIENCE_MS,
                           .cancel_fd = -1};
    struct http_reply reply;
    int result = http_client_ask(&call->client, &ask, &reply, err);

    json_decref(body);
    if (result == 0 && reply.status / 100 != 2)
        result = remote_refused(&reply, err);
    if (result == 0) {
        *ret = remote_json(buf_str(&reply.body), err);
        result = *ret ? 0 : -1;
    }
    http_reply_done(&reply);
    return result;
}

/* ---- which session ---- */

static const char *member(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));

    return s ? s : "";
}

static bool is_whole_id(const char *word)
{
    return strlen(word) == 26 && strspn(word, "0123456789abcdefghjkmnpqrstvwxyz") == 26;
}

int session_count(struct session_call *call, const char *word, char *ret, size_t n, struct err *err)
{
    json_t *doc = NULL, *v;
    size_t i;
    int matches = 0;

    if (session_ask(call, "GET", "/v1/sessions", NULL, &doc, err) < 0)
        return -1;
    json_array_foreach(json_object_get(doc, "sessions"), i, v)
    {
        bool named = strcmp(member(v, "name"), word) == 0; /* one without a name has the name "" */
        if (!*word || (!named && !str_starts(str_from(member(v, "id")), word)))
            continue;
        snprintf(ret, n, "%s", member(v, "id"));
        matches++;
    }
    json_decref(doc);
    return matches;
}

int session_find(struct session_call *call, const char *word, char *ret, size_t n, struct err *err)
{
    snprintf(ret, n, "%s", word);
    int matches = is_whole_id(word) ? 1 : session_count(call, word, ret, n, err);
    if (matches == 1)
        return 0;
    if (matches == 0)
        err_set(err, ERR_USAGE,
                "there is no session '%.60s'; 'glovebox session list' lists the open ones", word);
    else if (matches > 1)
        err_set(err, ERR_USAGE, "'%.60s' matches %d sessions; give more of the id", word, matches);
    return -1;
}

/* ---- which subcommand ---- */

#define ALL_TAKE   ",daemon,token-file,json,quiet,config,help,"
#define NEW_TAKES  ALL_TAKE "name,"
#define CELL_TAKES "code,stdin,try,keep,drop,events,"

enum { ANY_NUMBER = 1000 };

static const struct subcommand {
    const char *name;
    size_t least, most;  /* operands after the name; with any, the first is a session */
    const char *options; /* options that it takes */
    unsigned settings;   /* settings that it takes beside them: bits of enum setting_session */
    const char *usage;
    int (*run)(struct session_call *call, struct err *err);
} subcommands[] = {
    {"new", 0, 0, NEW_TAKES, SESSION_THERE, "new [OPTION]...", session_run_new},
    {"exec", 1, 2, ALL_TAKE CELL_TAKES, SESSION_CELL, "exec ID [-c CODE | FILE | -]",
     session_run_exec},
    {"fork", 1, 1, NEW_TAKES, SESSION_FORK, "fork ID [--name NAME]", session_run_fork},
    {"commit", 2, 2, ALL_TAKE, 0, "commit ID IMAGE", session_run_commit},
    {"list", 0, 0, ALL_TAKE, 0, "list", session_run_list},
    {"show", 1, 1, ALL_TAKE, 0, "show ID", session_run_show},
    {"files", 1, 1, ALL_TAKE, 0, "files ID", session_run_files},
    {"get", 2, 3, ALL_TAKE, 0, "get ID PATH [DEST]", session_run_get},
    {"put", 2, ANY_NUMBER, ALL_TAKE, 0, "put ID FILE[:NAME]...", session_run_put},
    {"set", 2, ANY_NUMBER, ALL_TAKE, 0, "set ID NAME=JSON...", session_run_set},
    {"vars", 1, ANY_NUMBER, ALL_TAKE, 0, "vars ID [NAME...]", session_run_vars},
    {"interrupt", 1, 1, ALL_TAKE, 0, "interrupt ID", session_run_interrupt},
    {"restart", 1, 1, ALL_TAKE, 0, "restart ID", session_run_restart},
    {"close", 1, ANY_NUMBER, ALL_TAKE, 0, "close ID...", session_run_close},
};

static bool verb(size_t i, struct command_verb *ret)
{
    if (i >= ARRAY_LEN(subcommands))
        return false;
    const struct subcommand *sub = &subcommands[i];
    *ret =
        (struct command_verb){.name = sub->name,
                              .takes = sub->options,
                              .session = sub->settings,
                              .operand = sub->least ? "sessions" : NULL,
                              .files = sub->run == session_run_exec || sub->run == session_run_put};
    return true;
}

static const struct subcommand *find_subcommand(const struct opt_args *args, struct err *err)
{
    const char *name = args->operand_n ? args->operands[0] : "list";
    struct suggestion near = {.word = str_from(name), .best = other_verb("session", name)};

    for (size_t i = 0; i < ARRAY_LEN(subcommands); i++) {
        if (strcmp(name, subcommands[i].name) == 0)
            return &subcommands[i];
        suggestion_try(&near, subcommands[i].name);
    }
    err_set(
        err, ERR_USAGE,
        "'%.40s' is not one of new, exec, fork, commit, list, show, files, get, put, set, vars, "
        "interrupt, restart, close%s%s%s",
        name, near.best ? "; did you mean '" : "", near.best ? near.best : "",
        near.best ? "'?" : "");
    return NULL;
}

struct taken {
    const char *names;
    unsigned settings;
};

static bool is_taken(const void *ctx, const struct opt *row)
{
    const struct taken *taken = ctx;

    return command_lists(taken->names, taken->settings, row);
}

int session_check_options(const struct session_call *call, const char *takes, unsigned settings,
                          const char *command, struct err *err)
{
    struct taken taken = {takes, settings};

    return command_refuse_others(call->options, is_taken, &taken, command, err);
}

static int check_options(const struct subcommand *sub, const struct session_call *call,
                         struct err *err)
{
    AUTO_FREE char *command = xasprintf("session %s", sub->name);

    return session_check_options(call, sub->options, sub->settings, command, err);
}

static int check_operands(const struct subcommand *sub, const struct session_call *call,
                          struct err *err)
{
    if (call->operand_n >= sub->least && call->operand_n <= sub->most)
        return 0;
    return err_set(err, ERR_USAGE, "usage: glovebox session %s", sub->usage);
}

int session_open_daemon(struct session_call *call, struct err *err)
{
    return remote_open(&call->set->cli, &call->client, err);
}

/* The exit status, or -1 and *err. */
static int dispatch(struct session_call *call, const struct opt_args *args, struct err *err)
{
    const struct subcommand *sub = find_subcommand(args, err);

    if (!sub)
        return -1;
    if (args->rest_n)
        return err_set(err, ERR_USAGE, "a cell has no arguments: nothing may follow '--'");
    call->operands = args->operands + (args->operand_n > 0);
    call->operand_n = args->operand_n - (args->operand_n > 0);
    if (check_options(sub, call, err) < 0 || check_operands(sub, call, err) < 0 ||
        session_open_daemon(call, err) < 0)
        return -1;
    int result = -1;
    if (!sub->least || sub->run == session_run_close ||
        session_find(call, call->operands[0], call->id, sizeof call->id, err) == 0)
        result = sub->run(call, err);
    http_client_done(&call->client);
    if (result >= 0 && (fflush(stdout) != 0 || ferror(stdout)))
        result = err_sys(err, "write the answer");
    return result;
}

int session_main(const struct command *command, int argc, char **argv, session_story *story)
{
    struct session_settings set = {.name = NULL};
    struct opt_set options;
    struct opt_args args = {0};
    struct session_call call = {.set = &set, .options = &options, .client = {.fd = -1}};
    struct err err = {0};
    int status = -1;

    opt_init(&options, command->tables, &set);
    options.elsewhere = cli_is_key;
    if (opt_parse(&options, argc, argv, &args, &err) == 0) {
        if (set.cli.help) {
            help_print_command(stdout, command);
            status = 0;
        } else if (settings_load(&set.cli.common, &options, set.cli.config, &err) == 0 &&
                   given_pipes_keep(&set.cli.common.file, &err) == 0) {
            status = story(&call, &args, &err);
        }
    }
    if (status < 0)
        status = cli_fail(command->name, &err);
    settings_done(&set.cli.common);
    opt_args_done(&args);
    opt_done(&options);
    return status;
}

static int run(int argc, char **argv)
{
    return session_main(&command_session, argc, argv, dispatch);
}

const struct command command_session = {
    .name = "session",
    .summary = "guests that stay: variables and files last from cell to cell",
    .usage = "glovebox session new [OPTION]...\n"
             "glovebox session exec ID [--try] [-c CODE | FILE | -]\n"
             "glovebox session fork ID [--name NAME]\n"
             "glovebox session commit ID IMAGE\n"
             "glovebox session show|files|interrupt|restart|close ID\n"
             "glovebox session get ID PATH [DEST]\n"
             "glovebox session put ID FILE[:NAME]...\n"
             "glovebox session set ID NAME=JSON...\n"
             "glovebox session vars ID [NAME...]\n"
             "glovebox session [list]",
    .tables = tables,
    .takes = NEW_TAKES CELL_TAKES,
    .session = SESSION_THERE | SESSION_FORK | SESSION_CELL,
    .verb = verb,
    .run = run,
};
