/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_LOG_SETTINGS_H
#define CLI_LOG_SETTINGS_H

#include "request/settings.h"

struct log_settings {
    /* First: its tables count on it. Of these --log, --lang and --backend mean something here. */
    struct settings common;
    bool json, help, quiet;
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

/* What help shows, and what is read: a config file holds settings of other commands as well, which
 * have to be known to be passed over. */
extern const struct opt *const log_shown_tables[];
extern const struct opt *const log_tables[];

#endif
