/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox mcp`: a server of the Model Context Protocol on standard input and output.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "cli/commands.h"
#include "cli/mcp_install.h"
#include "cli/mcp_relay.h"
#include "console/options.h"
#include "console/report.h"
#include "mcp/stdio.h"
#include "terminal/cancel.h"

struct mcp_settings {
    struct cli_settings cli; /* first: the shared tables count on it */
    struct opt_list languages;
    int64_t sessions;
    uint64_t message_limit;
    struct mcp_install install;
};

#define AT(member) offsetof(struct mcp_settings, member)

enum { IDLE_MS = 30 * 60 * 1000 };

static const struct opt mcp_options[] = {
    {.name = "languages",
     .kind = OPT_LIST,
     .flags = OPT_COMMAS,
     .offset = AT(languages),
     .arg = "NAMES",
     .values = "languages",
     .group = "The server",
     .help = "offer only these languages, the first by default: python,bash; may be repeated"},
    {.name = "sessions",
     .kind = OPT_INT,
     .offset = AT(sessions),
     .arg = "N",
     .group = "The server",
     .initial = "16",
     .min = 1,
     .max = 1000,
     .help = "maximum number of open sessions"},
    {.name = "message-limit",
     .kind = OPT_SIZE,
     .offset = AT(message_limit),
     .arg = "SIZE",
     .group = "The server",
     .initial = "8m",
     .min = 64 << 10,
     .max = 256 << 20,
     .help = "size of the longest answer; many clients end the connection at 10 MiB"},
    {.name = "install",
     .kind = OPT_STRING,
     .offset = AT(install.client),
     .arg = "CLIENT",
     .often = true,
     .group = "Clients",
     .help = "print the configuration for this client, and serve nothing: claude, claude-desktop, "
             "cursor, vscode, codex, gemini, windsurf"},
    {.name = "write",
     .kind = OPT_FLAG,
     .offset = AT(install.write),
     .often = true,
     .group = "Clients",
     .help = "with --install: write it into the client's file, and keep what is there"},
    {.name = "http",
     .kind = OPT_STRING,
     .offset = AT(install.http),
     .arg = "ADDRESS",
     .group = "Clients",
     .help =
         "with --install: the client asks the daemon at this address, HOST:PORT, with the token "
         "in $GLOVEBOX_TOKEN"},
    {0},
};

static const struct opt *const tables[] = {
    mcp_options,     work_options, wall_options,   policy_options, guard_options,   limit_options,
    session_options, log_options,  daemon_options, quiet_option,   general_options, NULL};

#define TAKES                                                                                      \
    ",languages,sessions,message-limit,install,write,http,lang,python,file,env,backend,image,"     \
    "dockerfile,pip,runtime,net,ro,writable,require,without,"                                      \
    "allow-unsafe,cold,profile,allow-imports,forbid-imports,target,prelude,check,no-check,"        \
    "timeout,cpu-time,memory,cpus,pids,disk,inodes,open-files,output-limit,retries,retry-delay,"   \
    "preload,grace,forks,idle,log,log-code,daemon,token-file,no-daemon,quiet,config,help,"

static int check_languages(const struct mcp_settings *set, struct err *err)
{
    for (size_t i = 0; i < set->languages.n; i++)
        if (!language_find(&set->cli.common.languages, str_from(set->languages.items[i])))
            return err_set(err, ERR_USAGE, "--languages: the language '%.40s' is not known",
                           set->languages.items[i]);
    return 0;
}

/* At a terminal nothing else would be seen: the server waits for a client. */
static void greet(const struct mcp_settings *set)
{
    if (isatty(STDIN_FILENO))
        report_say(&set->cli, "waiting for a client of MCP on standard input; Ctrl-D ends; "
                              "'glovebox mcp --install CLIENT' prints a client's configuration");
}

static void on_line_here(void *relay, struct str line)
{
    mcp_pending_note(&((struct mcp_relay *)relay)->pending, line);
}

static bool is_daemon_back(void *relay)
{
    return mcp_relay_reopen(relay);
}

/* Serves in this process, from the beginning, or after a daemon was lost. 1: a daemon was started,
 * and the relay is connected to it. */
static int serve_here(const struct mcp_settings *set, struct mcp_relay *relay, struct err *err)
{
    struct run_request request;
    AUTO_BUF struct buf begun = mcp_relay_take_begun(relay);

    if (settings_request(&set->cli.common, &request, err) < 0)
        return -1;
    report_unsafe(&set->cli, &request);
    fd_raise_limit();
    const struct mcp_options options = {
        .settings = &set->cli.common,
        .languages = set->languages.items,
        .sessions_max = (size_t)set->sessions,
        .message_max = set->message_limit,
        .idle_ms = set->cli.common.idle ? set->cli.common.idle : IDLE_MS,
        .in_fd = relay->in_fd,
        .out_fd = relay->out_fd,
        .quit_fd = relay->quit_fd,
        .earlier = buf_str(&relay->earlier),
        .begun = buf_str(&begun),
        .seen = on_line_here,
        .leave = is_daemon_back,
        .ctx = relay,
        .left = &relay->begun,
    };
    return mcp_serve(&options, err);
}

static int serve(const struct mcp_settings *set, struct err *err)
{
    struct mcp_relay relay = {.settings = &set->cli,
                              .languages = &set->languages,
                              .sessions = set->sessions,
                              .message_limit = set->message_limit,
                              .in_fd = STDIN_FILENO,
                              .out_fd = STDOUT_FILENO};
    int cancel[2];

    if (cancel_catch_signals(cancel, err) < 0)
        return -1;
    mcp_relay_init(&relay);
    relay.quit_fd = cancel[0];
    greet(set);
    int result = mcp_relay_open(&relay, err);
    for (bool there = result > 0, done = result < 0; !done; there = !there) {
        result = there ? mcp_relay_run(&relay, err) : serve_here(set, &relay, err);
        done = there ? result != 0 : result <= 0;
    }
    mcp_relay_done(&relay);
    return result < 0 ? -1 : 0;
}

static int dispatch(struct mcp_settings *set, struct opt_set *options, const struct opt_args *args,
                    int argc, char **argv, struct err *err)
{
    if (cli_options_taken(options, &command_mcp, err) < 0)
        return -1;
    if (args->operand_n || args->rest_n)
        return err_set(err, ERR_USAGE, "takes no operand; --install CLIENT names a client");
    if (settings_load(&set->cli.common, options, set->cli.config, err) < 0 ||
        check_languages(set, err) < 0)
        return -1;
    set->install.config = set->cli.config;
    set->install.token_file = set->cli.token_file;
    if (set->install.client || set->install.write || set->install.http)
        return mcp_install(&set->install, &set->cli.common, argc, argv, err);
    return serve(set, err);
}

static int run(int argc, char **argv)
{
    struct mcp_settings set = {.sessions = 0};
    struct opt_set options;
    struct opt_args args = {0};
    struct err err;
    int status = -1;

    opt_init(&options, tables, &set);
    options.elsewhere = cli_is_key;
    if (opt_parse(&options, argc, argv, &args, &err) == 0) {
        if (set.cli.help) {
            help_print_command(stdout, &command_mcp);
            status = 0;
        } else {
            status = dispatch(&set, &options, &args, argc, argv, &err);
        }
    }
    if (status < 0)
        status = cli_fail("mcp", &err);
    settings_done(&set.cli.common);
    opt_args_done(&args);
    opt_done(&options);
    return status;
}

const struct command command_mcp = {
    .name = "mcp",
    .summary = "a server for MCP clients: tools by which a model runs code",
    .usage = "glovebox mcp [OPTION]...\n"
             "glovebox mcp --install CLIENT [--write] [OPTION]...",
    .tables = tables,
    .takes = TAKES,
    .run = run,
};
