/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures in a terminal: kitty's graphics protocol, iTerm2's inline images, or sixels.
 *
 *     struct show_terminal terminal;
 *     show_image_ask(STDIN_FILENO, STDOUT_FILENO, getenv, &terminal);    once
 *     if (terminal.how != SHOW_NONE && show_image_put(&terminal, png, &out, &err) == 0)
 *         write out.p, out.n
 *
 * The PNG comes from the guest. It is decoded here (terminal/png.h) before any of it reaches the
 * terminal. The terminal's own decoder gets only the chunks that a picture needs; a PNG that cannot
 * be decoded is not shown.
 */
#ifndef TERMINAL_SHOW_IMAGE_H
#define TERMINAL_SHOW_IMAGE_H

#include "base/buf.h"
#include "base/err.h"

enum show_how {
    SHOW_NONE,
    SHOW_KITTY,
    SHOW_ITERM,
    SHOW_SIXEL,
};

struct show_terminal {
    enum show_how how;
    unsigned width, height; /* of the window in pixels; 0 if the terminal does not report it */
    unsigned columns;       /* the same width, in characters */
};

/* getenv, or a replacement for it in a test. */
typedef char *show_get(const char *name);

/* Finds out what the terminal can do, from the environment (TERM, TERM_PROGRAM, LC_TERMINAL,
 * KITTY_WINDOW_ID, TMUX). Sixels are used only if the terminal itself reports them: it is sent DA1,
 * and has SHOW_ASK_MS to answer; keys typed in this time are lost. Unless both descriptors are a
 * terminal with this process in its foreground, nothing is sent and the result is SHOW_NONE. */
void show_image_ask(int in, int out, show_get *get, struct show_terminal *ret);
#define SHOW_ASK_MS 150

/* The two parts of show_image_ask. *ret_ask: the environment does not decide, so the terminal must
 * be asked for sixels. */
enum show_how show_image_guess(show_get *get, bool *ret_ask);
/* Reads the terminal's answer to DA1: 1 if it reports sixels, 0 if not, -1 while it is incomplete.
 */
int show_image_answer(struct str said);

/* Appends the sequence that shows the picture, and a line end. -1 with ERR_GUEST if it is not a
 * valid PNG; with ERR_LIMIT if it is larger than PNG_SIDE_MAX or than the ceiling of *out. After an
 * error, discard the contents of *out. */
int show_image_put(const struct show_terminal *terminal, struct str png, struct buf *out,
                   struct err *err);

#endif
