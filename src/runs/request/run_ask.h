/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes a run_request from the settings of a request: the program, its data, its limits.
 */
#ifndef REQUEST_RUN_ASK_H
#define REQUEST_RUN_ASK_H

#include "base/buf.h"
#include "request/request.h"
#include "request/setting.h"

/* The form of an item of the field `files`. */
extern const struct ask_form file_form;

/* Memory that a run_request made from fields points to. The document and the rules' defaults hold
 * the rest. */
struct request_parts {
    struct setting_lent lent;
    struct named_bytes *inputs, *values;
    struct buf *contents; /* the decoded contents, one for each input */
    size_t input_count, value_count;
    int stdin_fd;
};

void request_parts_init(struct request_parts *parts);
void request_parts_done(struct request_parts *parts);
/* Makes a run_request from settings that ask_begin and ask_read have filled in. 0, or -1 with
 * ERR_USAGE, ERR_POLICY (also if a ceiling is exceeded) or ERR_LIMIT. */
int request_make(struct settings *ask, const struct request_rules *rules,
                 struct request_parts *parts, struct run_request *ret, struct err *err);

#endif
