/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"

const struct command *const commands[] = {
    &command_run, &command_doctor, &command_log, &command_help, NULL,
};

static int no_command(const char *name)
{
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        puts("glovebox " GLOVEBOX_VERSION);
        return 0;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        help_print_overview(stdout);
        return 0;
    }
    fprintf(stderr, "glovebox: there is no command '%s'; 'glovebox help' lists them\n", name);
    return 2;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        help_print_overview(stderr);
        return 2;
    }
    const struct command *command = help_find_command(argv[1]);
    if (!command)
        return no_command(argv[1]);
    int status = command->run(argc - 1, argv + 1);
    if (fflush(stdout) != 0 && status == 0) {
        perror("glovebox: standard output");
        return 125;
    }
    return status;
}
