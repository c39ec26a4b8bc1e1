/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the code in a model's reply. Options choose the reader, the blocks and the languages.
 *
 *     struct reply_reader reader;
 *     if (reply_open(&reader, &options, &err) == 0)
 *         found = reply_code(&reader, text, &code, NULL, &complaint);
 *     reply_done(&reader);
 */
#ifndef TEXT_REPLY_H
#define TEXT_REPLY_H

#include <jansson.h>
#include <stdbool.h>

#include "options/opt.h"
#include "text/blocks.h"

enum reply_profile {
    REPLY_DEFAULT,
    REPLY_CHAPTER,
    REPLY_ADK,
    REPLY_SMOLAGENTS,
    REPLY_SMOLAGENTS_JSON,
    REPLY_KODEAGENT,
};

/* A larger struct may embed it as its first member, as with struct settings. */
struct reply_options {
    struct opt_list languages, delimiters;
    int profile; /* enum reply_profile */
    bool first, last, all, joined;
    bool fix; /* rename a variable that is called final_answer */
};

extern const struct opt reply_which_options[];
extern const struct opt reply_how_options[];

struct reply_reader {
    const struct reply_options *options;
    struct arena arena; /* of the pairs */
    struct block_pair *pairs;
    size_t pair_n;
    struct str *languages;
    size_t language_n;
};

/* -1 with ERR_USAGE if the options contradict each other. The options must outlive the reader. Call
 * reply_done in either case. */
int reply_open(struct reply_reader *r, const struct reply_options *options, struct err *err);
void reply_done(struct reply_reader *r);

/* Appends the code that the options choose; *ret_end (may be NULL) is where it ends in the text,
 * with its fence, tag or brace. False if there is none; *complaint then has the reason, which some
 * profiles mean for the model. It needs room for a copy of the text and 8 KiB. */
bool reply_code(const struct reply_reader *r, struct str text, struct buf *out, size_t *ret_end,
                struct buf *complaint);
/* Returns a list with an object for each block, or the members of a reply that is one object. An
 * empty list comes with a complaint; NULL if the reply is not such an object. The caller owns the
 * result. */
json_t *reply_json(const struct reply_reader *r, struct str text, struct buf *complaint);

#endif
