/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox serve`: the daemon.
 */
#include <stdio.h>

#include "cli/serve_background.h"
#include "console/commands.h"
#include "console/options.h"
#include "remote/serve_control.h"
#include "routes/routes.h"
#include "server/server.h"

/* Hides the settings that a client may choose: their values here are only the defaults, and may
 * come from the config file. */
static const struct opt *const shown_tables[] = {serve_options,
                                                 serve_model_options,
                                                 model_options,
                                                 cache_options,
                                                 bounds_options,
                                                 background_options,
                                                 ceiling_options,
                                                 serve_general,
                                                 limit_options,
                                                 log_options,
                                                 NULL};

/* In a config file, `output` is accepted: it applies to the daemons in the background. */
static int check_output(const struct config *config, struct err *err)
{
    const struct opt_source *source = opt_source_of(&config->set, "output");

    if (source->from != OPT_FROM_COMMAND || config->settings.background)
        return 0;
    return err_set(err, ERR_USAGE,
                   "--output requires --background; a daemon in the foreground prints its messages "
                   "to standard error");
}

static int serve_main(int argc, char **argv)
{
    struct err err;
    struct config *config = config_make(argc, argv, cli_is_key, &err);

    if (!config)
        return cli_fail("serve", &err);
    if (check_output(config, &err) < 0) {
        config_drop(config);
        return cli_fail("serve", &err);
    }
    const struct server_settings *s = &config->settings;
    bool help = opt_help_asked(&s->help);

    if (!help && !s->print_config && s->background)
        return serve_background(argc, argv, config);
    if (!help && !s->print_config && !s->status && !s->stop)
        return server_run(argc, argv, config, &daemon_site, NULL, NULL);
    int status = 0;
    if (help)
        help_print_command(stdout, &command_serve, &s->help);
    else if (s->print_config)
        opt_print(&config->set, stdout);
    else
        status = s->stop ? serve_stop(config) : serve_status(config);
    config_drop(config);
    return status;
}

const struct command command_serve = {
    .name = "serve",
    .summary = "the daemon: runs and sessions over HTTP",
    .usage = "glovebox serve [--background] [OPTION]...\n"
             "glovebox serve --status | --stop [--listen ADDRESS] [OPTION]...",
    .tables = shown_tables,
    .run = serve_main,
};
