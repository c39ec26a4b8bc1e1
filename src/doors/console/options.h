/* SPDX-License-Identifier: Apache-2.0
 *
 * The handling of the command line that all commands with settings share.
 */
#ifndef CONSOLE_OPTIONS_H
#define CONSOLE_OPTIONS_H

#include "options/opt.h"
#include "request/settings.h"

struct command;

/* The settings of all front doors, and those of the command line. */
struct cli_settings {
    struct settings common; /* first: the rows of its options have offsets in struct settings */
    char *config;
    char *stages, *explain; /* of check */
    bool sarif, dump_ast, no_attributes, list_rules, list_profiles;
    char *show_profile;
    int64_t max_findings;
    bool json, quiet, trace_time, print_config, clean, doctor_all;
    struct opt_help help;
    char *daemon, *token_file; /* for commands that call a daemon */
    int usage_by;              /* for `glovebox usage`: an enum usage_by */
    char *since;
};

/* Rows that several commands have, with the member's offset and the help text. */
#define JSON_ROW(at, text, ...)                                                                    \
    {                                                                                              \
        .name = "json", .old_letter = 'j', .kind = OPT_FLAG, .offset = (at), .group = "Output",    \
        .help = (text), __VA_ARGS__                                                                \
    }
#define QUIET_ROW(at, text)                                                                        \
    {                                                                                              \
        .name = "quiet", .letter = 'q', .kind = OPT_FLAG, .flags = OPT_CONF | OPT_LOOSENS,         \
        .offset = (at), .group = "Output", .help = (text)                                          \
    }
#define CONFIG_ROW(at)                                                                             \
    {                                                                                              \
        .name = "config", .kind = OPT_STRING, .offset = (at), .arg = "FILE", .group = "General",   \
        .help = "read this config file instead of the user's and the project's"                    \
    }

struct cli_options {
    struct cli_settings settings;
    struct opt_set set;
    struct opt_args args;
};

extern const struct opt json_option[];
extern const struct opt general_options[]; /* --config, --help */
extern const struct opt quiet_option[];
extern const struct opt daemon_options[]; /* --daemon, --token-file */

/* Parses the command line, then loads the sources of lower priority, unless only help is requested.
 * Call cli_options_done in every case. */
int cli_options_load(struct cli_options *options, const struct command *command, int argc,
                     char **argv, struct err *err);
/* opt_parse; warns of a letter of an earlier release. */
int cli_parse(struct opt_set *set, int argc, char **argv, struct opt_args *ret, struct err *err);
/* True if some command has this key in a config file (opt_set.elsewhere), or a verb has this option
 * (opt_set.of_others). */
bool cli_is_key(struct str key);
bool cli_is_option(struct str name);
/* Refuses options that the command has only for config files (command->reads). -1 with *err. */
int cli_options_only(const struct cli_options *options, const struct command *command,
                     struct err *err);
void cli_options_done(struct cli_options *options);

/* Prints "glovebox run: message" to standard error. Returns the exit status. */
int cli_fail(const char *command, const struct err *err);

#endif
