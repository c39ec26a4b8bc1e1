/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/usage_write.h"

#include "base/clock.h"
#include "base/mem.h"
#include "store/usage.h"

static struct usage_record record_of(const struct usage_of *what, const struct llm_usage_row *row)
{
    const struct llm_usage *u = &row->usage;

    return (struct usage_record){.time_ms = clock_wall_ms(),
                                 .run_id = str_from(what->run_id),
                                 .component = str_from(row->component),
                                 .provider = str_from(what->provider),
                                 .model = str_from(what->model),
                                 .requests = u->requests,
                                 .prompt_tokens = u->prompt_tokens,
                                 .completion_tokens = u->completion_tokens,
                                 .cached_tokens = u->cached_tokens,
                                 .tokens_known = u->tokens_known,
                                 .cost_known = u->cost_known,
                                 .cost = u->cost};
}

int usage_write(const struct usage_of *what, const struct llm_usage_table *table, struct err *err)
{
    AUTO_FREE struct usage_record *records = xcalloc(table->n + 1, sizeof *records);

    for (size_t i = 0; i < table->n; i++)
        records[i] = record_of(what, &table->at[i]);
    return usage_log(what->log, records, table->n, err) < 0 ? err_wrap(err, "usage") : 0;
}
