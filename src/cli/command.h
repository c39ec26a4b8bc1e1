/* SPDX-License-Identifier: Apache-2.0
 *
 * What `glovebox NAME` is: one row per subcommand. Help, completion and the man page read it too;
 * the long text about NAME is src/cli/help/NAME.txt.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/opt.h"

struct command {
    const char *name;
    const char *summary; /* half a line, no full stop */
    const char *usage;   /* "glovebox run [OPTION]... [FILE]"; one way to call it per line */
    const struct opt *const *tables; /* ends with NULL; commands may share a table */
    const char *takes; /* ",name,name,": those of them that mean something to it; NULL: all */
    int (*run)(int argc, char **argv); /* the exit status; argv[0] is the command's name */
};

/* Whether it takes this option, and says so. */
bool command_shows(const struct command *command, const struct opt *row);
/* Whether a ",name,name," has it. */
bool command_lists(const char *names, const struct opt *row);

/* All of them, in the order in which help shows them; ends with NULL. */
extern const struct command *const commands[];

#endif
