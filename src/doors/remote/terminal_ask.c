/* SPDX-License-Identifier: Apache-2.0
 *
 * The terminal edits the line itself, in its cooked mode.
 */
#include "remote/terminal_ask.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "remote/run_remote.h"
#include "terminal/cancel.h"
#include "terminal/safe_text.h"

enum { PROMPT_MAX = 16 << 10, LINE_MAX_BYTES = 1 << 20, ANSWER_WAIT_MS = 60000, LOOK_MS = 200 };

enum asked { ASKED_LINE, ASKED_END, ASKED_INTERRUPT };

/* The prompt comes from the guest, so it is made safe for a terminal. */
static void show_prompt(struct terminal_ask *a, struct str prompt)
{
    AUTO_FREE char *text = safe_text(str_slice(prompt, 0, utf8_cut(prompt, PROMPT_MAX)), true);

    printer_flush(a->printer);
    a->printer->waits = false;
    fputs(text, stdout);
    fflush(stdout);
}

/* After the first Ctrl-C, the guest may handle it. If the program catches it and calls input()
 * again, the second Ctrl-C interrupts the cell as usual: it is left in cancel_fd for the session.
 */
static enum asked interrupted(struct terminal_ask *a)
{
    if (cancel_signal() == SIGINT && a->refusals++ == 0)
        cancel_drain(a->cancel_fd);
    putchar('\n');
    fflush(stdout);
    return ASKED_INTERRUPT;
}

/* True if the guest's other threads have used up the cell's time: the session stops the cell. */
static bool terminal_ask_is_over(const struct terminal_ask *a)
{
    return a->call && a->call->is_over && a->call->is_over(a->call->over_ctx);
}

static enum asked terminal_ask_read_line(struct terminal_ask *a, struct buf *line)
{
    struct pollfd wait[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                            {.fd = a->cancel_fd, .events = POLLIN}};
    char chunk[4096];

    for (;;) {
        if (poll(wait, ARRAY_LEN(wait), a->call ? LOOK_MS : -1) < 0 && errno != EINTR)
            return ASKED_END;
        if (terminal_ask_is_over(a))
            return ASKED_INTERRUPT;
        if (wait[1].revents)
            return interrupted(a);
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

/* Stops the terminal from showing typed characters. True on success; then *ret is the previous
 * mode. */
static bool hide(struct termios *ret)
{
    if (tcgetattr(STDIN_FILENO, ret) < 0)
        return false;
    struct termios mode = *ret;
    mode.c_lflag &= ~(tcflag_t)ECHO;
    return tcsetattr(STDIN_FILENO, TCSADRAIN, &mode) == 0;
}

static enum asked read_shown_or_hidden(struct terminal_ask *a, bool hidden, struct buf *line)
{
    struct termios before;
    bool changed = hidden && hide(&before);
    enum asked got = terminal_ask_read_line(a, line);

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

json_t *terminal_ask(struct terminal_ask *a, struct str prompt, bool hidden)
{
    AUTO_BUF struct buf line = {0};

    buf_init(&line, LINE_MAX_BYTES);
    show_prompt(a, prompt);
    switch (read_shown_or_hidden(a, hidden, &line)) {
    case ASKED_LINE:
        return json_text(buf_str(&line));
    case ASKED_INTERRUPT:
        return json_false();
    case ASKED_END:
        break;
    }
    return json_null();
}

/* ---- a daemon's session ---- */

static void terminal_ask_answer(const struct terminal_there *there, const json_t *event,
                                json_t *value)
{
    AUTO_FREE char *path = xasprintf("/v1/sessions/%s/answers/%lld", there->session,
                                     (long long)json_integer_value(json_object_get(event, "call")));
    json_t *doc = json_pack("{s:o}", "ok", value);
    AUTO_FREE char *body = json_dumps(doc, JSON_COMPACT);
    struct http_ask ask = {.method = "POST",
                           .path = path,
                           .body = str_from(body),
                           .timeout_ms = ANSWER_WAIT_MS,
                           .cancel_fd = -1,
                           .body_max = LINE_MAX_BYTES};
    struct http_client client;
    struct http_reply reply;
    struct err unread;

    json_decref(doc);
    if (remote_open(there->settings, &client, &unread) < 0)
        return;
    (void)http_client_ask(&client, &ask, &reply, &unread);
    http_reply_done(&reply);
    http_client_done(&client);
}

/* An answer that is lost is not reported here: the cell's stream reports that the daemon ended. */
void terminal_answer(struct terminal_there *there, const json_t *event)
{
    struct str prompt = json_str(json_object_get(event, "prompt"));
    bool hidden = json_is_true(json_object_get(event, "hidden"));

    terminal_ask_answer(there, event, terminal_ask(there->ask, prompt, hidden));
}
