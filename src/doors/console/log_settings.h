/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CONSOLE_LOG_SETTINGS_H
#define CONSOLE_LOG_SETTINGS_H

#include "request/settings.h"

struct log_settings {
    /* First: its tables depend on that. Of these settings, --log, --lang and --backend have an
     * effect here. */
    struct settings common;
    bool json, quiet;
    struct opt_help help;
    char *config;
    char *since;
    char *until;
    int outcome; /* an enum run_outcome */
    char *text;
    char *sha256;
    int64_t limit;
    char *older_than;
    int64_t keep;
};

/* The tables that help shows, and the tables that are read. The latter are more: a config file
 * contains settings of other commands, too, which must be known in order to be skipped. */
extern const struct opt *const log_shown_tables[];
extern const struct opt *const log_tables[];

#endif
