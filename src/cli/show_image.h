/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures in a terminal: kitty's graphics protocol, iTerm2's inline images, or sixels.
 *
 *     struct show_terminal terminal;
 *     show_image_ask(STDIN_FILENO, STDOUT_FILENO, getenv, &terminal);    once
 *     if (terminal.how != SHOW_NONE && show_image_put(&terminal, png, &out, &err) == 0)
 *         write out.p, out.n
 *
 * The PNG is the guest's. It is decoded here (cli/png.h) before anything of it reaches the
 * terminal, whose own decoder gets only what a picture needs; what cannot be decoded is not shown.
 */
#ifndef CLI_SHOW_IMAGE_H
#define CLI_SHOW_IMAGE_H

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
    unsigned width, height; /* of the window in pixels; 0 where it does not say */
    unsigned columns;       /* the same width, in characters */
};

/* getenv, or what stands for it in a test. */
typedef char *show_get(const char *name);

/* What the terminal can do, judged by the environment (TERM, TERM_PROGRAM, LC_TERMINAL,
 * KITTY_WINDOW_ID, TMUX). Sixels are had only where the terminal itself says so: it is asked with
 * DA1, and has SHOW_ASK_MS to answer; what is typed in this time is lost. Not asked, and SHOW_NONE,
 * unless both descriptors are a terminal whose foreground this process is in. */
void show_image_ask(int in, int out, show_get *get, struct show_terminal *ret);
#define SHOW_ASK_MS 150

/* The parts of that. *ret_ask: a guess is not enough, the terminal has to say that it has sixels.
 */
enum show_how show_image_guess(show_get *get, bool *ret_ask);
/* Whether this answer to DA1 says sixels: 1 or 0, and -1 while it is not whole. */
int show_image_answer(struct str said);

/* Appends what shows the picture, and an end of line. ERR_GUEST: it is no PNG, or a damaged one.
 * ERR_LIMIT: larger than PNG_SIDE_MAX, or than the ceiling of *out. What *out has then is to be
 * thrown away. */
int show_image_put(const struct show_terminal *terminal, struct str png, struct buf *out,
                   struct err *err);

#endif
