/* SPDX-License-Identifier: Apache-2.0
 *
 * The guest's input() at the prompt: the terminal edits the line, in its own cooked mode.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/encoded.h"
#include "base/json_get.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/cmd_repl.h"
#include "cli/safe_text.h"

enum { PROMPT_MAX = 16 << 10, LINE_MAX_BYTES = 1 << 20 };

enum asked { ASKED_LINE, ASKED_END, ASKED_INTERRUPT };

/* It comes from the guest. */
static void show_prompt(struct repl_host *h, struct str prompt)
{
    AUTO_BUF struct buf text = {0};

    h->progress(h->ctx, -1, 0);
    printer_flush(h->printer);
    h->printer->waits = false;
    buf_init(&text, 10 * PROMPT_MAX + 16);
    safe_text_add(&text, str_slice(prompt, 0, utf8_cut(prompt, PROMPT_MAX)), true);
    fwrite(text.p, 1, text.n, stdout);
    fflush(stdout);
}

/* The first Ctrl-C is the guest's to handle. A program that catches it and asks again is
 * interrupted by the second, as any cell is: that one is left for the session to find. */
static enum asked interrupted(struct repl_host *h)
{
    if (cancel_signal() == SIGINT && h->refusals++ == 0)
        repl_drain(h->cancel_fd);
    putchar('\n');
    fflush(stdout);
    return ASKED_INTERRUPT;
}

static enum asked read_line(struct repl_host *h, struct buf *line)
{
    struct pollfd wait[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                            {.fd = h->cancel_fd, .events = POLLIN}};
    char chunk[4096];

    for (;;) {
        if (poll(wait, ARRAY_LEN(wait), -1) < 0 && errno != EINTR)
            return ASKED_END;
        if (wait[1].revents)
            return interrupted(h);
        if (!wait[0].revents)
            continue;
        ssize_t n = read(STDIN_FILENO, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) /* as in Python, the end of the file after some text ends the line */
            return n == 0 && line->n ? ASKED_LINE : ASKED_END;
        bool ends = chunk[n - 1] == '\n';
        if (buf_add(line, chunk, (size_t)n - ends) < 0)
            return ASKED_END;
        if (ends)
            return ASKED_LINE;
    }
}

/* True when the terminal shows no typed characters from now on; *ret is its mode before. */
static bool hide(struct termios *ret)
{
    if (tcgetattr(STDIN_FILENO, ret) < 0)
        return false;
    struct termios mode = *ret;
    mode.c_lflag &= ~(tcflag_t)ECHO;
    return tcsetattr(STDIN_FILENO, TCSADRAIN, &mode) == 0;
}

static enum asked read_shown_or_hidden(struct repl_host *h, bool hidden, struct buf *line)
{
    struct termios before;
    bool changed = hidden && hide(&before);
    enum asked got = read_line(h, line);

    if (changed) {
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
        if (got == ASKED_LINE)
            putchar('\n');
    }
    if (got == ASKED_END)
        putchar('\n');
    fflush(stdout);
    return got;
}

int repl_ask(void *ctx, const struct tool_call *call, json_t **ret, struct err *err)
{
    struct repl_host *h = ctx;
    const json_t *prompt = json_array_get(call->args, 0);
    AUTO_BUF struct buf line = {0};

    if (!json_is_string(prompt))
        return err_set(err, ERR_GUEST, "input() was called with something that is no text");
    buf_init(&line, LINE_MAX_BYTES);
    show_prompt(h, json_str(prompt));
    switch (read_shown_or_hidden(h, json_is_true(json_array_get(call->args, 1)), &line)) {
    case ASKED_LINE:
        *ret = encoded_text(buf_str(&line));
        break;
    case ASKED_END:
        *ret = json_null();
        break;
    case ASKED_INTERRUPT:
        *ret = json_false();
        break;
    }
    return 0;
}
