/* SPDX-License-Identifier: Apache-2.0
 *
 * A row per subcommand of `glovebox`. Help, completion and the man page read it too; the long text
 * about NAME is src/help/NAME.txt.
 */
#ifndef CONSOLE_COMMAND_H
#define CONSOLE_COMMAND_H

#include "base/opt.h"

struct cli_options;

/* A subcommand, for completion. */
struct command_verb {
    const char *name, *meaning; /* the meaning may be NULL */
    const char *takes;          /* as in struct command */
    unsigned session;
    const char *operand; /* its first operand, as struct opt.values: "sessions"; NULL: nothing */
    bool files;          /* files follow the first operand */
};

struct command {
    const char *name;
    const char *summary; /* half a line, no full stop */
    const char *usage;   /* "glovebox run [OPTION]... [FILE]"; one line for each way to call it */
    const struct opt *const *tables; /* ends with NULL; commands may share a table */
    /* What a config file may have for it, where that is more; on the command line, only what is in
     * `tables` is taken. NULL: no more. */
    const struct opt *const *reads;
    const char *takes;    /* ",name,name,": the options that have an effect; NULL: all */
    const char *often;    /* likewise: what help shows first, in this order; NULL: rows so marked */
    unsigned session;     /* and settings of these sessions: bits of enum setting_session */
    const char *operands; /* what completion offers: as struct opt.values; NULL: see `files` */
    bool files;           /* operands are files */
    /* The subcommand with this number; false after the last. NULL: there are none. */
    bool (*verb)(size_t i, struct command_verb *ret);
    /* With the settings of its tables (struct cli_settings). Returns the exit status. */
    int (*perform)(struct cli_options *options, struct err *err);
    /* Instead, for a command with settings of its own; argv[0] is the command's name. */
    int (*run)(int argc, char **argv);
};

/* Whether the command takes this option and lists it. */
bool command_shows(const struct command *command, const struct opt *row);
/* Whether the list ",name,name," has the option, or it is a setting of these sessions. */
bool command_lists(const char *names, unsigned session, const struct opt *row);
/* Whether the option stands on the command line. */
bool command_was_given(const struct opt_set *set, const char *option);
/* ERR_USAGE for an option on the command line that `takes` does not accept: the user meant it to
 * have an effect. `command` is for the message. */
typedef bool (*command_takes)(const void *ctx, const struct opt *row);
int command_refuse_others(const struct opt_set *set, command_takes takes, const void *ctx,
                          const char *command, struct err *err);

/* All of them, in the order in which help shows them; ends with NULL. */
extern const struct command *const commands[];

#endif
