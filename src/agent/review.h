/* SPDX-License-Identifier: Apache-2.0
 *
 * A model reads a program before it runs, and decides whether it may.
 *
 *     if (review_open(&settings, &review, &err) < 0) ...
 *     run.review = true;
 *     run.reviewer = review_reviewer(review);
 *
 * Only a model's verdict approves: a failure of any kind refuses, and its reason says which. The
 * program cannot speak to the model: it stands between two marks that its author could not know.
 */
#ifndef AGENT_REVIEW_H
#define AGENT_REVIEW_H

#include "llm/llm.h"
#include "request/reviewer.h"

struct review_settings {
    const struct llm_settings *model;
    const char *log; /* for the usage; as run_request.log */
    bool discreet;   /* reasons do not say what went wrong, and where: note has that */
    bool no_cache;   /* ask for every program, and keep no verdict */
    /* A line: a retry and its reason. May be NULL; from any thread. */
    void (*note)(void *ctx, const char *what);
    void *ctx;
};

/* The row of --no-review-cache, with the offset of its flag. */
#define REVIEW_CACHE_ROW(at)                                                                       \
    {                                                                                              \
        .name = "no-review-cache", .kind = OPT_FLAG, .flags = OPT_CONF, .offset = (at),            \
        .group = "The model",                                                                      \
        .help = "ask the model about every program, also one that it has reviewed before"          \
    }

struct review;

/* Finds model and key; nothing is sent yet. -1 as llm_open. The settings must outlive it. */
int review_open(const struct review_settings *settings, struct review **ret, struct err *err);
void review_close(struct review *review); /* NULL is fine; wipes the key */
/* For requests; from any thread. */
const struct reviewer *review_reviewer(const struct review *review);

/* "openai" and so on; the model's name as the server knows it. */
const char *review_provider(const struct review *review);
const char *review_model(const struct review *review);
/* What all reviews so far used; not while one is under way. */
const struct llm_usage_table *review_usage(const struct review *review);

#endif
