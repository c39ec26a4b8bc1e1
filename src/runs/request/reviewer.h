/* SPDX-License-Identifier: Apache-2.0
 *
 * The last stage of the guard is a reader that a front door lends: a model, or anything else that
 * can say whether a program may run.
 */
#ifndef REQUEST_REVIEWER_H
#define REQUEST_REVIEWER_H

#include <jansson.h>
#include <stdlib.h>

#include "request/request.h"

/* The names of functions that the program may call, whatever they do: the user chose them. */
struct tool_names {
    char **at; /* sorted */
    size_t n;
};

struct review_question {
    const struct run_request *run;    /* for its limits and its policy */
    const char *run_id;               /* "" for none */
    const char *language;             /* the name of a row of languages */
    struct str code;                  /* as the program's author wrote it, without the prelude */
    const struct tool_names *tools;   /* NULL: none */
    const struct beside_text *beside; /* other texts that run with it */
    size_t beside_count;
    int cancel_fd;       /* readable: stop the review; -1 for none */
    int64_t deadline_ms; /* of clock_mono_ms(); 0: none */
};

/* All members zero: a refusal. */
struct review_answer {
    bool secure;
    bool answered;  /* there is a verdict; false: the review failed, which is a refusal, too */
    bool cached;    /* the verdict is an earlier one of the same program */
    bool cancelled; /* by cancel_fd */
    char *reason;   /* one line */
    json_t *usage;  /* of models, by component, as in a result; NULL for nothing */
};

static inline void review_answer_done(struct review_answer *answer)
{
    free(answer->reason);
    json_decref(answer->usage);
    *answer = (struct review_answer){0};
}

struct reviewer {
    /* Fills in the answer, which the caller has set to zero; may be called from several threads. */
    void (*review)(void *ctx, const struct review_question *question, struct review_answer *ret);
    void *ctx;
};

#endif
