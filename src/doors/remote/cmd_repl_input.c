/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads cells from the line editor, from a terminal without one (in the cooked mode, in which the
 * terminal edits the line), or from a file.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "remote/cmd_repl.h"

enum { READ_STEP = 64 << 10 };

void repl_reader_init(struct repl_reader *r, const struct language_traits *traits, int cancel_fd)
{
    *r = (struct repl_reader){.terminal = isatty(0) == 1, .traits = traits, .cancel_fd = cancel_fd};
    buf_init(&r->bytes, RUN_SOURCE_MAX);
}

void repl_reader_done(struct repl_reader *r)
{
    line_editor_close(r->editor);
    buf_done(&r->bytes);
}

bool repl_goes_on(const struct language_traits *traits, struct str text)
{
    if (str_starts(text, ":try "))
        text = str_slice(text, strlen(":try "), text.n);
    return !str_starts(text, ":") && traits->continues(text);
}

/* ---- reading ---- */

/* Returns 1 for more bytes, 0 at the end, -1 after a signal, -2 with *err. */
static int read_more(struct repl_reader *r, struct err *err)
{
    struct pollfd p[] = {{.fd = 0, .events = POLLIN}, {.fd = r->cancel_fd, .events = POLLIN}};
    char *room = buf_room(&r->bytes, READ_STEP);

    if (!room) {
        err_set(err, ERR_LIMIT, "a cell has at most %u MiB", RUN_SOURCE_MAX >> 20);
        return -2;
    }
    if (poll(p, 2, -1) < 0 && errno != EINTR)
        return 0;
    if (p[1].revents || (p[0].revents == 0))
        return -1;
    ssize_t n = read(0, room, READ_STEP);
    if (n < 0 && errno == EINTR)
        return -1;
    if (n > 0)
        buf_grew(&r->bytes, (size_t)n);
    return n > 0;
}

static bool cmd_repl_input_take_line(struct repl_reader *r, struct buf *cell)
{
    const char *end = memchr(r->bytes.p, '\n', r->bytes.n);

    if (!end && !(r->ended && r->bytes.n))
        return false;
    size_t n = end ? (size_t)(end - r->bytes.p) : r->bytes.n;
    (void)buf_add(cell, r->bytes.p, n);
    buf_drop(&r->bytes, n + (end != NULL));
    return true;
}

static void prompt(const struct repl_reader *r, const struct buf *cell)
{
    if (!r->terminal)
        return;
    fputs(cell->n ? "... " : ">>> ", stdout);
    fflush(stdout);
}

/* Appends a line to the cell. */
static int cmd_repl_input_read_line(struct repl_reader *r, struct buf *cell, enum repl_input *ret,
                                    struct err *err)
{
    prompt(r, cell);
    while (!cmd_repl_input_take_line(r, cell)) {
        int got = r->ended ? 0 : read_more(r, err);
        if (got == -2)
            return -1;
        if (got > 0)
            continue;
        bool over = got == 0 || cancel_signal() != 2; /* SIGINT */
        cancel_drain(r->cancel_fd);
        if (r->terminal)
            putchar('\n');
        *ret = over ? REPL_END : REPL_INTERRUPTED;
        r->ended |= over;
        if (over && r->bytes.n)
            continue;
        return 1;
    }
    *ret = REPL_CELL;
    return 0;
}

static int read_edited(struct repl_reader *r, struct buf *cell, enum repl_input *ret)
{
    switch (line_editor_read(r->editor, cell)) {
    case LINE_READ:
        *ret = REPL_CELL;
        break;
    case LINE_ENDED:
        *ret = REPL_END;
        break;
    case LINE_CANCELLED:
        *ret = cancel_signal() == 2 ? REPL_INTERRUPTED : REPL_END; /* SIGINT */
        cancel_drain(r->cancel_fd);
        break;
    }
    return 0;
}

static int read_typed(struct repl_reader *r, struct buf *cell, enum repl_input *ret,
                      struct err *err)
{
    for (;;) {
        int got = cmd_repl_input_read_line(r, cell, ret, err);
        if (got < 0)
            return -1;
        if (got > 0) {
            if (*ret == REPL_END && cell->n)
                *ret = REPL_CELL;
            return 0;
        }
        if (!repl_goes_on(r->traits, buf_str(cell)))
            return 0;
        if (buf_addc(cell, '\n') < 0)
            return err_set(err, ERR_LIMIT, "a cell has at most %u MiB", RUN_SOURCE_MAX >> 20);
    }
}

/* ---- from a file ---- */

static bool is_separator(struct str line)
{
    line = str_trim(line);
    return str_is(line, "%%") || str_is(line, "# %%") || str_is(line, "#%%");
}

/* Returns 1 if a signal ended it. */
static int cmd_repl_input_read_whole(struct repl_reader *r, struct err *err)
{
    int got = r->ended ? 0 : 1;

    while (got == 1)
        got = read_more(r, err);
    r->ended = true;
    return got == -2 ? -1 : got < 0;
}

static int read_separated(struct repl_reader *r, struct buf *cell, enum repl_input *ret,
                          struct err *err)
{
    struct str rest, line;

    int stopped = cmd_repl_input_read_whole(r, err);
    if (stopped < 0)
        return -1;
    *ret = r->bytes.n && !stopped ? REPL_CELL : REPL_END;
    rest = buf_str(&r->bytes);
    while (str_next_line(&rest, &line))
        if (is_separator(line)) {
            (void)buf_add(cell, r->bytes.p, (size_t)(line.p - r->bytes.p));
            buf_drop(&r->bytes, rest.p ? (size_t)(rest.p - r->bytes.p) : r->bytes.n);
            return 0;
        }
    (void)buf_add_str(cell, buf_str(&r->bytes));
    buf_clear(&r->bytes);
    return 0;
}

int repl_read(struct repl_reader *r, struct buf *cell, enum repl_input *ret, struct err *err)
{
    buf_clear(cell);
    if (r->editor)
        return read_edited(r, cell, ret);
    return r->terminal ? read_typed(r, cell, ret, err) : read_separated(r, cell, ret, err);
}
