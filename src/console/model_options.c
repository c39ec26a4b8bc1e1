/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/samples.h"
#include "console/options.h"

#include "agent/review.h"

#define SETTING_AT(member) offsetof(struct cli_settings, member)

#define RECORD_ROWS                                                                                \
    {.name = "record",                                                                             \
     .kind = OPT_STRING,                                                                           \
     .offset = SETTING_AT(model.record),                                                           \
     .arg = "FILE",                                                                                \
     .group = "The model",                                                                         \
     .excludes = "replay",                                                                         \
     .help = "write every request and answer to FILE, without keys"},                              \
    {                                                                                              \
        .name = "replay", .kind = OPT_STRING, .offset = SETTING_AT(model.replay), .arg = "FILE",   \
        .group = "The model", .excludes = "record",                                                \
        .help = "answer from a file that --record wrote, without network and key"                  \
    }

const struct opt model_options[] = {
#define AT(member) SETTING_AT(model.member)
#include "llm/options.def"
    RECORD_ROWS,
    {.name = "temperature",
     .kind = OPT_STRING,
     .flags = OPT_CONF,
     .offset = SETTING_AT(temperature),
     .arg = "T",
     .group = "The model",
     .initial = "0.2",
     .help = "0 to 2; none: do not send one (some models refuse it); for fix the default is 0.1, "
             "with --samples 0.8"},
    {.name = "stream",
     .kind = OPT_FLAG,
     .offset = SETTING_AT(stream),
     .group = "Output",
     .help = "show the replies on standard error as they arrive"},
    {0},
};

const struct opt review_model_options[] = {
#define AT(member) SETTING_AT(model.member)
#include "llm/options.def"
    RECORD_ROWS,
    REVIEW_CACHE_ROW(SETTING_AT(no_review_cache)),
    {0},
};

const struct opt task_options[] = {
#define AT(member) SETTING_AT(bounds.member)
#include "agent/options.def"
    {0},
};

const struct opt cases_options[] = {
    {.name = "cases",
     .kind = OPT_STRING,
     .offset = SETTING_AT(cases),
     .arg = "FILE",
     .group = "The program",
     .help = "cases that the program has to pass, as for 'glovebox test'"},
    {.name = "func",
     .kind = OPT_STRING,
     .offset = SETTING_AT(func),
     .arg = "NAME",
     .group = "The program",
     .help = "the function that the cases call; not needed if the program has only one"},
    {0},
};

const struct opt sample_options[] = {
    {.name = "samples",
     .kind = OPT_INT,
     .flags = OPT_CONF | OPT_ONLY_LOWER,
     .offset = SETTING_AT(samples),
     .arg = "N",
     .group = "The task",
     .min = 1,
     .max = SAMPLES_MAX,
     .initial = "1",
     .help = "try N conversations side by side: the first success wins, the rest are stopped"},
    {.name = "jobs",
     .kind = OPT_INT,
     .offset = SETTING_AT(jobs),
     .arg = "N",
     .group = "The task",
     .min = 1,
     .max = SAMPLES_MAX,
     .initial = "4",
     .help = "samples at the same time"},
    {0},
};

const struct opt program_options[] = {
    {.name = "code",
     .letter = 'c',
     .kind = OPT_STRING,
     .offset = SETTING_AT(code),
     .arg = "CODE",
     .group = "The program",
     .help = "use this text instead of a file"},
    {.name = "save",
     .kind = OPT_STRING,
     .offset = SETTING_AT(save),
     .arg = "FILE",
     .group = "The program",
     .excludes = "in-place",
     .help = "write the new program to FILE, if it is a success"},
    {.name = "in-place",
     .letter = 'i',
     .kind = OPT_FLAG,
     .offset = SETTING_AT(in_place),
     .group = "The program",
     .excludes = "code",
     .help = "write the new program over the old file, if it is a success"},
    {.name = "diff",
     .kind = OPT_FLAG,
     .offset = SETTING_AT(diff),
     .group = "Output",
     .help = "print what changed, as a unified diff, instead of the program"},
    {0},
};
