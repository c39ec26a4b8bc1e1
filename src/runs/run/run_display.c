/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_display.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "formats/encoded.h"
#include "run/cell_decode.h"

/* The guest sends frames unasked; this is enough for any honest program. */
enum {
    FRAMES_MAX = 10000,
    RECEIVED_MAX = 128 << 20,
    TEXT_MAX = 1 << 20,
    VALUE_MAX = 1 << 20, /* bytes of a value as JSON; its display has a limit of its own */
    AT_ONCE = 16,        /* chunks, before limits are checked again */
    REST = 1 << 20,
};

void run_display_init(struct run_display *d, const struct reporter *reporter)
{
    *d = (struct run_display){.reporter = reporter, .from = -1, .guest = {-1, -1}};
    cell_reader_init(&d->in);
}

void run_display_started(struct run_display *d)
{
    fd_close(&d->guest[0]);
    fd_close(&d->guest[1]);
}

static void run_display_stop(struct run_display *d)
{
    fd_close(&d->from);
    cell_reader_done(&d->in);
    cell_reader_init(&d->in);
}

void run_display_done(struct run_display *d)
{
    run_display_started(d);
    run_display_stop(d);
    cell_reader_done(&d->in);
}

/* ---- the descriptors ---- */

/* The text begins with a head of 64 bytes, "MAGIC A B C" and spaces. Then follow A bytes of
 * bytecode for the Python with that magic number, B bytes of bytecode that it needs later, C bytes
 * of text for any other Python, and the text that this one needs later. The guest reads each part
 * when it needs it. */
enum { HEAD = 64 };

static int put_texts(const struct language_rich *rich, struct buf *out)
{
    size_t begin = *rich->begin_size, later = *rich->later_size;

    buf_init(out, TEXT_MAX);
    if (buf_addf(out, "%s %zu %zu %zu", rich->magic, begin, later, strlen(rich->begin)) < 0)
        return -1;
    while (out->n < HEAD)
        if (buf_addc(out, ' ') < 0)
            return -1;
    if (buf_add(out, rich->begin_code, begin) < 0 || buf_add(out, rich->later_code, later) < 0 ||
        buf_adds(out, rich->begin) < 0)
        return -1;
    for (const char *const *text = rich->later; *text; text++)
        if (buf_adds(out, *text) < 0)
            return -1;
    return 0;
}

int run_display_open(struct run_display *d, const struct language *language, struct err *err)
{
    AUTO_BUF struct buf text = {0};
    int ends[2];

    run_display_done(d);
    cell_reader_init(&d->in);
    if (language->rich && put_texts(language->rich, &text) < 0)
        return err_set(err, ERR_BUG, "the programs for the guest's displays are too long");
    d->guest[0] = fd_memory("glovebox-rich", text.p, text.n, err);
    if (d->guest[0] < 0 || fd_pipe(ends, err) < 0)
        return -1;
    d->from = ends[0];
    d->guest[1] = ends[1];
    return fd_nonblock(d->from, true) < 0 ? err_sys(err, "open the pipe for results") : 0;
}

/* ---- frames ---- */

static void is_nonsense(struct run_display *d, const char *why)
{
    if (!d->nonsense++)
        snprintf(d->why, sizeof d->why, "%.150s", why);
}

static void take_frame(struct run_display *d, const struct cell_frame *frame)
{
    struct err err;

    d->frames++;
    if (strcmp(frame->kind, "value") == 0) {
        struct result *result = d->reporter->result;
        json_decref(result->value);
        result->value = frame->bytes.n <= VALUE_MAX ? cell_decode(frame->bytes, &err) : NULL;
        return;
    }
    if (strcmp(frame->kind, "display") != 0) {
        is_nonsense(d, "a message of another kind");
        return;
    }
    int kept = reporter_display(d->reporter, &d->kept, frame->bytes, &err);
    if (kept != 0)
        is_nonsense(d, kept < 0 ? err.msg : "an empty display");
}

/* False if the position of the next frame is unknown. */
static bool take_frames(struct run_display *d)
{
    struct cell_frame frame;
    struct err err;
    int got;

    while ((got = cell_reader_next(&d->in, &frame, &err)) > 0)
        take_frame(d, &frame);
    if (got < 0)
        is_nonsense(d, err.msg);
    return got == 0;
}

static size_t waiting(const struct run_display *d)
{
    return d->in.bytes.n - d->in.taken;
}

/* Returns true if there may be more. */
static bool receive_some(struct run_display *d)
{
    size_t before = waiting(d);
    int got = cell_reader_fill(&d->in, d->from);

    if (got < 0 && errno == EAGAIN)
        return false;
    d->received += waiting(d) - before;
    bool sane = got > 0 && take_frames(d);
    bool endless = d->received > RECEIVED_MAX || d->frames > FRAMES_MAX;
    if (endless)
        d->kept.dropped++;
    if (sane && !endless)
        return true;
    d->cut = got == 0 && waiting(d) > 0;
    run_display_stop(d);
    return false;
}

void run_display_receive(struct run_display *d)
{
    for (int i = 0; i < AT_ONCE && d->from >= 0; i++)
        if (!receive_some(d))
            return;
}

/* ---- the end ---- */

static void add_dropped(json_t *list, const char *why)
{
    json_array_append_new(list, json_pack("{s:s, s:i, s:o}", "mime", "*/*", "bytes", 0, "why",
                                          json_text(str_from(why))));
}

static void say_dropped(struct run_display *d)
{
    json_t *list = json_array();
    char line[400];

    if (d->kept.dropped) {
        snprintf(line, sizeof line,
                 "%zu more left out: a run may show %d displays, with %d MiB in total",
                 d->kept.dropped, DISPLAYS_MAX, DISPLAYS_BYTES_MAX >> 20);
        add_dropped(list, line);
    }
    if (d->nonsense) {
        snprintf(line, sizeof line, "%zu not valid: %s", d->nonsense, d->why);
        add_dropped(list, line);
    }
    if (d->cut)
        add_dropped(list, "the last display was incomplete when the program ended");
    if (json_array_size(list))
        reporter_bundle(d->reporter, json_pack("{s:s, s:{}, s:{}, s:o}", "kind", "display", "data",
                                               "metadata", "dropped", list));
    else
        json_decref(list);
}

void run_display_end(struct run_display *d)
{
    size_t received = d->received;

    run_display_started(d);
    while (d->from >= 0 && d->received - received < REST && receive_some(d))
        ;
    d->cut |= waiting(d) > 0;
    say_dropped(d);
    run_display_stop(d);
}
