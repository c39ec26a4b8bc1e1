/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "cli/complete.h"
#include "console/commands.h"

struct help_settings {
    bool completion, complete, man;
    struct opt_help help;
};

static const struct opt help_options[] = {
    {.name = "completion",
     .kind = OPT_FLAG,
     .offset = offsetof(struct help_settings, completion),
     .group = "Options",
     .help = "print a completion script for bash, zsh or fish"},
    {.name = "complete",
     .kind = OPT_FLAG,
     .flags = OPT_HIDDEN,
     .offset = offsetof(struct help_settings, complete),
     .help = "print the possible completions of the last word after --"},
    {.name = "man",
     .kind = OPT_FLAG,
     .offset = offsetof(struct help_settings, man),
     .group = "Options",
     .help = "print the manual page, or that of a command"},
    OPT_HELP_ROWS(offsetof(struct help_settings, help)),
    {0},
};

static const struct opt *const tables[] = {help_options, NULL};

static int print_man(const struct opt_args *args, struct err *err)
{
    const struct command *command = args->operand_n ? help_find_command(args->operands[0]) : NULL;

    if (args->operand_n > 1 || (args->operand_n && !command))
        return err_set(err, ERR_USAGE, "--man takes the name of one command");
    if (command)
        man_print_command(stdout, command);
    else
        man_print(stdout);
    return 0;
}

static int cmd_help_show(const struct help_settings *settings, const struct opt_args *args,
                         struct err *err)
{
    if (opt_help_asked(&settings->help))
        help_print_command(stdout, &command_help, &settings->help);
    else if (settings->completion)
        return complete_print(stdout, args->operand_n ? args->operands[0] : NULL, err);
    else if (settings->complete)
        complete_words(stdout, args->rest, args->rest_n);
    else if (settings->man)
        return print_man(args, err);
    else if (args->operand_n == 0)
        help_print_overview(stdout);
    for (size_t i = 0; i < args->operand_n; i++)
        if (help_print_named(stdout, args->operands[i], err) < 0)
            return -1;
    return 0;
}

static int help_main(int argc, char **argv)
{
    struct help_settings settings = {0};
    struct opt_set set;
    struct opt_args args = {0};
    struct err err;

    opt_init(&set, tables, &settings);
    int result = opt_parse(&set, argc, argv, &args, &err);
    if (result == 0)
        result = cmd_help_show(&settings, &args, &err);
    if (result < 0)
        fprintf(stderr, "glovebox help: %s\n", err.msg);
    opt_args_done(&args);
    opt_done(&set);
    return result < 0 ? err_exit_status(err.kind) : 0;
}

const struct command command_help = {
    .name = "help",
    .summary = "explain a command or a topic",
    .usage = "glovebox help [COMMAND | TOPIC]...\n"
             "glovebox help --completion [bash | zsh | fish]\n"
             "glovebox help --man [COMMAND]",
    .tables = tables,
    .operands = "names",
    .run = help_main,
};
