/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggestion.h"
#include "console/commands.h"
#include "console/misspelt.h"
#include "console/options.h"
#include "console/other_words.h"
#include "formats/json_mem.h"
#include "terminal/safe_text.h"

static const struct command *const all_commands[] = {
    &command_run,       &command_session, &command_repl,    &command_check,    &command_test,
    &command_blocks,    &command_format,  &command_math,    &command_generate, &command_fix,
    &command_transform, &command_solve,   &command_analyze, &command_review,   &command_tool_schema,
    &command_tool_call, &command_context, &command_serve,   &command_mcp,      &command_doctor,
    &command_env,       &command_log,     &command_usage,   &command_help,     NULL,
};

static int no_command(const char *name)
{
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0 || strcmp(name, "-v") == 0 ||
        strcmp(name, "version") == 0) {
        puts("glovebox " GLOVEBOX_VERSION);
        return 0;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        help_print_overview(stdout);
        return 0;
    }
    struct suggestion near = {.word = str_from(name)};
    AUTO_FREE char *advice = other_command_advice(name);
    for (size_t i = 0; commands[i]; i++)
        suggestion_try(&near, commands[i]->name);
    if (!advice)
        advice = near.best ? xasprintf("did you mean '%s'?", near.best)
                           : xstrdup("'glovebox help' lists them");
    AUTO_FREE char *word =
        safe_text(str_slice(near.word, 0, near.word.n < 60 ? near.word.n : 60), false);
    AUTO_FREE char *safe = safe_line(advice);
    fprintf(stderr, "glovebox: there is no command '%s'; %s\n", word, safe);
    return 2;
}

/* If a standard stream is closed, the next opened file (such as the log) would get its number. */
static void open_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
}

/* Returns the exit status. A large output may leave nothing to flush, so an earlier error on the
 * stream counts as well. */
static int flush_output(int status)
{
    bool flushed = fflush(stdout) == 0;
    const char *why = flushed ? "not all of it was written" : strerror(errno);

    if (status != 0 || (flushed && !ferror(stdout)))
        return status;
    fprintf(stderr, "glovebox: cannot write to standard output: %s\n", why);
    return 125;
}

static int perform(const struct command *command, int argc, char **argv)
{
    struct cli_options options;
    struct err err = {0};
    int status = cli_options_load(&options, command, argc, argv, &err);

    if (status == 0 && opt_help_asked(&options.settings.help)) {
        help_print_command(stdout, command, &options.settings.help);
    } else if (status == 0) {
        if (command->reads)
            status = cli_options_only(&options, command, &err);
        if (status == 0)
            status = command->perform(&options, &err);
    }
    if (status < 0)
        status = cli_fail(command->name, &err);
    cli_options_done(&options);
    return status;
}

int main(int argc, char **argv)
{
    open_streams();
    json_mem_init();
    commands = all_commands;
    if (argc < 2) {
        help_print_overview(stderr);
        return 2;
    }
    const struct command *command = help_find_command(argv[1]);
    if (!command)
        return no_command(argv[1]);
    misspelt_variables_report(stderr);
    argc--;
    argv++;
    return flush_output(command->perform ? perform(command, argc, argv) : command->run(argc, argv));
}
