/* SPDX-License-Identifier: Apache-2.0
 *
 * The code in a model's reply, as options say: which reader, which blocks, in what languages.
 *
 *     struct reply_reader reader;
 *     if (reply_open(&reader, &options, &err) == 0)
 *         found = reply_code(&reader, text, &code, &complaint);
 *     reply_done(&reader);
 */
#ifndef TEXT_REPLY_H
#define TEXT_REPLY_H

#include <jansson.h>
#include <stdbool.h>

#include "base/opt.h"
#include "text/blocks.h"

enum reply_profile {
    REPLY_DEFAULT,
    REPLY_CHAPTER,
    REPLY_ADK,
    REPLY_SMOLAGENTS,
    REPLY_SMOLAGENTS_JSON,
    REPLY_KODEAGENT,
};

/* A front door may embed it as the first member of a larger struct, as it may struct settings. */
struct reply_options {
    struct opt_list languages, delimiters;
    int profile; /* enum reply_profile */
    bool first, last, all, joined;
    bool fix; /* rename a variable final_answer */
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

/* -1 with ERR_USAGE when the options contradict each other. The options must outlive the reader;
 * end with reply_done in either case. */
int reply_open(struct reply_reader *r, const struct reply_options *options, struct err *err);
void reply_done(struct reply_reader *r);

/* Appends the code that the options choose. False when there is none, and *complaint, with room for
 * a copy of the text and 8 KiB, says what is wrong; some profiles mean it for the model. */
bool reply_code(const struct reply_reader *r, struct str text, struct buf *out,
                struct buf *complaint);
/* A list with what there is about each block, or the fields of a reply that is one object. An empty
 * list comes with a complaint; NULL when it is no such object. The caller's. */
json_t *reply_json(const struct reply_reader *r, struct str text, struct buf *complaint);

#endif
