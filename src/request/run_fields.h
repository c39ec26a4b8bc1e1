/* SPDX-License-Identifier: Apache-2.0
 *
 * The fields of a run, a check, a test and a session, and the run_request that they mean. Most of
 * them are settings (request.def); the others are the program and its data.
 */
#ifndef REQUEST_RUN_FIELDS_H
#define REQUEST_RUN_FIELDS_H

#include "base/buf.h"
#include "request/fields.h"
#include "request/request.h"

struct run_fields {
    struct request_settings request;
    struct str code, input;
    const char *language, *filename;
    json_t *args, *files, *data, *context;
    const char *invocation, *execution_id;
    enum tri collect;
    int64_t deadline_ms, collect_bytes;
};

/* Over struct run_fields; a larger struct may begin with one. */
extern const struct field code_fields[];    /* code, filename, language */
extern const struct field program_fields[]; /* args, stdin */
extern const struct field input_fields[];   /* files, data */
extern const struct field context_fields[]; /* context, invocation, execution_id */
extern const struct field answer_fields[];  /* deadline */
extern const struct field collect_fields[];

/* The settings, by the tables of request.def. */
extern const struct field work_fields[], data_fields[], wall_fields[], policy_fields[],
    guard_fields[], limit_fields[], log_fields[], session_fields[];

extern const struct field file_fields[]; /* of one of `files`; not over a struct */

/* Memory that a run_request made from fields points to, besides the document and the rules'
 * defaults. */
struct request_parts {
    struct setting_lent lent;
    char **args;
    struct named_bytes *inputs, *values;
    struct buf *contents; /* decoded, of as many inputs */
    size_t input_count, value_count;
    int stdin_fd;
};

void request_parts_init(struct request_parts *parts);
/* Call before fields_read: every field is absent, the settings are the daemon's own, and the parts
 * get the values that are made from the fields. */
void run_fields_init(struct run_fields *fields, const struct request_rules *rules,
                     struct request_parts *parts);
void request_parts_done(struct request_parts *parts);
/* 0, or -1 with ERR_USAGE, ERR_POLICY (also for more
 * than a ceiling), or ERR_LIMIT. */
int request_make(struct run_fields *fields, const struct request_rules *rules,
                 struct request_parts *parts, struct run_request *ret, struct err *err);

#endif
