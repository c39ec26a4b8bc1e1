/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox serve`: the daemon.
 */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "server/server.h"

/* What a client may say for itself is not shown: these are its defaults, from the config file too.
 */
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
    .description =
        "Answers HTTP requests until it is told to end: POST /v1/run and its siblings take JSON "
        "with the names of the command line's options and answer what --json prints. GET "
        "/openapi.json describes all of it, docs/http.md explains it.\n\n"
        "Without --listen it is a Unix socket that only its owner can open: glovebox.sock in "
        "$XDG_RUNTIME_DIR, or /run/glovebox.sock for root; or what systemd hands over. TCP needs "
        "--token-file.\n\n"
        "The limits below are those of a request that does not say; the ceilings are the most that "
        "it may say. All of these may stand in the user's config file, in a section [serve].\n\n"
        "SIGTERM ends it when what runs has ended (--drain), a second one at once; SIGHUP reads "
        "the settings and tokens again.",
    .examples = "  glovebox serve\n"
                "  glovebox serve --listen unix:/run/user/1000/box.sock --access-log -\n"
                "  glovebox serve --listen 127.0.0.1:8080 --token-file ~/.glovebox-tokens\n"
                "  curl --unix-socket $XDG_RUNTIME_DIR/glovebox.sock \\\n"
                "       --json '{\"code\": \"print(1)\"}' http://localhost/v1/run",
    .tables = shown_tables,
    .run = serve_main,
};
