/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox run` by a daemon that is running: a warm jail instead of one made from nothing.
 *
 * Only what means the same there is handed over, and nobody may notice but by the time it takes:
 * what names paths or weakens the wall, a terminal to read from, input that is not all there yet
 * runs in this process. So does whatever the daemon refuses.
 */
#ifndef CLI_RUN_REMOTE_H
#define CLI_RUN_REMOTE_H

#include <jansson.h>

#include "cli/events.h"
#include "cli/options.h"
#include "net/http_client.h"
#include "session/run.h"

/* A request whose answer comes event by event: a run, or a cell of a session. */
struct remote_stream {
    struct printer *printer;
    const char *path;
    struct str body;
    int64_t timeout_ms; /* without an event; 0: none */
    int cancel_fd;
    int out_fd; /* where files go whose content comes along; -1 for nowhere */
    /* Told each event beside output and the end; may be NULL. */
    void (*event)(void *ctx, const char *name, const json_t *event);
    void *ctx;
    size_t output_limit; /* of what is kept in case the daemon sends no result */
    json_t *doc;         /* out: the result's document */
};

/* 1: it ran; what it printed is printed, its files are written, and stream->doc is its result: the
 * daemon's, or what is known of a run that was stopped or lost. -1: nothing has happened. Either
 * way remote_stream_done. */
int remote_stream_run(struct http_client *client, struct remote_stream *stream, struct err *err);
void remote_stream_done(struct remote_stream *stream);

struct remote_run {
    const struct cli_options *options;
    struct run_request *request; /* gets another stdin_fd when ours was read and nobody took it */
    struct remote_stream stream; /* printer and cancel_fd are the caller's */
    int stdin_fd;                /* that one, to be closed; -1 for none */
};

/* 1 as above; 0: nothing has happened. -1: it has to run there (--daemon) and cannot. */
int run_remote(struct remote_run *run, struct err *err);
void remote_run_done(struct remote_run *run);

/* ---- what else asks a daemon ---- */

/* A connection to --daemon, or to where one would be. */
int remote_open(const struct cli_settings *settings, struct http_client *ret, struct err *err);
/* An answer that is none: what it says, as an error. Always -1. */
int remote_refused(const struct http_reply *reply, struct err *err);
/* A JSON document of ours; NULL with ERR_GUEST. */
json_t *remote_json(struct str text, struct err *err);

/* ---- run_remote_request.c ---- */

/* Whether this request means the same to a daemon. */
bool remote_can_carry(const struct remote_run *run);
/* `files`: --file, read here. -1 when one of them is for the host's own eyes. */
int remote_put_files(json_t *body, const struct settings *settings);
/* The whole body of POST /v1/run; the caller frees. NULL when it cannot be carried over. */
char *remote_body(struct remote_run *run, struct buf *input);

/* ---- run_remote_input.c ---- */

/* All of the run's standard input, or nothing where the program surely reads none. -1 when it is
 * not all there yet, or too much: it can still be read by somebody else then, after what is in
 * `input`. */
int remote_take_input(const struct remote_run *run, struct buf *input);

/* ---- run_remote_files.c ---- */

/* Writes the files whose content is in the document below a folder, as --out does, takes the
 * contents out, and notes in it what was left out. -1 when the folder failed. */
int remote_export(json_t *doc, int out_fd, struct err *err);

#endif
