/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <stdio.h>

#define AT(member) offsetof(struct cli_settings, member)

const struct opt json_option[] = {
    {.name = "json", .letter = 'j', .kind = OPT_FLAG, .offset = AT(json), .group = "Output",
     .excludes = "events", .help = "print the whole result as JSON"},
    {0},
};

const struct opt general_options[] = {
    {.name = "config", .kind = OPT_STRING, .offset = AT(config), .arg = "FILE", .group = "General",
     .help = "read this config file instead of the user's and the project's"},
    {.name = "help", .letter = 'h', .kind = OPT_FLAG, .offset = AT(help), .group = "General",
     .help = "explain this command"},
    {0},
};

int cli_options_load(struct cli_options *options, const struct opt *const *tables, int argc,
                     char **argv, struct err *err)
{
    struct cli_settings *s = &options->settings;

    *options = (struct cli_options){0};
    opt_init(&options->set, tables, s);
    if (opt_parse(&options->set, argc, argv, &options->args, err) < 0)
        return -1;
    return s->help ? 0 : settings_load(&s->common, &options->set, s->config, err);
}

void cli_options_done(struct cli_options *options)
{
    settings_done(&options->settings.common);
    opt_args_done(&options->args);
    opt_done(&options->set);
}

int cli_fail(const char *command, const struct err *err)
{
    fprintf(stderr, "glovebox %s: %s\n", command, err->msg);
    return err_exit_status(err->kind);
}
