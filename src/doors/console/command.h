/* SPDX-License-Identifier: Apache-2.0
 *
 * A row for each subcommand of `glovebox`. Help, completion and the man page read these rows, too;
 * the long text about NAME is docs/help/NAME.txt.
 */
#ifndef CONSOLE_COMMAND_H
#define CONSOLE_COMMAND_H

#include "options/opt.h"

struct cli_options;

/* A subcommand, for completion. */
struct command_verb {
    const char *name, *meaning; /* `meaning` may be NULL */
    const char
        *takes; /* ",name,name,": its options; NULL: those of `verbs`, and the command's own */
    unsigned verbs;
    const char *operand; /* its first operand, as struct opt.values: "sessions"; NULL: none */
    bool files;          /* the other operands are files */
};

struct command {
    const char *name;
    const char *summary; /* half a line without a full stop */
    const char *usage;   /* "glovebox run [OPTION]... [FILE]"; one line for each way to call it */
    unsigned verbs;      /* its options are those of these verbs (request/setting.h) and those in
                            `tables` */
    /* NULL-terminated; commands may share a table */
    const struct opt *const *tables;
    /* Further options that it reads only from a config file, not from the command line. NULL: none.
     */
    const struct opt *const *reads;
    const char *often; /* ",name,name,": the options that help shows first, in this order; NULL: the
                          marked rows */
    const char *operands; /* operands for completion, as struct opt.values; NULL: see `files` */
    bool files;           /* operands are files */
    /* Sets *ret to the subcommand with this number; false after the last. NULL: there are none. */
    bool (*verb)(size_t i, struct command_verb *ret);
    /* Performs the command, with the settings of its tables (struct cli_settings). Returns the exit
     * status. */
    int (*perform)(struct cli_options *options, struct err *err);
    /* Performs a command that has settings of its own, instead of `perform`; argv[0] is the
     * command's name. */
    int (*run)(int argc, char **argv);
};

/* All tables of the command's options; made once. Not for several threads. */
const struct opt *const *command_tables(const struct command *command);
/* As command_tables, with `reads`. Valid until the next call. */
const struct opt *const *command_reads(const struct command *command);
/* True if the list ",name,name," has the option. */
bool command_lists(const char *names, const struct opt *row);
/* True if the option is a row of one of these verbs, or of no verb. */
bool command_verb_takes(unsigned verbs, const struct opt *row);
/* True if the option was given on the command line. */
bool command_was_given(const struct opt_set *set, const char *option);
/* -1 with ERR_USAGE for an option on the command line that `takes` does not accept: the user meant
 * it to have an effect. `command` is for the message. */
typedef bool (*command_takes)(const void *ctx, const struct opt *row);
int command_refuse_others(const struct opt_set *set, command_takes takes, const void *ctx,
                          const char *command, struct err *err);

/* All commands, in the order in which help shows them; NULL-terminated. main() sets it, because the
 * commands are in a room above this one. */
extern const struct command *const *commands;

#endif
