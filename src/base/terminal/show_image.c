/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal/show_image.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "terminal/png.h"
#include "terminal/sixel.h"

enum {
    PIECE = 4096, /* bytes of base64 in one of kitty's sequences */
    PNG_MOST = 64 << 20,
    ANSWER_MAX = 200,
};

/* ---- what the terminal can do ---- */

static bool is(show_get *get, const char *name, const char *value)
{
    return str_is(str_from(get(name)), value);
}

static bool begins(show_get *get, const char *name, const char *value)
{
    return str_starts(str_from(get(name)), value);
}

enum show_how show_image_guess(show_get *get, bool *ret_ask)
{
    *ret_ask = false;
    if (!get("TERM") || is(get, "TERM", "") || is(get, "TERM", "dumb") || is(get, "TERM", "linux"))
        return SHOW_NONE;
    /* A multiplexer passes on the variables of the terminal around it, but cannot pass on pictures.
     */
    if (get("TMUX") || begins(get, "TERM", "screen") || begins(get, "TERM", "tmux")) {
        *ret_ask = true;
        return SHOW_NONE;
    }
    if (get("KITTY_WINDOW_ID") || is(get, "TERM", "xterm-kitty") ||
        is(get, "TERM", "xterm-ghostty") || is(get, "TERM_PROGRAM", "ghostty"))
        return SHOW_KITTY;
    if (is(get, "TERM_PROGRAM", "iTerm.app") || is(get, "TERM_PROGRAM", "WezTerm") ||
        is(get, "LC_TERMINAL", "iTerm2"))
        return SHOW_ITERM;
    *ret_ask = true;
    return SHOW_NONE;
}

/* "\033[?64;1;4c": the kind of terminal, then its features; 4 is sixels. */
int show_image_answer(struct str said)
{
    long at = str_find(said, STR("\033[?"));
    struct str piece;
    int found = 0;

    if (at < 0)
        return -1;
    struct str list = str_slice(said, (size_t)at + 3, said.n);
    long end = str_find(list, STR("c"));
    if (end < 0)
        return -1;
    list = str_slice(list, 0, (size_t)end);
    (void)str_next(&list, ';', &piece);
    while (str_next(&list, ';', &piece))
        found |= str_is(piece, "4");
    return found;
}

static bool hear_answer(int in)
{
    AUTO_BUF struct buf said = {0};
    int64_t until = clock_mono_ms() + SHOW_ASK_MS;
    char bytes[64];

    buf_init(&said, ANSWER_MAX);
    while (!said.overflow) {
        struct pollfd p = {.fd = in, .events = POLLIN};
        int64_t left = until - clock_mono_ms();
        if (left <= 0 || poll(&p, 1, (int)left) <= 0)
            return false;
        ssize_t n = read(in, bytes, sizeof bytes);
        if (n <= 0)
            return false;
        (void)buf_add(&said, bytes, (size_t)n);
        int answer = show_image_answer(buf_str(&said));
        if (answer >= 0)
            return answer;
    }
    return false;
}

static bool ask_sixel(int in, int out)
{
    static const char question[] = "\033[c";
    struct termios before, raw;

    if (tcgetattr(in, &before) < 0)
        return false;
    raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    if (tcsetattr(in, TCSANOW, &raw) < 0)
        return false;
    bool has = write(out, question, sizeof question - 1) == sizeof question - 1 && hear_answer(in);
    (void)tcsetattr(in, TCSANOW, &before);
    return has;
}

void show_image_ask(int in, int out, show_get *get, struct show_terminal *ret)
{
    struct winsize size;
    bool ask;

    *ret = (struct show_terminal){0};
    if (!isatty(in) || !isatty(out) || tcgetpgrp(in) != getpgrp())
        return;
    ret->how = show_image_guess(get, &ask);
    if (ask && ask_sixel(in, out))
        ret->how = SHOW_SIXEL;
    if (ioctl(out, TIOCGWINSZ, &size) == 0) {
        ret->width = size.ws_xpixel;
        ret->height = size.ws_ypixel;
        ret->columns = size.ws_col;
    }
}

/* ---- showing ---- */

/* The first sequence has the command: show the PNG here (this many columns wide, unless it is 0),
 * and never send an answer. */
static void put_kitty(struct str base64, unsigned columns, struct buf *out)
{
    bool first = true;

    while (base64.n) {
        size_t n = base64.n < PIECE ? base64.n : PIECE;
        (void)buf_adds(out, first ? "\033_Ga=T,f=100,q=2," : "\033_G");
        if (first && columns)
            (void)buf_addf(out, "c=%u,", columns);
        (void)buf_addf(out, "m=%d;", base64.n > n);
        (void)buf_add(out, base64.p, n);
        (void)buf_adds(out, "\033\\");
        base64 = str_slice(base64, n, base64.n);
        first = false;
    }
}

static void put_iterm(struct str base64, size_t size, struct buf *out)
{
    (void)buf_addf(out, "\033]1337;File=inline=1;size=%zu:", size);
    (void)buf_add_str(out, base64);
    (void)buf_addc(out, '\a');
}

static int put_png(const struct show_terminal *terminal, struct str png, uint32_t width,
                   struct buf *out, struct err *err)
{
    bool wide = terminal->width && width > terminal->width;
    AUTO_BUF struct buf plain = {0}, base64 = {0};

    buf_init(&plain, PNG_MOST);
    buf_init(&base64, PNG_MOST / 3 * 4 + 8);
    if (png_strip(png, &plain, err) < 0)
        return -1;
    (void)base64_add(&base64, buf_str(&plain));
    if (terminal->how == SHOW_KITTY)
        put_kitty(buf_str(&base64), wide ? terminal->columns : 0, out);
    else
        put_iterm(buf_str(&base64), plain.n, out);
    return 0;
}

int show_image_put(const struct show_terminal *terminal, struct str png, struct buf *out,
                   struct err *err)
{
    struct png_picture picture;
    int status;

    if (terminal->how == SHOW_NONE)
        return err_set(err, ERR_UNSUPPORTED, "this terminal cannot show pictures");
    if (png.n > PNG_MOST)
        return err_set(err, ERR_LIMIT, "the PNG is too large");
    if (png_decode(png, &picture, err) < 0)
        return -1;
    if (terminal->how == SHOW_SIXEL)
        status = sixel_put(&picture, terminal->width, terminal->height, out, err);
    else
        status = put_png(terminal, png, picture.width, out, err);
    png_done(&picture);
    if (status < 0)
        return -1;
    (void)buf_addc(out, '\n');
    return out->overflow ? err_set(err, ERR_LIMIT, "the picture is too large to be shown") : 0;
}
