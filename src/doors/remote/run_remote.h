/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox run` by a running daemon: in a warm jail instead of a new one.
 *
 * A request is sent only if it means the same to the daemon, so that the user notices only the
 * shorter time. Requests that name paths or weaken the wall, a terminal as input, and input that is
 * not complete yet run in this process. So does every run that the daemon refuses.
 */
#ifndef REMOTE_RUN_REMOTE_H
#define REMOTE_RUN_REMOTE_H

#include <jansson.h>

#include "console/options.h"
#include "net/http_client.h"
#include "report/events.h"
#include "run/run.h"
#include "text/context.h"

/* The file of --context, while a daemon has a copy of its document. */
struct remote_context {
    const struct run_request *request;
    struct context before; /* the document that was sent */
    int cancel_fd;
};

/* A request whose answer is a stream of events: a run, or a cell of a session. */
struct remote_stream {
    struct printer *printer;
    const char *path;
    struct str body;
    int64_t timeout_ms; /* maximum time between two events; 0: none */
    int cancel_fd;
    int out_fd; /* folder for files with content in the answer; -1 for none */
    const struct remote_context *context; /* NULL: no document was sent */
    /* Called for each event other than output and the end; may be NULL. */
    void (*event)(void *ctx, const char *name, const json_t *event);
    void *ctx;
    size_t output_limit; /* for the output that is kept in case the daemon sends no result */
    json_t *doc;         /* out: the result's document */
};

/* 1: the run happened; its output is printed, its files are written, and stream->doc is its result:
 * the daemon's, or what is known about a run that was stopped or lost. -1: it did not run. Call
 * remote_stream_done in both cases. */
int remote_stream_run(struct http_client *client, struct remote_stream *stream, struct err *err);
void remote_stream_done(struct remote_stream *stream);

struct remote_run {
    const struct cli_options *options;
    /* if our stdin_fd was read but not sent, its stdin_fd is replaced */
    struct run_request *request;
    struct remote_stream stream; /* the caller sets printer and cancel_fd */
    struct remote_context context;
    int stdin_fd; /* the replacement, to be closed; -1 for none */
};

/* 1: as remote_stream_run. 0: it did not run. -1: the run must use a daemon (--daemon) and cannot.
 */
int run_remote(struct remote_run *run, struct err *err);
void remote_run_done(struct remote_run *run);

/* ---- other requests to a daemon ---- */

/* Connects to --daemon, or to the default location of a daemon. The settings are borrowed by the
 * client: after 2 s without the beginning of an answer, a request prints a line on a terminal; it
 * fails with ETIMEDOUT if the daemon is found to be dead or stopped. */
int remote_open(const struct cli_settings *settings, struct http_client *ret, struct err *err);
/* Turns the answer of a failed request into an error. Always returns -1. */
int remote_refused(const struct http_reply *reply, struct err *err);
/* Parses a JSON document of our daemon; NULL with ERR_GUEST. */
json_t *remote_json(struct str text, struct err *err);

/* ---- run_remote_request.c ---- */

/* 0 if this request means the same to a daemon; -1 with the reason. */
int remote_can_carry(const struct remote_run *run, struct err *err);
/* Reads the files of --file and adds them as `files`. -1 if one of them cannot be sent. */
int remote_put_files(json_t *body, const struct settings *settings);
/* Makes the complete body of POST /v1/run, a new reference. NULL if the request cannot be sent. */
json_t *remote_body(struct remote_run *run, struct buf *input);

/* ---- run_remote_context.c ---- */

/* Puts the document of --context into a body, if there is one, and into *ret, for context_done. -1
 * if it cannot be sent. */
int remote_put_context(json_t *body, const struct run_request *q, int cancel_fd,
                       struct context *ret);
/* Makes the changes that the result's copy of the document has in the file, too, and removes the
 * copy from the result. */
int remote_take_context(const struct remote_context *context, json_t *doc, struct err *err);

/* ---- run_remote_input.c ---- */

/* Reads all of the run's standard input, or nothing if the program certainly reads none. -1 if the
 * input is not complete yet or too large: a run in this process can then read the bytes in `input`,
 * and the rest. */
int remote_take_input(const struct remote_run *run, struct buf *input);

/* ---- run_remote_files.c ---- */

/* Writes the document's files with content into a folder, as --out does. Removes the contents from
 * the document, and adds to it the files that were not written. -1 if the folder cannot be written.
 */
int remote_export(json_t *doc, int out_fd, struct err *err);

#endif
