/* SPDX-License-Identifier: Apache-2.0
 *
 * Merges a run's copy of the document into the document. Other runs may have changed that in the
 * meantime, so only this run's changes are repeated.
 */
#include "text/context_parts.h"

#include <string.h>

static void merge_id(struct context *c, const struct context_change *change)
{
    const char *id = context_execution_id(change->after, change->invocation);

    if (strcmp(id, context_execution_id(change->before, change->invocation)) != 0)
        context_set_execution_id(c, change->invocation, id);
}

static const json_t *processed_of(const struct context *c, const char *invocation)
{
    return context_get(context_scope(c, invocation), KEY_PROCESSED);
}

static void merge_processed(struct context *c, const struct context_change *change)
{
    const json_t *names = processed_of(change->after, change->invocation);
    size_t i = json_array_size(processed_of(change->before, change->invocation));

    for (; i < json_array_size(names); i++) {
        const json_t *name = json_array_get(names, i);
        context_add_processed(c, change->invocation,
                              (struct str){json_string_value(name), json_string_length(name)});
    }
}

static const json_t *results_of(const struct context *c, const char *invocation)
{
    return context_get(context_get(c->document, KEY_RESULTS), invocation);
}

static void merge_results(struct context *c, const struct context_change *change)
{
    const json_t *results = results_of(change->after, change->invocation);
    size_t i = json_array_size(results_of(change->before, change->invocation));

    for (; i < json_array_size(results); i++) {
        json_t *all = context_make(c->document, KEY_RESULTS, json_object);
        json_array_append(context_make(all, change->invocation, json_array),
                          json_array_get(results, i));
    }
}

void context_merge(struct context *c, const struct context_change *change)
{
    const char *invocation = change->invocation;
    int64_t before = context_error_count(change->before, invocation);

    merge_id(c, change);
    merge_processed(c, change);
    merge_results(c, change);
    if (change->success)
        context_reset_errors(c, invocation);
    else if (context_error_count(change->after, invocation) > before)
        context_count_error(c, invocation);
}
