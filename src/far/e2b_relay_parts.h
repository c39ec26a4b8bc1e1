/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the e2b_relay*.c files, and included by no others.
 */
#ifndef FAR_E2B_RELAY_PARTS_H
#define FAR_E2B_RELAY_PARTS_H

#include <pthread.h>

#include "backends/cell_wire.h"
#include "e2b/files.h"
#include "e2b/interpreter.h"
#include "far/e2b_relay.h"

/* The cell that runs. */
struct relay_cell {
    struct e2b_cell *at; /* NULL: none */
    uint32_t id;         /* of its frame */
    int64_t count;       /* what the interpreter calls it */
    char *code;
    bool more;        /* has come, and is not taken */
    bool asked_again; /* after the sandbox stood still */
    bool interrupted; /* what runs is an empty cell, behind it, */
    int64_t again_ms; /* which is to be sent at this time */
    bool failed;
    json_t *results;            /* a session's, for the answer; or NULL */
    char *name, *value, *trace; /* of its error; or NULL */
};

/* A file as it was sent last. */
struct relay_known {
    char *path, *changed;
    uint64_t size;
};

struct e2b_relay {
    struct e2b *e2b;
    struct e2b_place *place;
    pthread_t thread;
    int sock;           /* to the guest's loop */
    int stop;           /* readable: end at once */
    const char *kernel; /* the interpreter's name of the language; NULL: a process */
    bool is_session, is_python;
    char *code;     /* of a program */
    char **own_env; /* NAME or NAME=VALUE, NULL-terminated; or NULL */
    struct contained_plan plan;
    struct buf plan_bytes;
    char *context;
    struct buf in;            /* frames of the loop, as they came */
    struct cell_reader cells; /* frames of the session */
    struct relay_cell cell;
    struct e2b_process *process;
    int process_fd;
    struct buf process_out;
    struct buf arriving; /* a file that the loop sends */
    bool arriving_full;
    struct relay_known *known; /* sorted by path */
    size_t known_count;
    int64_t start_ns;
    bool over, gone; /* the guest has ended; the connection to the loop has */
};

/* ---- e2b_relay_plan.c ---- */

/* A word of the plan, with the name that the workspace has here. The caller frees. */
char *relay_own_path(const char *word);
/* The program's file. The caller frees. */
char *relay_program_path(const struct e2b_relay *r);
int relay_take_plan(struct e2b_relay *r, struct err *err);

/* ---- e2b_relay.c: frames ---- */

void relay_send(struct e2b_relay *r, enum contained_frame kind, struct str bytes);
/* Bytes of any number, in frames of this kind. */
void relay_send_all(struct e2b_relay *r, enum contained_frame kind, struct str bytes);
void relay_send_err(struct e2b_relay *r, enum contained_frame kind, const struct err *err);
/* Reads what the loop has sent, and acts on it. */
int relay_receive(struct e2b_relay *r, struct err *err);
/* As from wait(). */
void relay_send_end(struct e2b_relay *r, int status);
/* Keeps the sandbox for longer, and resumes it if the service has paused it. */
int relay_awake(struct e2b_relay *r, struct err *err);

/* ---- e2b_relay_cells.c ---- */

/* A context, in which the user's variables are set. */
int relay_open_context(struct e2b_relay *r, struct err *err);
int relay_begin_cell(struct e2b_relay *r, uint32_t id, struct str code, struct err *err);
/* What the interpreter has said. -1 when the connection to it broke. */
int relay_step_cell(struct e2b_relay *r, struct err *err);
void relay_interrupt_cell(struct e2b_relay *r);
/* Whether a cell runs, or the end of one is waited for. */
bool relay_has_cell(const struct e2b_relay *r);
/* How long to wait for the interpreter at most; -1: no limit. */
int relay_cell_wait(const struct e2b_relay *r);
void relay_cell_done(struct relay_cell *cell);

/* ---- e2b_relay_session.c: the frames of a session ---- */

int relay_take_frames(struct e2b_relay *r, struct err *err);
void relay_show(struct e2b_relay *r, const struct execution_event *event);
/* The answer to the cell. */
void relay_send_done(struct e2b_relay *r);
/* Runs a text of ours to its end: what it prints is not shown. The error is left in r->cell. */
int relay_run_quietly(struct e2b_relay *r, struct str code, struct err *err);

/* ---- e2b_relay_trace.c ---- */

/* The traceback as Python prints it. The cell with this count is called `file`, and the others are
 * earlier cells. */
void relay_put_trace(struct buf *out, struct str trace, int64_t count, const char *file);

/* ---- e2b_relay_env.c ---- */

/* A cell that sets the user's variables; nothing when there are none. -1: the language has none. */
int relay_put_variables(const struct e2b_relay *r, struct buf *code, struct err *err);
/* The user's variables with their values, an object; a new reference. NULL: one is not UTF-8. */
json_t *relay_variables(const struct e2b_relay *r, struct err *err);

/* ---- e2b_relay_files.c ---- */

/* The input files, which follow the plan. */
int relay_take_input(struct e2b_relay *r, struct err *err);
void relay_send_files(struct e2b_relay *r, bool anew);
void relay_put_begin(struct e2b_relay *r);
void relay_put_bytes(struct e2b_relay *r, struct str bytes);
void relay_put_end(struct e2b_relay *r, struct str path);
void relay_remove(struct e2b_relay *r, struct str path);
void relay_files_done(struct e2b_relay *r);

/* ---- e2b_relay_process.c ---- */

int relay_begin_process(struct e2b_relay *r, struct err *err);
int relay_step_process(struct e2b_relay *r, struct err *err);
void relay_kill_process(struct e2b_relay *r);

#endif
