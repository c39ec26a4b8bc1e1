/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox mcp`: a server of the Model Context Protocol on standard input and output.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "console/commands.h"
#include "console/mcp_install.h"
#include "console/options.h"
#include "mcp/stdio.h"
#include "registry/registry.h"
#include "remote/mcp_daemon.h"
#include "report/report.h"
#include "request/setting.h"
#include "terminal/cancel.h"

struct mcp_settings {
    struct cli_settings cli; /* first: the shared tables count on it */
    struct opt_list languages, tools;
    char *rw;
    int roots;
    int64_t sessions;
    uint64_t message_limit;
    struct mcp_install install;
};

#define AT(member) offsetof(struct mcp_settings, member)

enum { IDLE_MS = 30 * 60 * 1000 };

static const char *const roots_modes[] = {"off", "ro", "rw", NULL}; /* as enum stdio_roots_mode */

static const struct opt mcp_options[] = {
    {.name = "languages",
     .kind = OPT_LIST,
     .flags = OPT_COMMAS,
     .offset = AT(languages),
     .arg = "NAMES",
     .values = "languages",
     .group = "The server",
     .help = "offer only these languages, the first by default: python,bash; may be repeated"},
    {.name = "tools",
     .kind = OPT_LIST,
     .flags = OPT_COMMAS,
     .offset = AT(tools),
     .arg = "NAMES",
     .group = "The server",
     .help = "offer only these tools: execute_code,run_command; may be repeated"},
    {.name = "rw",
     .kind = OPT_STRING,
     .offset = AT(rw),
     .arg = "DIR",
     .group = "The server",
     .help = "let the programs work in this folder of the host, such as '.', the project: they see "
             "its files, and their changes stay"},
    {.name = "roots",
     .kind = OPT_CHOICE,
     .offset = AT(roots),
     .arg = "MODE",
     .choices = roots_modes,
     .group = "The server",
     .help = "show the folders that the client names as its roots: off, ro (read-only), or rw (the "
             "programs work in the first one, as with --rw)"},
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
             "cursor, vscode, codex, gemini, windsurf, zed, cline, opencode, goose"},
    {.name = "uninstall",
     .kind = OPT_STRING,
     .offset = AT(install.remove),
     .arg = "CLIENT",
     .group = "Clients",
     .help = "remove the entry from this client's file, and keep the rest of the file"},
    {.name = "project",
     .kind = OPT_FLAG,
     .offset = AT(install.project),
     .often = true,
     .group = "Clients",
     .help = "with --install: the client's file for the project in the current folder, which is "
             "shown read-only (--ro .) unless --ro, --rw or --roots is given"},
    {.name = "write",
     .kind = OPT_FLAG,
     .offset = AT(install.write),
     .often = true,
     .group = "Clients",
     .help = "with --install: write the configuration into the client's file, and keep the rest of "
             "the file"},
    {.name = "http",
     .kind = OPT_STRING,
     .offset = AT(install.http),
     .arg = "ADDRESS",
     .group = "Clients",
     .help = "with --install: the client connects to the daemon at this address, HOST:PORT, with "
             "the token "
             "in $GLOVEBOX_TOKEN"},
    {0},
};

static const struct opt *const tables[] = {mcp_options, daemon_options, quiet_option,
                                           general_options, NULL};

/* The rows that apply only to a server in this process, in addition to the settings of runs. */
#define ROWS_OF_SERVER ",languages,tools,rw,roots,sessions,http,"

static int check_languages(const struct mcp_settings *set, struct err *err)
{
    for (size_t i = 0; i < set->languages.n; i++)
        if (!language_find(&set->cli.common.languages, str_from(set->languages.items[i])))
            return err_set(err, ERR_USAGE, "--languages: the language '%.40s' is not known",
                           set->languages.items[i]);
    return 0;
}

/* Prints a line at a terminal, where nothing else would show that the server waits for a client. */
static void greet(const struct mcp_settings *set)
{
    if (isatty(STDIN_FILENO))
        report_say(&set->cli, "waiting for a client of MCP on standard input; Ctrl-D ends; "
                              "'glovebox mcp --install CLIENT' prints a client's configuration");
}

/* Gives SRC of SRC[:DST] its absolute path: it may be relative to the folder in which the client
 * starts this server, such as its project. */
static int resolve_folder(char **spec, struct err *err)
{
    AUTO_FREE char *whole = realpath(*spec, NULL);
    char *colon = whole ? NULL : strrchr(*spec, ':');
    AUTO_FREE char *given = xstrndup(*spec, colon ? (size_t)(colon - *spec) : strlen(*spec));
    AUTO_FREE char *real = realpath(given, NULL);

    if (!real)
        return err_set(err, ERR_USAGE, "%.200s: %s", *spec, strerror(errno));
    char *text = xasprintf("%s%s", real, colon ? colon : "");
    free(*spec);
    *spec = text;
    return 0;
}

static int resolve_folders(struct mcp_settings *set, struct err *err)
{
    struct settings *common = &set->cli.common;

    for (size_t i = 0; i < common->ro.n; i++)
        if (*common->ro.items[i] != '/' && resolve_folder(&common->ro.items[i], err) < 0)
            return err_wrap(err, "--ro");
    if (set->rw && resolve_folder(&set->rw, err) < 0)
        return err_wrap(err, "--rw");
    common->work_dir = set->rw ? set->rw : common->work_dir;
    return 0;
}

/* Refuses what could not work for any client. */
static int check_roots(const struct mcp_settings *set, const struct run_request *request,
                       struct err *err)
{
    const char *name = request->place.backend ? request->place.backend : "jail";
    const struct backend *backend;

    if (set->roots == ROOTS_OFF)
        return 0;
    if (set->roots == ROOTS_RW && set->rw)
        return err_set(err, ERR_USAGE,
                       "--rw and --roots=rw exclude each other: programs work in one folder");
    backend = backend_find(str_from(name), err);
    if (!backend)
        return -1;
    return set->roots == ROOTS_RW || !backend->interpreter
               ? 0
               : err_set(err, ERR_UNSUPPORTED,
                         "backend %s shows no files of this host: --roots=rw copies the client's "
                         "first folder",
                         backend->name);
}

static void report_line(void *ctx, const char *line)
{
    report_say(ctx, line);
}

static int serve_here(struct mcp_settings *set, int quit_fd, struct err *err)
{
    struct run_request request;

    if (resolve_folders(set, err) < 0 || settings_request(&set->cli.common, &request, err) < 0 ||
        check_roots(set, &request, err) < 0)
        return -1;
    report_unsafe(&set->cli, &request);
    const struct mcp_options options = {
        .settings = &set->cli.common,
        .languages = set->languages.items,
        .tools = set->tools.items,
        .sessions_max = (size_t)set->sessions,
        .message_max = set->message_limit,
        .idle_ms = set->cli.common.idle ? set->cli.common.idle : IDLE_MS,
        .roots = (enum stdio_roots_mode)set->roots,
        .report = report_line,
        .report_ctx = &set->cli,
        .in_fd = STDIN_FILENO,
        .out_fd = STDOUT_FILENO,
        .quit_fd = quit_fd,
    };
    return mcp_serve(&options, err);
}

static int cmd_mcp_serve(struct mcp_settings *set, struct err *err)
{
    int cancel[2];

    if (cancel_catch_signals(cancel, err) < 0)
        return -1;
    greet(set);
    fd_raise_limit(); /* sandboxes, or calls to the daemon, need many descriptors */
    return set->cli.daemon ? mcp_daemon_serve(&set->cli, set->message_limit, cancel[0], err)
                           : serve_here(set, cancel[0], err);
}

/* With --daemon, the daemon decides about the model's programs, so options about them are refused.
 */
static int check_daemon(const struct mcp_settings *set, const struct opt_set *options,
                        struct err *err)
{
    struct opt_walk walk = {0};
    const struct opt *row;

    if (!set->cli.daemon)
        return set->cli.token_file ? err_set(err, ERR_USAGE, "--token-file requires --daemon") : 0;
    while ((row = opt_next(options->tables, &walk)))
        if (command_was_given(options, row->name) &&
            (!command_verb_takes(0, row) || command_lists(ROWS_OF_SERVER, row)))
            return err_set(err, ERR_USAGE,
                           "--%s has no effect with --daemon, whose own settings hold: give it to "
                           "'glovebox serve', or leave out --daemon",
                           row->name);
    return 0;
}

static int cmd_mcp_dispatch(struct mcp_settings *set, struct opt_set *options,
                            const struct opt_args *args, int argc, char **argv, struct err *err)
{
    if (args->operand_n || args->rest_n)
        return err_set(err, ERR_USAGE, "takes no argument; --install CLIENT names a client");
    if (settings_load(&set->cli.common, options, set->cli.config, err) < 0 ||
        check_languages(set, err) < 0 || mcp_check_tools(set->tools.items, err) < 0 ||
        check_daemon(set, options, err) < 0)
        return -1;
    set->install.shows = set->cli.common.ro.n || set->rw || set->roots;
    set->install.config = set->cli.config;
    set->install.token_file = set->cli.token_file;
    if (set->install.client || set->install.remove || set->install.write || set->install.project ||
        set->install.http)
        return mcp_install(&set->install, &set->cli.common, argc, argv, err);
    return cmd_mcp_serve(set, err);
}

static int cmd_mcp_run(int argc, char **argv)
{
    struct mcp_settings set = {.sessions = 0};
    struct opt_set options;
    struct opt_args args = {0};
    struct err err;
    int status = -1;

    opt_init(&options, command_tables(&command_mcp), &set);
    options.elsewhere = cli_is_key;
    options.of_others = cli_is_option;
    options.command = "mcp";
    if (opt_parse(&options, argc, argv, &args, &err) == 0) {
        if (opt_help_asked(&set.cli.help)) {
            help_print_command(stdout, &command_mcp, &set.cli.help);
            status = 0;
        } else {
            status = cmd_mcp_dispatch(&set, &options, &args, argc, argv, &err);
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
    .summary = "serve MCP clients: tools with which a model runs code",
    .usage = "glovebox mcp [OPTION]...\n"
             "glovebox mcp --install CLIENT [--project] [--write] [OPTION]...\n"
             "glovebox mcp --uninstall CLIENT [--project]",
    .verbs = V_MCP,
    .tables = tables,
    .run = cmd_mcp_run,
};
