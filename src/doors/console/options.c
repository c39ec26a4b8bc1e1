/* SPDX-License-Identifier: Apache-2.0 */
#include "console/options.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "console/command.h"
#include "console/given_pipe.h"
#include "console/other_words.h"
#include "request/setting.h"
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
    OPT_HELP_ROWS(AT(help)),
    {0},
};

bool cli_is_key(struct str key)
{
    for (size_t i = 0; commands[i]; i++) {
        const struct opt *row = opt_find(command_tables(commands[i]), key);
        if (row && row->flags & OPT_CONF)
            return true;
    }
    return false;
}

bool cli_is_option(struct str name)
{
    AUTO_FREE char *option = xstrndup(name.p, name.n);

    return setting_find(option);
}

int cli_parse(struct opt_set *set, int argc, char **argv, struct opt_args *ret, struct err *err)
{
    int result = opt_parse(set, argc, argv, ret, err);

    if (result == 0 && set->old)
        fprintf(stderr, "glovebox: -%c will mean only --jobs in the next release; write --%s\n",
                set->old->old_letter, set->old->name);
    return result;
}

int cli_options_load(struct cli_options *options, const struct command *command, int argc,
                     char **argv, struct err *err)
{
    struct cli_settings *s = &options->settings;

    *options = (struct cli_options){0};
    opt_init(&options->set, command->reads ? command_reads(command) : command_tables(command), s);
    options->set.elsewhere = cli_is_key;
    options->set.of_others = cli_is_option;
    options->set.command = command->name;
    options->set.others = other_options_of(argv[0]);
    options->set.has_program = strcmp(argv[0], "run") == 0;
    options->set.has_expression = strcmp(argv[0], "math") == 0;
    if (cli_parse(&options->set, argc, argv, &options->args, err) < 0)
        return -1;
    if (opt_help_asked(&s->help))
        return 0;
    if (settings_load(&s->common, &options->set, s->config, err) < 0)
        return -1;
    return given_pipes_keep(&s->common.file, err);
}

static bool is_in_tables(const void *ctx, const struct opt *row)
{
    return opt_find(ctx, str_from(row->name));
}

int cli_options_only(const struct cli_options *options, const struct command *command,
                     struct err *err)
{
    return command_refuse_others(&options->set, is_in_tables, command_tables(command),
                                 command->name, err);
}

void cli_options_done(struct cli_options *options)
{
    settings_done(&options->settings.common);
    opt_args_done(&options->args);
    opt_done(&options->set);
}

int cli_fail(const char *command, const struct err *err)
{
    AUTO_FREE char *line = safe_line(err->msg);

    fprintf(stderr, "glovebox %s: %s\n", command, line);
    return err_exit_status(err->kind);
}
