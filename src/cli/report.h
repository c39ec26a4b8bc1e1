/* SPDX-License-Identifier: Apache-2.0
 *
 * What people are told at the end of a run, or of a cell: beside its output, what is worth knowing.
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/events.h"
#include "cli/options.h"

struct report {
    const struct cli_settings *settings;
    const char *shown;                  /* how findings call the program */
    int64_t begin_ns;                   /* of all of it, for --trace-time, as the next */
    const struct backend_phase *phases; /* of a run in this process */
    size_t phase_count;
    bool files; /* --out and --work-dir are for its files */
};

/* At the end, on a terminal: one line of advice after a failure, else the files that are lost
 * (report_hints.c). */
void report_hints(const struct report *how, const json_t *document);
/* The rest of its output, the document where --json asks for it, and the notes. All is made from
 * the document, so it does not matter whether this process ran the program or a daemon did. */
void report_result(const struct report *how, struct printer *printer, const json_t *document);
/* What to exit with. */
int report_status(const struct printer *printer, const json_t *document);

/* "glovebox: text" on standard error, made safe for a terminal; unless --quiet. */
/* The warning of a backend without a wall, where that was agreed to. */
void report_unsafe(const struct cli_settings *settings, const struct run_request *request);
void report_say(const struct cli_settings *settings, const char *text);
/* The same, whatever the settings: something failed. */
void report_complain(const char *text);

#endif
