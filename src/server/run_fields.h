/* SPDX-License-Identifier: Apache-2.0
 *
 * The fields of a run, a check, a test and a session, and the run_request that
 * they mean. Their names are those of the command line, times in milliseconds
 * (_ms), sizes in bytes.
 */
#ifndef SERVER_RUN_FIELDS_H
#define SERVER_RUN_FIELDS_H

#include "base/buf.h"
#include "request/request.h"
#include "server/fields.h"

struct run_fields {
    struct str code, input, prelude;
    const char *language, *filename, *backend, *profile, *work_dir, *out_dir, *log;
    json_t *args, *files, *env, *data, *host_files, *ro, *require, *without;
    json_t *allow_imports, *forbid_imports;
    enum tri check, no_check, optimize_data, collect, cold;
    int net, target;
    int64_t timeout_ms, cpu_time_ms, memory_bytes, disk_bytes, inodes, pids, open_files;
    int64_t output_limit_bytes, retries, retry_delay_ms, deadline_ms, collect_bytes;
    double cpus;
};

/* Over struct run_fields; a larger struct may begin with one. */
extern const struct field code_fields[];    /* code, filename, language */
extern const struct field program_fields[]; /* args, stdin, optimize_data */
extern const struct field work_fields[];    /* files, environment, data */
extern const struct field wall_fields[];
extern const struct field policy_fields[];
extern const struct field limit_fields[];
extern const struct field answer_fields[]; /* deadline */
extern const struct field collect_fields[];

extern const struct field file_fields[]; /* of one of `files`; over nothing */

/* What a run_request made of fields points to, beside the document and the
 * config. */
struct request_parts {
    char **args, **env, **files, **ro, **data, **allow_imports, **forbid_imports;
    struct run_input *inputs;
    struct buf *contents; /* decoded, of as many inputs */
    size_t input_count;
    int *fds; /* memory files that are named by path */
    size_t fd_count;
    char *prelude;
    int stdin_fd;
};

void request_parts_init(struct request_parts *parts);
void request_parts_done(struct request_parts *parts);
/* 0 is no limit, and more than any ceiling but 0. ERR_POLICY. */
int ceiling_check(const char *name, int64_t wanted, int64_t ceiling, struct err *err);
/* 0, or -1 with ERR_USAGE, ERR_POLICY, or ERR_LIMIT for more than the config's
 * ceilings. */
int request_make(const struct run_fields *fields, const struct config *config,
                 struct request_parts *parts, struct run_request *ret, struct err *err);

#endif
