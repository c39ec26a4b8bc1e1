/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox session`: sessions of a running daemon.
 */
#include "remote/cmd_session.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggestion.h"
#include "console/commands.h"
#include "console/given_pipe.h"
#include "console/other_words.h"
#include "formats/json_get.h"
#include "remote/run_remote.h"
#include "request/setting.h"

enum { PATIENCE_MS = 120000 };

static const struct opt *const tables[] = {json_option, quiet_option, daemon_options,
                                           general_options, NULL};

bool cmd_session_is_given(const struct session_call *call, const char *option)
{
    return opt_source_of(call->options, option)->from == OPT_FROM_COMMAND;
}

/* ---- requests ---- */

int cmd_session_ask(struct session_call *call, const char *method, const char *path, json_t *body,
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

static bool is_whole_id(const char *word)
{
    return strlen(word) == 26 && strspn(word, "0123456789abcdefghjkmnpqrstvwxyz") == 26;
}

int cmd_session_count(struct session_call *call, const char *word, char *ret, size_t n,
                      struct err *err)
{
    json_t *doc = NULL, *v;
    size_t i;
    int matches = 0;

    if (cmd_session_ask(call, "GET", "/v1/sessions", NULL, &doc, err) < 0)
        return -1;
    json_array_foreach(json_object_get(doc, "sessions"), i, v)
    {
        bool named =
            /* a session without a name has the name "" */
            strcmp(json_get_word(v, "name"), word) == 0;
        if (!*word || (!named && !str_starts(str_from(json_get_word(v, "id")), word)))
            continue;
        snprintf(ret, n, "%s", json_get_word(v, "id"));
        matches++;
    }
    json_decref(doc);
    return matches;
}

int cmd_session_find(struct session_call *call, const char *word, char *ret, size_t n,
                     struct err *err)
{
    snprintf(ret, n, "%s", word);
    int matches = is_whole_id(word) ? 1 : cmd_session_count(call, word, ret, n, err);
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

enum { ANY_NUMBER = 1000 };

static const struct subcommand {
    const char *name;
    /* number of operands after the subcommand's name; the first one is a session */
    size_t least, most;
    unsigned verb; /* the verb whose rows it takes; 0: none */
    const char *usage;
    int (*run)(struct session_call *call, struct err *err);
} subcommands[] = {
    {"new", 0, 0, V_OPEN, "new [OPTION]...", cmd_session_new},
    {"exec", 1, 2, V_EXEC, "exec ID [-c CODE | FILE | -]", cmd_session_exec},
    {"fork", 1, 1, V_FORK, "fork ID [--name NAME]", cmd_session_fork},
    {"commit", 2, 2, 0, "commit ID IMAGE", cmd_session_commit},
    {"network", 1, 2, 0, "network ID [NETWORK]", cmd_session_network},
    {"list", 0, 0, 0, "list", cmd_session_list},
    {"show", 1, 1, 0, "show ID", cmd_session_show},
    {"files", 1, 1, 0, "files ID", cmd_session_files},
    {"get", 2, 3, 0, "get ID PATH [DEST]", cmd_session_get},
    {"put", 2, ANY_NUMBER, 0, "put ID FILE[:NAME]...", cmd_session_put},
    {"set", 2, ANY_NUMBER, 0, "set ID NAME=JSON...", cmd_session_set},
    {"vars", 1, ANY_NUMBER, 0, "vars ID [NAME...]", cmd_session_vars},
    {"interrupt", 1, 1, 0, "interrupt ID", cmd_session_interrupt},
    {"restart", 1, 1, 0, "restart ID", cmd_session_restart},
    {"close", 1, ANY_NUMBER, 0, "close ID...", cmd_session_close},
};

static bool verb(size_t i, struct command_verb *ret)
{
    if (i >= ARRAY_LEN(subcommands))
        return false;
    const struct subcommand *sub = &subcommands[i];
    *ret =
        (struct command_verb){.name = sub->name,
                              .verbs = sub->verb,
                              .operand = sub->least ? "sessions" : NULL,
                              .files = sub->run == cmd_session_exec || sub->run == cmd_session_put};
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
        "'%.40s' is not one of new, exec, fork, commit, network, list, show, files, get, put, set, "
        "vars, interrupt, restart, close%s%s%s",
        name, near.best ? "; did you mean '" : "", near.best ? near.best : "",
        near.best ? "'?" : "");
    return NULL;
}

static bool is_taken(const void *ctx, const struct opt *row)
{
    return command_verb_takes(*(const unsigned *)ctx, row);
}

int cmd_session_check_options(const struct session_call *call, unsigned verbs, const char *command,
                              struct err *err)
{
    return command_refuse_others(call->options, is_taken, &verbs, command, err);
}

static int check_verb_options(const struct subcommand *sub, const struct session_call *call,
                              struct err *err)
{
    AUTO_FREE char *command = xasprintf("session %s", sub->name);

    return cmd_session_check_options(call, sub->verb, command, err);
}

static int check_operands(const struct subcommand *sub, const struct session_call *call,
                          struct err *err)
{
    if (call->operand_n >= sub->least && call->operand_n <= sub->most)
        return 0;
    return err_set(err, ERR_USAGE, "usage: glovebox session %s", sub->usage);
}

int cmd_session_open_daemon(struct session_call *call, struct err *err)
{
    return remote_open(&call->set->cli, &call->client, err);
}

/* Returns the exit status, or -1 with *err. */
static int cmd_session_dispatch(struct session_call *call, const struct opt_args *args,
                                struct err *err)
{
    const struct subcommand *sub = find_subcommand(args, err);

    if (!sub)
        return -1;
    if (args->rest_n)
        return err_set(err, ERR_USAGE, "a cell has no arguments: nothing may follow '--'");
    call->operands = args->operands + (args->operand_n > 0);
    call->operand_n = args->operand_n - (args->operand_n > 0);
    if (check_verb_options(sub, call, err) < 0 || check_operands(sub, call, err) < 0 ||
        cmd_session_open_daemon(call, err) < 0)
        return -1;
    int result = -1;
    if (!sub->least || sub->run == cmd_session_close ||
        cmd_session_find(call, call->operands[0], call->id, sizeof call->id, err) == 0)
        result = sub->run(call, err);
    http_client_done(&call->client);
    if (result >= 0 && (fflush(stdout) != 0 || ferror(stdout)))
        result = err_sys(err, "write the answer");
    return result;
}

int cmd_session_main(const struct command *command, int argc, char **argv, session_story *story)
{
    struct session_settings set = {.session = NULL};
    struct opt_set options;
    struct opt_args args = {0};
    struct session_call call = {.set = &set, .options = &options, .client = {.fd = -1}};
    struct err err = {0};
    int status = -1;

    opt_init(&options, command_tables(command), &set);
    options.elsewhere = cli_is_key;
    options.of_others = cli_is_option;
    options.command = command->name;
    if (cli_parse(&options, argc, argv, &args, &err) == 0) {
        if (opt_help_asked(&set.cli.help)) {
            help_print_command(stdout, command, &set.cli.help);
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

static int cmd_session_run(int argc, char **argv)
{
    return cmd_session_main(&command_session, argc, argv, cmd_session_dispatch);
}

const struct command command_session = {
    .name = "session",
    .summary = "sessions in a daemon: variables and files last from cell to cell",
    .usage = "glovebox session new [OPTION]...\n"
             "glovebox session exec ID [--try] [-c CODE | FILE | -]\n"
             "glovebox session fork ID [--name NAME]\n"
             "glovebox session commit ID IMAGE\n"
             "glovebox session network ID none|allow:HOST,...\n"
             "glovebox session show|files|interrupt|restart|close ID\n"
             "glovebox session get ID PATH [DEST]\n"
             "glovebox session put ID FILE[:NAME]...\n"
             "glovebox session set ID NAME=JSON...\n"
             "glovebox session vars ID [NAME...]\n"
             "glovebox session [list]",
    .verbs = V_SESSION,
    .tables = tables,
    .verb = verb,
    .run = cmd_session_run,
};
