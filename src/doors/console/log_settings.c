/* SPDX-License-Identifier: Apache-2.0 */
#include "console/log_settings.h"

#include "console/options.h"

#include "store/store.h"

/* In the order of enum run_outcome. */
static const char *const outcome_choices[OUTCOME_COUNT + 1] = {
    "any", "ok", "failed", "signal", "timeout", "oom", "refused", "error",
};

#define AT(field) offsetof(struct log_settings, field)

/* The options of the common tables, with the help that is shown for this command. */
static const struct opt shown_options[] = {
    {.name = "lang",
     .letter = 'l',
     .kind = OPT_STRING,
     .offset = AT(common.lang),
     .arg = "NAME",
     .group = "Which runs",
     .help = "runs in this language"},
    {.name = "backend",
     .letter = 'b',
     .kind = OPT_STRING,
     .offset = AT(common.backend),
     .arg = "NAME",
     .group = "Which runs",
     .help = "runs on this backend"},
    {.name = "log",
     .kind = OPT_STRING,
     .offset = AT(common.log),
     .arg = "FILE",
     .group = "General",
     .help = "read this run log instead of the default one ('glovebox log path')"},
    {0},
};

static const struct opt own_options[] = {
    {.name = "since",
     .kind = OPT_STRING,
     .offset = AT(since),
     .arg = "WHEN",
     .group = "Which runs",
     .help = "runs that began at WHEN or later: 2h, 30d, 2025-01-31, '2025-01-31 18:00'"},
    {.name = "until",
     .kind = OPT_STRING,
     .offset = AT(until),
     .arg = "WHEN",
     .group = "Which runs",
     .help = "runs that began before WHEN"},
    {.name = "outcome",
     .kind = OPT_CHOICE,
     .offset = AT(outcome),
     .arg = "NAME",
     .group = "Which runs",
     .choices = outcome_choices,
     .help = "runs with this outcome"},
    {.name = "text",
     .kind = OPT_STRING,
     .offset = AT(text),
     .arg = "TEXT",
     .group = "Which runs",
     .help = "runs with TEXT in the program's name, the guard's reason or the error"},
    {.name = "sha256",
     .kind = OPT_STRING,
     .offset = AT(sha256),
     .arg = "HEX",
     .group = "Which runs",
     .help = "runs of the source whose SHA-256 starts with HEX"},
    {.name = "limit",
     .letter = 'n',
     .kind = OPT_INT,
     .offset = AT(limit),
     .arg = "N",
     .group = "Which runs",
     .initial = "50",
     .max = INT64_MAX,
     .help = "at most N runs; 0 for all"},
    {.name = "older-than",
     .kind = OPT_STRING,
     .offset = AT(older_than),
     .arg = "AGE",
     .group = "Prune",
     .help = "delete runs older than AGE: 12h, 30d"},
    {.name = "keep",
     .kind = OPT_INT,
     .offset = AT(keep),
     .arg = "N",
     .group = "Prune",
     .max = INT64_MAX,
     .help = "keep the newest N runs; without --older-than, delete all others"},
    JSON_ROW(AT(json), "print one JSON document"),
    CONFIG_ROW(AT(config)),
    OPT_HELP_ROWS(AT(help)),
    {0},
};

/* An option of 'glovebox run', known here so that a config file may contain it. */
static const struct opt other_options[] = {
    {.name = "quiet",
     .kind = OPT_FLAG,
     .flags = OPT_CONF | OPT_LOOSENS | OPT_HIDDEN,
     .offset = AT(quiet)},
    {0},
};

const struct opt *const log_shown_tables[] = {shown_options, own_options, NULL};

const struct opt *const log_tables[] = {
    own_options,    other_options, work_options,  data_options, wall_options,
    policy_options, guard_options, limit_options, log_options,  NULL};
