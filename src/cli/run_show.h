/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plain program shows (session/run_display.h), for people: on standard output as it happens,
 * and at the end as files of --out.
 */
#ifndef CLI_RUN_SHOW_H
#define CLI_RUN_SHOW_H

#include "cli/show_bundle.h"

struct run_show {
    struct show_place place;
    size_t unseen; /* pictures that could not be shown */
};

/* A picture where the terminal shows pictures, else a line of text. A picture's is for terminals
 * only: to a file or a pipe goes what the program prints and what it showed as text, nothing of
 * ours. Does nothing when the printer does not print output. */
void run_show_bundle(struct run_show *show, const json_t *bundle);
/* With --out each of the results as a file in the form that is best for one: display-1.png,
 * display-2.html, and another name where there is something of that name. Says which. */
void run_show_end(struct run_show *show, const json_t *results);

#endif
