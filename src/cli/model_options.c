/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#define SETTING_AT(member) offsetof(struct cli_settings, member)

const struct opt model_options[] = {
#define AT(member) SETTING_AT(model.member)
#include "llm/options.def"
    {.name = "record",
     .kind = OPT_STRING,
     .offset = SETTING_AT(model.record),
     .arg = "FILE",
     .group = "The model",
     .excludes = "replay",
     .help = "write every request and answer to FILE, without keys"},
    {.name = "replay",
     .kind = OPT_STRING,
     .offset = SETTING_AT(model.replay),
     .arg = "FILE",
     .group = "The model",
     .excludes = "record",
     .help = "answer from a file that --record wrote, without network and key"},
    {.name = "temperature",
     .kind = OPT_STRING,
     .flags = OPT_CONF,
     .offset = SETTING_AT(temperature),
     .arg = "T",
     .group = "The model",
     .initial = "0.2",
     .help = "0 to 2; none: do not send one (some models refuse it)"},
    {.name = "stream",
     .kind = OPT_FLAG,
     .offset = SETTING_AT(stream),
     .group = "Output",
     .help = "show the replies on standard error as they arrive"},
    {0},
};

const struct opt task_options[] = {
#define AT(member) SETTING_AT(bounds.member)
#include "agent/options.def"
    {0},
};
