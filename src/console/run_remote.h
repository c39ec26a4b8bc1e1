/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox run` by a running daemon: a warm jail instead of one made from nothing.
 *
 * Only requests that mean the same there are handed over, and the user may notice only the shorter
 * time. Requests that name paths or weaken the wall, a terminal as input, and input that is not
 * complete yet run in this process. So does every run that the daemon refuses.
 */
#ifndef CONSOLE_RUN_REMOTE_H
#define CONSOLE_RUN_REMOTE_H

#include <jansson.h>

#include "console/events.h"
#include "console/options.h"
#include "context/context.h"
#include "net/http_client.h"
#include "session/run.h"

/* The file of --context, while a daemon has a copy of its document. */
struct remote_context {
    const struct run_request *request;
    struct context before; /* the document as it was sent */
    int cancel_fd;
};

/* A request with an answer event by event: a run, or a cell of a session. */
struct remote_stream {
    struct printer *printer;
    const char *path;
    struct str body;
    int64_t timeout_ms; /* time without an event; 0: none */
    int cancel_fd;
    int out_fd; /* folder for files with content in the answer; -1 for none */
    const struct remote_context *context; /* NULL: none was sent */
    /* Called for each event other than output and the end; may be NULL. */
    void (*event)(void *ctx, const char *name, const json_t *event);
    void *ctx;
    size_t output_limit; /* of the output that is kept in case the daemon sends no result */
    json_t *doc;         /* out: the result's document */
};

/* 1: the run happened; its output is printed, its files are written, and stream->doc is its result:
 * the daemon's, or what is known of a run that was stopped or lost. -1: it did not run. Call
 * remote_stream_done in both cases. */
int remote_stream_run(struct http_client *client, struct remote_stream *stream, struct err *err);
void remote_stream_done(struct remote_stream *stream);

struct remote_run {
    const struct cli_options *options;
    struct run_request *request; /* gets another stdin_fd if ours was read and not sent */
    struct remote_stream stream; /* printer and cancel_fd are the caller's */
    struct remote_context context;
    int stdin_fd; /* the other stdin_fd, to be closed; -1 for none */
};

/* 1 as above; 0: it did not run. -1: the run must use a daemon (--daemon) and cannot. */
int run_remote(struct remote_run *run, struct err *err);
void remote_run_done(struct remote_run *run);

/* ---- other requests to a daemon ---- */

/* A connection to --daemon, or to the default place of a daemon. The settings are lent: a request
 * whose answer does not begin says so on a terminal after 2 s, and fails with ETIMEDOUT if the
 * daemon is found to be dead or stopped. */
int remote_open(const struct cli_settings *settings, struct http_client *ret, struct err *err);
/* The error for a daemon that does not answer: what to do. Returns -1. */
int remote_give_up(const struct cli_settings *settings, const struct http_client *client,
                   struct err *err);
/* Whether the daemon still answers, which a stopped or dead one does not; -1 with *err that says
 * what to do. */
int remote_look(const struct cli_settings *settings, const struct http_client *client,
                struct err *err);
/* Turns the answer of a failed request into an error. Always returns -1. */
int remote_refused(const struct http_reply *reply, struct err *err);
/* Parses a JSON document of our daemon; NULL with ERR_GUEST. */
json_t *remote_json(struct str text, struct err *err);

/* ---- run_remote_request.c ---- */

/* Whether this request means the same to a daemon: 0, or -1 with the reason. */
int remote_can_carry(const struct remote_run *run, struct err *err);
/* `files`: --file, read here. -1 when one of them cannot be sent. */
int remote_put_files(json_t *body, const struct settings *settings);
/* The complete body of POST /v1/run, a new reference. NULL when the request cannot be sent. */
json_t *remote_body(struct remote_run *run, struct buf *input);

/* ---- run_remote_context.c ---- */

/* Puts the document of --context into a body, if there is one; *ret gets it as well, for
 * context_done. -1 when it cannot be sent. */
int remote_put_context(json_t *body, const struct run_request *q, int cancel_fd,
                       struct context *ret);
/* Makes the changes of the copy in a result in the file, and removes the copy from the result. */
int remote_take_context(const struct remote_context *context, json_t *doc, struct err *err);

/* ---- run_remote_input.c ---- */

/* Reads all of the run's standard input, or nothing if the program surely reads none. -1 when it is
 * not complete yet, or too much: the run in this process can still read the rest, after the bytes
 * in `input`. */
int remote_take_input(const struct remote_run *run, struct buf *input);

/* ---- run_remote_files.c ---- */

/* Writes the files with content in the document into a folder, as --out does, removes the contents
 * from the document, and adds the files that were left out to it. -1 when the folder failed. */
int remote_export(json_t *doc, int out_fd, struct err *err);

#endif
