/* SPDX-License-Identifier: Apache-2.0 */
#include "console/model_review.h"

#include <stdio.h>

#include "base/core_dump.h"
#include "base/mem.h"
#include "terminal/safe_text.h"

void model_note(void *ctx, const char *what)
{
    AUTO_FREE char *line = safe_line(what);

    (void)ctx;
    fprintf(stderr, "glovebox: %s\n", line);
}

struct review_settings model_review_settings(const struct cli_settings *set)
{
    return (struct review_settings){.model = &set->common.model,
                                    .log = set->common.log,
                                    .no_cache = set->common.no_review_cache,
                                    .note = set->quiet ? NULL : model_note};
}

static bool is_of_project(const struct cli_settings *set, const char *name)
{
    return opt_source_of(set->common.sources, name)->from == OPT_FROM_PROJECT;
}

int model_check_choice(const struct cli_settings *set, bool reviews, struct err *err)
{
    if (!is_of_project(set, "model") && !is_of_project(set, "provider"))
        return 0;
    if (reviews)
        return err_set(err, ERR_USAGE,
                       "a project's config file may not choose the model of a review: name it on "
                       "the command line or in your own config file");
    if (set->common.model.key_file && !set->common.model.url)
        return err_set(err, ERR_USAGE,
                       "a project's config file may not choose the service that gets the key of "
                       "--key-file: name the model on the command line or in your own config "
                       "file");
    return 0;
}

/* Returns the first option about a review that is on the command line; NULL for none. */
static const char *given_option(const struct opt_set *sources)
{
    static const struct opt *const tables[] = {model_options, talk_options, cache_options, NULL};
    struct opt_walk walk = {0};
    const struct opt *row;

    while ((row = opt_next(tables, &walk))) {
        const struct opt_source *source = opt_source_of(sources, row->name);
        if (source && source->from == OPT_FROM_COMMAND)
            return row->name;
    }
    return NULL;
}

int model_review_open(const struct cli_settings *set, struct run_request *q, struct review **ret,
                      struct err *err)
{
    const struct opt_set *sources = set->common.sources;
    const struct review_settings settings = model_review_settings(set);

    *ret = NULL;
    const char *given = q->policy.review ? NULL : given_option(sources);
    if (given)
        return err_set(err, ERR_USAGE, "--%s has no effect without --review", given);
    if (!q->policy.review)
        return 0;
    if (set->daemon)
        return err_set(
            err, ERR_USAGE,
            "--review cannot be given together with --daemon: a daemon that was started with "
            "--review reviews every program");
    if (!set->common.model.model && !set->common.model.replay && !set->common.model.url)
        return err_set(err, ERR_USAGE, "--review needs a model: --model NAME");
    if (model_check_choice(set, true, err) < 0)
        return -1;
    core_dump_without_memory();
    if (review_open(&settings, ret, err) < 0)
        return err_wrap(err, "--review");
    q->policy.reviewer = review_reviewer(*ret);
    return 0;
}
