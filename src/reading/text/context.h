/* SPDX-License-Identifier: Apache-2.0
 *
 * An agent's memory between runs: ids, input files, explored files, the number of errors of each
 * invocation, and the result of each program. It is a JSON document with google/adk's keys, so that
 * a session's state can be used as a context:
 *
 *     {"_code_execution_context": {"execution_session_id": "s1",
 *                                  "processed_input_files": ["a.csv"],
 *                                  "invocations": {"i1": {... the same two ...}}},
 *      "_code_executor_input_files": [{"name", "content", "encoding", "mime_type"}],
 *      "_code_executor_error_counts": {"i1": 2},
 *      "_code_execution_results": {"i1": [{"code", "result_stdout", "result_stderr",
 * "timestamp"}]}}
 *
 * All other keys belong to the user and stay unchanged. Each invocation has its own id and list of
 * explored files. "" means no particular invocation; its values are where google/adk has them.
 */
#ifndef TEXT_CONTEXT_H
#define TEXT_CONTEXT_H

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
    CONTEXT_MAX_TEXT = 1 << 20,   /* of each string in a result; a longer one loses its middle */
    CONTEXT_MAX_ID = 256,
};

struct context {
    json_t *document;
};

/* Parses a document; an empty text is an empty document. -1 with ERR_USAGE and the location of the
 * error: "line 3, column 7: ..." or "_code_executor_error_counts.i1: is no whole number". */
int context_read(struct str text, struct context *ret, struct err *err);
/* -1 with ERR_LIMIT if the document exceeds b's ceiling. */
int context_write(const struct context *c, struct buf *b, struct err *err);
/* Copies a parsed document; errors in it are reported as by context_read. */
int context_copy(const json_t *document, struct context *ret, struct err *err);
/* True if context_write would write at most CONTEXT_MAX_BYTES. */
bool context_fits(const struct context *c);
void context_done(struct context *c);
/* Checks an id, which comes from outside and becomes a key. ERR_USAGE unless it is short, printable
 * UTF-8. */
int context_check_id(const char *id, const char *what, struct err *err);

/* The id that was set, otherwise `invocation`, which may be "". */
const char *context_execution_id(const struct context *c, const char *invocation);
void context_set_execution_id(struct context *c, const char *invocation, const char *id);
bool context_is_processed(const struct context *c, const char *invocation, struct str name);
void context_add_processed(struct context *c, const char *invocation, struct str name);

struct context_input {
    struct str name; /* valid until the document is changed */
    struct buf bytes;
};
size_t context_input_count(const struct context *c);
/* Reads the i-th input file. Without an `encoding` its content is base64, as in google/adk. Free it
 * with buf_done(&ret->bytes); -1 with ERR_USAGE. */
int context_input_read(const struct context *c, size_t i, struct context_input *ret,
                       struct err *err);

int64_t context_error_count(const struct context *c, const char *invocation);
void context_count_error(struct context *c, const char *invocation);
void context_reset_errors(struct context *c, const char *invocation);
/* Returns how many counts were not 0. */
size_t context_reset_all_errors(struct context *c);
/* Removes all input files, and removes their names from the explored files of every invocation.
 * Returns the number of files. */
size_t context_clear_inputs(struct context *c);
/* Returns {"execution_id", "input_files": [{"name", "size"}], "invocations": [{"id",
 * "execution_id", "errors", "results", "processed_input_files"}]}, which the caller frees. A size
 * is null if the content is not valid in its encoding. */
json_t *context_overview(const struct context *c);

struct context_result {
    struct str code, out, err;
    int64_t timestamp; /* in seconds */
};
void context_add_result(struct context *c, const char *invocation,
                        const struct context_result *result);

/* ---- context_merge.c: a run that had a copy of the document ---- */

struct context_change {
    const struct context *before, *after; /* the run's copy, before and after the run */
    const char *invocation;
    bool success;
};
/* Repeats the run's changes in the document, which other runs may have changed in the meantime. */
void context_merge(struct context *c, const struct context_change *change);

/* ---- context_file.c: the document on disk ----
 *
 * Only one process at a time has the file open: open waits for the others and reads the document;
 * save replaces the file atomically. */
struct context_file {
    struct context context;
    char *path; /* with its links resolved */
    int fd;     /* holds the lock */
    mode_t mode;
};

/* A missing file is created. An invalid document is ERR_USAGE, and stays untouched. Waiting ends
 * with ERR_TIMEOUT after 30 seconds, or when cancel_fd (unless -1) becomes readable. */
int context_file_open(const char *path, int cancel_fd, struct context_file *ret, struct err *err);
/* Reads the document of an existing file, without taking the lock. Free it with context_done. */
int context_file_read(const char *path, struct context *ret, struct err *err);
int context_file_save(struct context_file *f, struct err *err);
void context_file_close(struct context_file *f); /* may be called after a failed open, and twice */

#endif
