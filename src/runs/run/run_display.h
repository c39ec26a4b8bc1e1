/* SPDX-License-Identifier: Apache-2.0
 *
 * Receives the displays of a plain program: figures of matplotlib, display(), pictures. Only for
 * Python: its runner (guests/rich_run.py) sends frames "display" of backends/cell_wire.h, and
 * "value", with the limits of a session's cell.
 *
 * Only a program that may display something gets the pipe for that (run_display_wanted); all others
 * start without it. The runner reads guests/rich_begin.py from the pipe, and moves the other end
 * out of the program's sight. The rest of our code (guests/rich_run.py, and code that it shares
 * with a session's server) is executed only when the program is about to display something. A
 * program with the pipe may write anything to it: invalid frames are left out, and a last bundle
 * reports that. They never make a run fail.
 */
#ifndef RUN_RUN_DISPLAY_H
#define RUN_RUN_DISPLAY_H

#include <stdbool.h>

#include "backends/cell_wire.h"
#include "run/reporter.h"

struct run_display {
    const struct reporter *reporter; /* for its result and its watcher */
    int from;                        /* to read the guest's frames; -1: closed */
    int guest[2]; /* the guest's descriptors 3 and 4, until it has started; or -1 */
    struct cell_reader in;
    struct displays kept;
    size_t received;         /* bytes received */
    size_t frames, nonsense; /* number of all frames, and of invalid ones */
    bool cut;                /* the last frame was incomplete */
    char why[200];           /* the error in the first invalid frame */
};

/* True if the program may end with an expression, judged by its last line, in a language whose
 * runner sends the value of one (frames "value", or "display" with the kind "value"). */
bool run_value_wanted(const struct language *language, struct str code);
/* True if a program may display something, judged by its words: it has the word "display", or
 * imports a module that is neither in the standard library nor known to display nothing, or imports
 * a module whose name is known only during the run. */
bool run_display_wanted(const struct language *language, struct str code);

void run_display_init(struct run_display *d, const struct reporter *reporter);
/* Opens the descriptors for one start, and writes the language's texts into them. */
int run_display_open(struct run_display *d, const struct language *language, struct err *err);
/* Call after the guest has its own copies of the descriptors. */
void run_display_started(struct run_display *d);
/* Reads the available frames; `from` is -1 if no more will come. */
void run_display_receive(struct run_display *d);
/* Call after the guest ended: reads the rest, and reports that frames were left out. */
void run_display_end(struct run_display *d);
void run_display_done(struct run_display *d);

#endif
