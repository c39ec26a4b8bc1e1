/* SPDX-License-Identifier: Apache-2.0
 *
 * Displays of a plain program (run/run_display.h), for people: on standard output during the
 * run, and at the end as files of --out.
 */
#ifndef REPORT_RUN_SHOW_H
#define REPORT_RUN_SHOW_H

#include "report/show_bundle.h"

struct run_show {
    struct show_place place;
    size_t unseen; /* pictures that could not be shown */
};

/* Shows a picture if the terminal supports pictures, else a line of text. The line for a picture is
 * for terminals only: to a file or a pipe go only the program's output and the texts that it
 * showed. Does nothing when the printer does not print output. */
void run_show_bundle(struct run_show *show, const json_t *bundle);
/* With --out writes each of the results as a file in its best form: display-1.png, display-2.html,
 * or another name if that name is taken. Prints the names. */
void run_show_end(struct run_show *show, const json_t *results);

#endif
