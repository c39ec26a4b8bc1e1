/* SPDX-License-Identifier: Apache-2.0
 *
 * The report for people at the end of a run or of a cell: what they should know beside its output.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "console/options.h"
#include "report/events.h"

struct report {
    const struct cli_settings *settings;
    const char *shown; /* the program's name in findings */
    /* start of the command, for --trace-time; `phases` is for it, too */
    int64_t begin_ns;
    const struct backend_phase *phases; /* for a run in this process */
    size_t phase_count;
    bool files; /* --out and --work-dir apply to this run */
};

/* At the end: one line of advice after a failure, else the files that are lost. Nothing with
 * --quiet, with --json or --events, whose result has both, and with GLOVEBOX_HINTS=0. */
void report_hints(const struct report *how, const json_t *document);
/* Prints the rest of the output, the document if --json is set, and the notes. All of it comes from
 * the document, so it does not matter whether this process ran the program or a daemon did. */
void report_result(const struct report *how, struct printer *printer, const json_t *document);
/* True if the guard refused the program. */
bool report_is_refused(const json_t *document);
/* Prints the findings that refuse a program to standard error, in the form of 'glovebox check'.
 * Nothing if the guard did not refuse it. `shown` is the program's name, `prelude` that of its
 * prelude or NULL. */
void report_refusal(const char *shown, const char *prelude, const json_t *document);
/* Returns the exit status. */
int report_status(const struct printer *printer, const json_t *document);

/* The warning about a backend without a wall, if the user agreed to that. */
void report_unsafe(const struct cli_settings *settings, const struct run_request *request);
/* Prints "glovebox: text" to standard error, made safe for a terminal; nothing with --quiet. */
void report_say(const struct cli_settings *settings, const char *text);
/* As report_say, but with --quiet, too: something failed. */
void report_complain(const char *text);

#endif
