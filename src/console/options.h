/* SPDX-License-Identifier: Apache-2.0
 *
 * The handling of the command line that all commands with settings share.
 */
#ifndef CONSOLE_OPTIONS_H
#define CONSOLE_OPTIONS_H

#include "agent/bounds.h"
#include "base/opt.h"
#include "llm/settings.h"
#include "request/settings.h"

struct command;

/* The settings of all front doors, and those of the command line. */
struct cli_settings {
    struct settings common; /* first: its tables count on it */
    char *code, *stdin_path, *config;
    char *stages, *explain;               /* of check */
    char *cases, *func, *setup, *checker; /* of test */
    char *suite, *results, *junit, *k;
    int64_t jobs;
    bool resume, reference, coverage;
    int compare;
    bool isolate, strict_stderr;
    bool allow_errors; /* of run: a notebook continues after a cell that fails */
    bool sarif, dump_ast, no_attributes, list_rules, list_profiles;
    char *show_profile;
    int64_t max_findings;
    bool json, events, quiet, trace_time, print_config, help, clean;
    char *daemon, *token_file; /* of commands that ask a daemon */
    struct llm_settings model; /* of commands with a model */
    char *temperature, *save, *instruction;
    bool stream, in_place, diff;
    int64_t samples;
    struct {
        int calls, style;
        bool one_shot;
        char *check;
    } solve;
    struct agent_bounds bounds; /* of a task for a model */
    bool no_review_cache;       /* of reviews */
    int usage_by;               /* of usage: an enum usage_by */
    char *since;
};

/* Rows that several commands have, with the offset of the member and the text of the help. */
#define JSON_ROW(at, text, ...)                                                                    \
    {                                                                                              \
        .name = "json", .letter = 'j', .kind = OPT_FLAG, .offset = (at), .group = "Output",        \
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
extern const struct opt model_options[];        /* model_options.c */
extern const struct opt review_model_options[]; /* of --review: which model, and its cache */
extern const struct opt cases_options[], sample_options[], program_options[];
extern const struct opt daemon_options[]; /* --daemon, --token-file */

/* Parses the command line, then loads the sources of lower priority, unless only help is requested.
 * Call cli_options_done in every case. */
int cli_options_load(struct cli_options *options, const struct opt *const *tables, int argc,
                     char **argv, struct err *err);
/* Whether some command has this key in a config file (opt_set.elsewhere). */
bool cli_is_key(struct str key);
/* A config file may contain keys that concern other commands: `tables` has them, and `shown` has
 * not. Refuses those on the command line, where they have no effect. */
int cli_options_only(const struct cli_options *options, const struct opt *const *shown,
                     const char *command, struct err *err);
/* The same by command->takes. */
int cli_options_taken(const struct opt_set *set, const struct command *command, struct err *err);
void cli_options_done(struct cli_options *options);

/* "glovebox run: message" on standard error; returns the exit status. */
int cli_fail(const char *command, const struct err *err);

#endif
