/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/doctor_daemon.h"

#include <stdint.h>
#include <stdio.h>

#include "backends/guests_memory.h"
#include "base/mem.h"
#include "base/num.h"
#include "console/options.h"
#include "server/settings.h"

struct sizes {
    uint64_t workers, each, together, usable;
};

static bool read_sizes(const char *file, struct sizes *ret, struct err *err)
{
    AUTO_FREE char *option = xasprintf("--config=%s", file ? file : "");
    char name[] = "serve", only[] = "--print-config"; /* with this option, nothing is opened */
    char *argv[] = {name, only, file ? option : NULL, NULL};
    struct config *config = config_make(file ? 3 : 2, argv, cli_is_key, err);
    struct run_request run;

    if (!config)
        return false;
    run_request_init(&run);
    bool made = settings_request(&config->settings.common, &run, err) == 0;
    *ret = (struct sizes){.workers = (uint64_t)config->settings.workers,
                          .each = run.limits.memory_bytes,
                          .together = config->settings.guests_memory,
                          .usable = 2 * guests_memory_usual()};
    config_drop(config);
    return made;
}

/* Returns NULL if the guests fit into the memory. */
static char *warning(const struct sizes *s)
{
    char all[32], each[32], together[32], usable[32];

    num_format_size(s->workers * s->each, all, sizeof all);
    num_format_size(s->each, each, sizeof each);
    num_format_size(s->together, together, sizeof together);
    num_format_size(s->usable, usable, sizeof usable);
    if (s->together > s->usable)
        return xasprintf(
            "guests may have %s together (--guests-memory), and this machine has %s: the "
            "host's memory can end first, and with it the daemon",
            together, usable);
    if (!s->each)
        return xasprintf("a run has no memory limit: when all runs and sessions have %s together "
                         "(--guests-memory), the largest is killed",
                         together);
    if (s->each > s->together / s->workers)
        return xasprintf("%llu workers with %s each are %s: when all runs and sessions have %s "
                         "together (--guests-memory), the largest is killed, though it is not "
                         "above its own limit; lower --workers or --memory to avoid that",
                         (unsigned long long)s->workers, each, all, together);
    return NULL;
}

void doctor_daemon_print(const char *config)
{
    struct sizes s;
    struct err err;

    fputs("\nMemory of a daemon (glovebox serve): ", stdout);
    if (!read_sizes(config, &s, &err)) {
        printf("the settings of 'serve' cannot be read: %s\n", err.msg);
        return;
    }
    AUTO_FREE char *text = warning(&s);
    puts(text ? text : "all workers can have their limit at the same time");
}

json_t *doctor_daemon_json(const char *config)
{
    struct sizes s;
    struct err err;

    if (!read_sizes(config, &s, &err))
        return json_null();
    AUTO_FREE char *text = warning(&s);
    return json_pack("{s:I, s:I, s:I, s:s?}", "workers", (json_int_t)s.workers, "memory_bytes",
                     (json_int_t)s.each, "guests_memory_bytes", (json_int_t)s.together, "warning",
                     text);
}
