/* SPDX-License-Identifier: Apache-2.0
 *
 * A model reads a program before it runs, and decides whether it may.
 *
 *     if (review_open(&settings, &review, &err) < 0) ...
 *     run.review = true;
 *     run.reviewer = review_reviewer(review);
 *
 * Only a model's verdict approves a program: any failure is a refusal, whose reason names the
 * failure. The program cannot give the model instructions: in the question it is between two marks
 * that its author could not know.
 */
#ifndef REVIEW_REVIEW_H
#define REVIEW_REVIEW_H

#include "llm/llm.h"
#include "request/reviewer.h"

struct review_settings {
    const struct model_settings *model;
    const char *log; /* for the usage; as run_request.log */
    /* reasons do not contain the error and the server's address; `note` receives them */
    bool discreet;
    bool no_cache; /* ask for every program, and keep no verdict */
    /* Receives a line, such as a retry and its reason. May be NULL. Any thread may call it. */
    void (*note)(void *ctx, const char *what);
    void *ctx;
};

struct review;

/* Finds model and key; sends nothing yet. -1 as llm_open. The settings must outlive the review. */
int review_open(const struct review_settings *settings, struct review **ret, struct err *err);
void review_close(struct review *review); /* NULL is fine; wipes the key */
/* The reviewer for requests. Any thread may call it. */
const struct reviewer *review_reviewer(const struct review *review);

/* "openai" and so on; the model's name as the server knows it. */
const char *review_provider(const struct review *review);
const char *review_model(const struct review *review);
/* The total that all reviews so far used. Do not call it during a review. */
const struct llm_usage_table *review_usage(const struct review *review);

#endif
