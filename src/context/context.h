/* SPDX-License-Identifier: Apache-2.0
 *
 * An agent's memory between runs: ids, input files, explored files, how often an invocation failed,
 * and the result of each program. It is a JSON document with the keys of google/adk, so that a
 * session's state can be one:
 *
 *     {"_code_execution_context": {"execution_session_id": "s1",
 *                                  "processed_input_files": ["a.csv"],
 *                                  "invocations": {"i1": {... the same two ...}}},
 *      "_code_executor_input_files": [{"name", "content", "encoding", "mime_type"}],
 *      "_code_executor_error_counts": {"i1": 2},
 *      "_code_execution_results": {"i1": [{"code", "result_stdout", "result_stderr",
 * "timestamp"}]}}
 *
 * All other keys are the user's and stay unchanged. An invocation has its own id and list of
 * explored files; "" means no particular invocation, and its values stand where google/adk has
 * them.
 */
#ifndef CONTEXT_CONTEXT_H
#define CONTEXT_CONTEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum {
    CONTEXT_MAX_BYTES = 64 << 20, /* of the document */
    CONTEXT_MAX_TEXT = 1 << 20,   /* of each text in a result; the middle of a longer one is cut */
    CONTEXT_MAX_ID = 256,
};

struct context {
    json_t *document;
};

/* Empty text is an empty document. -1 with ERR_USAGE and the place of the error: "line 3, column 7:
 * ..." or "_code_executor_error_counts.i1: is no whole number". */
int context_read(struct str text, struct context *ret, struct err *err);
/* -1 with ERR_LIMIT when it is larger than b's ceiling. */
int context_write(const struct context *c, struct buf *b, struct err *err);
/* Of a document that is parsed already; what is wrong there is reported as above. */
int context_copy(const json_t *document, struct context *ret, struct err *err);
/* Whether context_write has no more than CONTEXT_MAX_BYTES. */
bool context_fits(const struct context *c);
void context_done(struct context *c);
/* Ids come from outside and become keys. ERR_USAGE unless short, printable UTF-8. */
int context_check_id(const char *id, const char *what, struct err *err);

/* The id that was set, else the id of the invocation, which may be "". */
const char *context_execution_id(const struct context *c, const char *invocation);
void context_set_execution_id(struct context *c, const char *invocation, const char *id);
bool context_is_processed(const struct context *c, const char *invocation, struct str name);
void context_add_processed(struct context *c, const char *invocation, struct str name);

struct context_input {
    struct str name; /* valid until the document is changed */
    struct buf bytes;
};
size_t context_input_count(const struct context *c);
/* Without `encoding` the content is base64, as google/adk has it. End with buf_done(&ret->bytes);
 * -1 with ERR_USAGE. */
int context_input_read(const struct context *c, size_t i, struct context_input *ret,
                       struct err *err);

int64_t context_error_count(const struct context *c, const char *invocation);
void context_count_error(struct context *c, const char *invocation);
void context_reset_errors(struct context *c, const char *invocation);
/* The number of counts that were not 0. */
size_t context_reset_all_errors(struct context *c);
/* Takes out all input files; their names are explored files no longer, for any invocation. The
 * number of files. */
size_t context_clear_inputs(struct context *c);
/* {"execution_id", "input_files": [{"name", "size"}], "invocations": [{"id", "execution_id",
 * "errors", "results", "processed_input_files"}]}, which the caller frees. A size is null when the
 * content is not in the encoding that it names. */
json_t *context_overview(const struct context *c);

struct context_result {
    struct str code, out, err;
    int64_t timestamp; /* in seconds */
};
void context_add_result(struct context *c, const char *invocation,
                        const struct context_result *result);

/* ---- context_merge.c: a run that had a copy of the document ---- */

struct context_change {
    const struct context *before, *after; /* the copy, at the beginning and at the end of the run */
    const char *invocation;
    bool success;
};
/* Repeats the run's changes in the document, which other runs may have changed meanwhile. */
void context_merge(struct context *c, const struct context_change *change);

/* ---- context_file.c: the document on disk ----
 *
 * One process at a time: open waits until no other one has the file open, and reads it; save puts a
 * new file in its place, atomically. */
struct context_file {
    struct context context;
    char *path; /* without links */
    int fd;     /* holds the lock */
    mode_t mode;
};

/* Creates a missing file. A broken document is ERR_USAGE and stays untouched. Stops waiting after
 * 30 seconds, or when cancel_fd (or -1) gets readable: ERR_TIMEOUT. */
int context_file_open(const char *path, int cancel_fd, struct context_file *ret, struct err *err);
/* Reads the document of an existing file, without its lock. End with context_done. */
int context_file_read(const char *path, struct context *ret, struct err *err);
int context_file_save(struct context_file *f, struct err *err);
void context_file_close(struct context_file *f); /* may be called after a failed open, and twice */

#endif
