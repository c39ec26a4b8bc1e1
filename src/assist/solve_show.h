/* SPDX-License-Identifier: Apache-2.0
 *
 * What `glovebox solve` shows: on a terminal the steps and the programs' output, with --events a
 * line for everything that happens.
 */
#ifndef ASSIST_SOLVE_SHOW_H
#define ASSIST_SOLVE_SHOW_H

#include "agent/event_json.h"
#include "agent/solve_setup.h"
#include "assist/model_call.h"

struct solution {
    struct model_call call; /* first: model_call_run hands it back */
    struct buf task;
    struct solve_setup setup;
    struct agent_lines lines; /* of --events */
};

/* Sets solution->call.watch. */
void solve_show_begin(struct solution *solution);
/* The document of --json, or the last event. It is lent. */
void solve_show_document(struct solution *solution, json_t *document);

#endif
