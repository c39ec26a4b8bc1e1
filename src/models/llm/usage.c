/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/usage.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "formats/json_get.h"

/* Adds without overflow: a server may report any number. */
static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

void llm_usage_add(struct llm_usage *sum, const struct llm_usage *more)
{
    bool first = sum->requests == 0;

    if (more->requests == 0)
        return;
    sum->tokens_known = (first || sum->tokens_known) && more->tokens_known;
    sum->cost_known = (first || sum->cost_known) && more->cost_known;
    sum->requests = plus(sum->requests, more->requests);
    sum->prompt_tokens = plus(sum->prompt_tokens, more->prompt_tokens);
    sum->completion_tokens = plus(sum->completion_tokens, more->completion_tokens);
    sum->cached_tokens = plus(sum->cached_tokens, more->cached_tokens);
    sum->cost += more->cost;
}

int64_t llm_usage_tokens(const struct llm_usage *usage)
{
    return plus(usage->prompt_tokens, usage->completion_tokens);
}

static json_t *usage_number(bool known, int64_t n)
{
    return known ? json_integer(n) : json_null();
}

/* Tokens and cost are null when they are unknown. */
static json_t *usage_json(const struct llm_usage *u)
{
    bool known = u->tokens_known;

    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}", "requests", (json_int_t)u->requests,
                     "prompt_tokens", usage_number(known, u->prompt_tokens), "completion_tokens",
                     usage_number(known, u->completion_tokens), "total_tokens",
                     usage_number(known, llm_usage_tokens(u)), "cached_tokens",
                     usage_number(known, u->cached_tokens), "cost",
                     u->cost_known ? json_real(u->cost) : json_null());
}

void llm_usage_count(struct llm_usage_table *table, const char *component,
                     const struct llm_usage *usage)
{
    size_t i = 0;

    while (i < table->n && strcmp(table->at[i].component, component) != 0)
        i++;
    if (i == table->n) {
        table->at = xrealloc_array(table->at, table->n + 1, sizeof *table->at);
        table->at[table->n++] = (struct llm_usage_row){.component = xstrdup(component)};
    }
    llm_usage_add(&table->at[i].usage, usage);
}

void llm_usage_count_json(struct llm_usage_table *table, const json_t *json)
{
    const char *component;
    json_t *row;

    json_object_foreach((json_t *)(uintptr_t)json, component, row)
    {
        const struct llm_usage usage = {
            .requests = json_get_int(row, "requests"),
            .tokens_known = json_is_integer(json_object_get(row, "prompt_tokens")),
            .prompt_tokens = json_get_int(row, "prompt_tokens"),
            .completion_tokens = json_get_int(row, "completion_tokens"),
            .cached_tokens = json_get_int(row, "cached_tokens"),
            .cost_known = json_is_number(json_object_get(row, "cost")),
            .cost = json_number_value(json_object_get(row, "cost")),
        };
        llm_usage_count(table, component, &usage);
    }
}

void llm_usage_count_table(struct llm_usage_table *table, const struct llm_usage_table *more)
{
    for (size_t i = 0; i < more->n; i++)
        llm_usage_count(table, more->at[i].component, &more->at[i].usage);
}

void llm_usage_total(const struct llm_usage_table *table, struct llm_usage *ret)
{
    *ret = (struct llm_usage){0};
    for (size_t i = 0; i < table->n; i++)
        llm_usage_add(ret, &table->at[i].usage);
}

json_t *llm_usage_table_json(const struct llm_usage_table *table)
{
    json_t *object = json_object();

    for (size_t i = 0; i < table->n; i++)
        json_object_set_new(object, table->at[i].component, usage_json(&table->at[i].usage));
    return object;
}

void llm_usage_table_done(struct llm_usage_table *table)
{
    for (size_t i = 0; i < table->n; i++)
        free(table->at[i].component);
    free(table->at);
    *table = (struct llm_usage_table){0};
}
