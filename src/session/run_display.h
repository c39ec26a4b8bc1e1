/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plain program shows: figures of matplotlib, display(), pictures. Of Python, whose runner
 * sends it (guests/rich_run.py) in the frames "display" of session/cell_wire.h, with the limits
 * that a session's cell has.
 *
 * Only a program that may show something gets the pipe for that (run_display_wanted); all others
 * start as if there were none. Who has it may write anything: what makes no sense is left out, and
 * a last bundle says so. It never makes a run fail.
 */
#ifndef SESSION_RUN_DISPLAY_H
#define SESSION_RUN_DISPLAY_H

#include <stdbool.h>

#include "session/cell_wire.h"
#include "session/tell.h"

struct run_display {
    const struct teller *teller; /* bundles go into its result, and to who watches */
    int from;                    /* what the guest writes; -1: nobody listens (any more) */
    int guest[2];                /* its descriptors 3 and 4, until it has started; or -1 */
    struct cell_reader in;
    size_t bytes, values;              /* of what was kept */
    size_t heard;                      /* bytes, of what came */
    size_t frames, too_many, nonsense; /* how many of each kind came */
    bool cut;                          /* the last was not whole */
    char why[200];                     /* what was wrong with the first that made no sense */
};

/* Whether a program may show something, judged by its words: it says "display", or imports what is
 * neither of the standard library nor known to show nothing, or what only its run will tell. */
bool run_display_wanted(const struct language *language, struct str code);

void run_display_init(struct run_display *d, const struct teller *teller);
/* The descriptors of one start; the language's texts wait in them. */
int run_display_open(struct run_display *d, const struct language *language, struct err *err);
/* The guest has its own copies now. */
void run_display_started(struct run_display *d);
/* Takes what is there; `from` is -1 when no more will come. */
void run_display_hear(struct run_display *d);
/* The guest is gone: takes the rest, and says what was left out. */
void run_display_end(struct run_display *d);
void run_display_done(struct run_display *d);

#endif
