/* SPDX-License-Identifier: Apache-2.0 */
#include "session/run_display.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/encoded.h"
#include "base/fd.h"
#include "base/mem.h"
#include "session/cell_decode.h"

/* The limits of a cell (session_impl.h), and others for frames that were not requested: enough for
 * any honest program. */
enum {
    BUNDLES = 64,
    BUNDLES_BYTES = 32 << 20,
    BUNDLES_VALUES = CELL_VALUES_MAX,
    FRAMES_MAX = 10000,
    RECEIVED_MAX = 128 << 20,
    TEXT_MAX = 1 << 20,
    AT_ONCE = 16, /* pieces, before limits are checked again */
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

static void stop(struct run_display *d)
{
    fd_close(&d->from);
    cell_reader_done(&d->in);
    cell_reader_init(&d->in);
}

void run_display_done(struct run_display *d)
{
    run_display_started(d);
    stop(d);
    cell_reader_done(&d->in);
}

/* ---- the descriptors ---- */

/* A head of so many bytes, "MAGIC A B C" and spaces: A bytes of bytecode for the Python with that
 * magic number, then B that it needs later; for any other C bytes of text, then the text that it
 * needs later. The guest reads each part when it needs it. */
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
        return err_set(err, ERR_BUG, "the guest's texts are too long");
    d->guest[0] = fd_memory("glovebox-rich", text.p, text.n, err);
    if (d->guest[0] < 0 || fd_pipe(ends, err) < 0)
        return -1;
    d->from = ends[0];
    d->guest[1] = ends[1];
    return fd_nonblock(d->from, true) < 0 ? err_sys(err, "open the pipe for results") : 0;
}

/* ---- frames ---- */

static void keep(struct run_display *d, json_t *bundle)
{
    struct result *r = d->reporter->result;

    if (!r->results)
        r->results = json_array();
    json_array_append_new(r->results, bundle);
    reporter_event(d->reporter, (struct run_event){.kind = RUN_DISPLAY, .bundle = bundle});
}

static void is_nonsense(struct run_display *d, const char *why)
{
    if (!d->nonsense++)
        snprintf(d->why, sizeof d->why, "%.150s", why);
}

static void take_bundle(struct run_display *d, struct str bytes)
{
    struct err err;
    json_t *value = cell_decode(bytes, &err);
    json_t *bundle = value ? cell_bundle(value) : NULL;
    size_t values = cell_count_values(value);

    json_decref(value);
    if (!value)
        is_nonsense(d, err.msg);
    else if (!bundle)
        is_nonsense(d, "a result of nothing");
    if (!bundle)
        return;
    if (values > BUNDLES_VALUES - d->values) {
        d->too_many++;
        json_decref(bundle);
        return;
    }
    d->bytes += bytes.n;
    d->values += values;
    keep(d, bundle);
}

static void take_frame(struct run_display *d, const struct cell_frame *frame)
{
    d->frames++;
    if (strcmp(frame->kind, "display") != 0)
        is_nonsense(d, "a frame of another kind");
    else if (frame->bytes.n > BUNDLES_BYTES - d->bytes ||
             json_array_size(d->reporter->result->results) >= BUNDLES)
        d->too_many++;
    else
        take_bundle(d, frame->bytes);
}

/* False when the position of the next frame is unknown. */
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

/* True when there may be more. */
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
        d->too_many++;
    if (sane && !endless)
        return true;
    d->cut = got == 0 && waiting(d) > 0;
    stop(d);
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

    if (d->too_many) {
        snprintf(line, sizeof line,
                 "%zu more were shown than the %d, of %d MiB in all, that a run may", d->too_many,
                 BUNDLES, BUNDLES_BYTES >> 20);
        add_dropped(list, line);
    }
    if (d->nonsense) {
        snprintf(line, sizeof line, "%zu that came made no sense: %s", d->nonsense, d->why);
        add_dropped(list, line);
    }
    if (d->cut)
        add_dropped(list, "the last was not whole when the program ended");
    if (json_array_size(list))
        keep(d, json_pack("{s:s, s:{}, s:{}, s:o}", "kind", "display", "data", "metadata",
                          "dropped", list));
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
    stop(d);
}
