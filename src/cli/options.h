/* SPDX-License-Identifier: Apache-2.0
 *
 * What every command that takes settings does with its command line.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/opt.h"
#include "request/settings.h"

/* The settings of all front doors, and those of this one. */
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
    bool sarif, dump_ast, no_attributes, list_rules, list_profiles;
    char *show_profile;
    int64_t max_findings;
    bool json, events, quiet, trace_time, print_config, help;
    char *daemon, *token_file; /* of what asks a daemon */
};

struct cli_options {
    struct cli_settings settings;
    struct opt_set set;
    struct opt_args args;
};

extern const struct opt json_option[];
extern const struct opt general_options[]; /* --config, --help */
extern const struct opt quiet_option[];
extern const struct opt daemon_options[]; /* --daemon, --token-file */

/* Parses the command line, then loads what lies below it, unless only help is wanted. End with
 * cli_options_done in every case. */
int cli_options_load(struct cli_options *options, const struct opt *const *tables, int argc,
                     char **argv, struct err *err);
/* A command reads config files with keys that concern others: its tables have them, and its `shown`
 * tables have not. Refuses those on the command line, where they were meant to do something. */
int cli_options_only(const struct cli_options *options, const struct opt *const *shown,
                     const char *command, struct err *err);
void cli_options_done(struct cli_options *options);

/* "glovebox run: message" on standard error; returns the exit status. */
int cli_fail(const char *command, const struct err *err);

#endif
