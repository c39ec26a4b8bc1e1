/* SPDX-License-Identifier: Apache-2.0 */
#include "console/model_review.h"

#include <stdio.h>

#include "base/core_dump.h"
#include "terminal/safe_text.h"

void model_note(void *ctx, const char *what)
{
    AUTO_BUF struct buf line = {0};

    (void)ctx;
    buf_init(&line, 64 << 10);
    safe_text_add(&line, str_from(what), false);
    fprintf(stderr, "glovebox: %s\n", line.p);
}

struct review_settings model_review_settings(const struct cli_settings *set)
{
    return (struct review_settings){.model = &set->model,
                                    .log = set->common.log,
                                    .no_cache = set->no_review_cache,
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
    if (set->model.key_file && !set->model.url)
        return err_set(err, ERR_USAGE,
                       "a project's config file may not choose the service that gets the key of "
                       "--key-file: name the model on the command line or in your own config "
                       "file");
    return 0;
}

static int refuse_given(const struct opt_set *sources, const char *why, struct err *err)
{
    for (const struct opt *row = review_model_options; row->name; row++)
        if (opt_source_of(sources, row->name)->from == OPT_FROM_COMMAND)
            return err_set(err, ERR_USAGE, "--%s %s", row->name, why);
    return 0;
}

int model_review_open(const struct cli_settings *set, struct run_request *q, struct review **ret,
                      struct err *err)
{
    const struct opt_set *sources = set->common.sources;
    const struct review_settings settings = model_review_settings(set);

    *ret = NULL;
    if (!q->review)
        return refuse_given(sources, "has no effect without --review", err);
    if (set->daemon)
        return err_set(err, ERR_USAGE,
                       "--review does not go with --daemon: a daemon that was started with "
                       "--review reviews every program");
    if (!set->model.model && !set->model.replay && !set->model.url)
        return err_set(err, ERR_USAGE, "--review needs a model: --model NAME");
    if (model_check_choice(set, true, err) < 0)
        return -1;
    core_dump_without_memory();
    if (review_open(&settings, ret, err) < 0)
        return err_wrap(err, "--review");
    q->reviewer = review_reviewer(*ret);
    return 0;
}
