/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes the display of a plain program: figures of matplotlib, display(), pictures. For Python
 * only: its runner (guests/rich_run.py) sends frames "display" of backends/cell_wire.h, with the
 * limits of a session's cell.
 *
 * Only a program that may show something gets the pipe for that (run_display_wanted); all others
 * start without it. A program with the pipe may write anything to it: invalid frames are left out,
 * and a last bundle reports that. They never make a run fail.
 */
#ifndef SESSION_RUN_DISPLAY_H
#define SESSION_RUN_DISPLAY_H

#include <stdbool.h>

#include "backends/cell_wire.h"
#include "session/reporter.h"

struct run_display {
    const struct reporter *reporter; /* bundles go into its result, and to its watcher */
    int from;                        /* to read the guest's frames; -1: not read (any more) */
    int guest[2];                    /* its descriptors 3 and 4, until it has started; or -1 */
    struct cell_reader in;
    size_t bytes, values;              /* of the bundles that were kept */
    size_t received;                   /* bytes received */
    size_t frames, too_many, nonsense; /* how many of each kind came */
    bool cut;                          /* the last frame was incomplete */
    char why[200];                     /* the error in the first invalid frame */
};

/* Whether a program may show something, judged by its words: it has the word "display", or imports
 * a module that is neither in the standard library nor known to show nothing, or one whose name is
 * known only during the run. */
bool run_display_wanted(const struct language *language, struct str code);

void run_display_init(struct run_display *d, const struct reporter *reporter);
/* Opens the descriptors for one start, and writes the language's texts into them. */
int run_display_open(struct run_display *d, const struct language *language, struct err *err);
/* Call when the guest has its own copies of the descriptors. */
void run_display_started(struct run_display *d);
/* Reads the available frames; `from` is -1 when no more will come. */
void run_display_receive(struct run_display *d);
/* Call after the guest ended: reads the rest, and reports the frames that were left out. */
void run_display_end(struct run_display *d);
void run_display_done(struct run_display *d);

#endif
