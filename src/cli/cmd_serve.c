/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox serve`: the daemon.
 */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "server/server.h"

/* Hides the settings that a client may choose: these are its defaults, also from the config
 * file. */
static const struct opt *const shown_tables[] = {serve_options, ceiling_options, serve_general,
                                                 limit_options, log_options,     NULL};

static int serve_main(int argc, char **argv)
{
    struct err err;
    struct config *config = config_make(argc, argv, &err);

    if (!config)
        return cli_fail("serve", &err);
    if (!config->settings.help && !config->settings.print_config)
        return server_run(argc, argv, config);
    if (config->settings.help)
        help_print_command(stdout, &command_serve);
    else
        opt_print(&config->set, stdout);
    config_drop(config);
    return 0;
}

const struct command command_serve = {
    .name = "serve",
    .summary = "the daemon: runs and sessions over HTTP",
    .usage = "glovebox serve [OPTION]...",
    .tables = shown_tables,
    .run = serve_main,
};
