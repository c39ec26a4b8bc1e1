/* SPDX-License-Identifier: Apache-2.0
 *
 * What `glovebox NAME` is: one row per subcommand. Help, completion and the man page read it too.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/opt.h"

struct command {
    const char *name;
    const char *summary;     /* half a line, no full stop */
    const char *usage;       /* "glovebox run [OPTION]... [FILE]"; one way to call it per line */
    const char *description; /* help text (see cli/help.h), or NULL */
    const char *examples;    /* the same */
    const struct opt *const *tables;   /* ends with NULL; commands may share a table */
    int (*run)(int argc, char **argv); /* the exit status; argv[0] is the command's name */
};

/* All of them, in the order in which help shows them; ends with NULL. */
extern const struct command *const commands[];

#endif
