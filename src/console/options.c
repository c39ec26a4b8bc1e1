/* SPDX-License-Identifier: Apache-2.0 */
#include "console/options.h"

#include <stdio.h>
#include <string.h>

#include "console/command.h"
#include "console/given_pipe.h"
#include "console/other_words.h"
#include "terminal/safe_text.h"

#define AT(member) offsetof(struct cli_settings, member)

const struct opt json_option[] = {
    JSON_ROW(AT(json), "print the whole result as JSON", .often = true, .excludes = "events"),
    {0},
};

const struct opt quiet_option[] = {
    QUIET_ROW(AT(quiet), "print only the program's output and errors, no notes of Glovebox"),
    {0},
};

const struct opt daemon_options[] = {
    {.name = "daemon",
     .kind = OPT_STRING,
     .offset = AT(daemon),
     .arg = "PLACE",
     .group = "The daemon",
     .excludes = "no-daemon",
     .help = "use the daemon at unix:PATH or HOST:PORT; default: $GLOVEBOX_SOCKET, or the socket "
             "of 'glovebox serve' without --listen"},
    {.name = "token-file",
     .kind = OPT_STRING,
     .offset = AT(token_file),
     .arg = "FILE",
     .group = "The daemon",
     .help = "file with the token for a daemon on TCP in its first line"},
    {0},
};

const struct opt general_options[] = {
    CONFIG_ROW(AT(config)),
    OPT_HELP_ROW(AT(help)),
    {0},
};

bool cli_is_key(struct str key)
{
    for (size_t i = 0; commands[i]; i++) {
        const struct opt *row = commands[i]->tables ? opt_find(commands[i]->tables, key) : NULL;
        if (row && row->flags & OPT_CONF)
            return true;
    }
    return false;
}

int cli_options_load(struct cli_options *options, const struct opt *const *tables, int argc,
                     char **argv, struct err *err)
{
    struct cli_settings *s = &options->settings;

    *options = (struct cli_options){0};
    opt_init(&options->set, tables, s);
    options->set.elsewhere = cli_is_key;
    options->set.others = other_options_of(argv[0]);
    options->set.has_program = strcmp(argv[0], "run") == 0;
    options->set.has_expression = strcmp(argv[0], "math") == 0;
    if (opt_parse(&options->set, argc, argv, &options->args, err) < 0)
        return -1;
    if (s->help)
        return 0;
    if (settings_load(&s->common, &options->set, s->config, err) < 0)
        return -1;
    return given_pipes_keep(&s->common.file, err);
}

static bool is_in_tables(const void *ctx, const struct opt *row)
{
    return opt_find(ctx, str_from(row->name));
}

int cli_options_only(const struct cli_options *options, const struct opt *const *shown,
                     const char *command, struct err *err)
{
    return command_refuse_others(&options->set, is_in_tables, shown, command, err);
}

static bool is_shown(const void *ctx, const struct opt *row)
{
    return command_shows(ctx, row);
}

int cli_options_taken(const struct opt_set *set, const struct command *command, struct err *err)
{
    return command_refuse_others(set, is_shown, command, command->name, err);
}

void cli_options_done(struct cli_options *options)
{
    settings_done(&options->settings.common);
    opt_args_done(&options->args);
    opt_done(&options->set);
}

int cli_fail(const char *command, const struct err *err)
{
    AUTO_BUF struct buf line = {0};

    buf_init(&line, 8 << 10);
    safe_text_add(&line, str_from(err->msg), false);
    fprintf(stderr, "glovebox %s: %s\n", command, line.p);
    return err_exit_status(err->kind);
}
