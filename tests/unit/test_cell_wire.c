/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "backends/cell_wire.h"
#include "base/mem.h"
#include "tap.h"

static void open_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        abort();
}

static void feed(struct cell_reader *r, struct str bytes)
{
    int ends[2];

    open_pipe(ends);
    while (bytes.n) {
        ssize_t n = write(ends[1], bytes.p, bytes.n);
        bytes = str_slice(bytes, n > 0 ? (size_t)n : 0, bytes.n);
        (void)cell_reader_fill(r, ends[0]);
    }
    close(ends[0]);
    close(ends[1]);
}

static void test_there_and_back(void)
{
    struct cell_reader r;
    struct cell_frame frame;
    struct err err;
    AUTO_BUF struct buf out = {0};
    static const char nul[] = {'a', 0, '\n', 'b'};

    cell_reader_init(&r);
    buf_init(&out, 1 << 20);
    OK(cell_frame_put(&out, "exec", 7, STR("print(1)")) == 0 &&
           cell_frame_put(&out, "stdin", 4294967295u, (struct str){nul, 4}) == 0 &&
           cell_frame_put(&out, "done", 0, STR("")) == 0,
       "three frames are written");
    EQ_INT(out.n, strlen("exec 7 8\nprint(1)stdin 4294967295 4\n....done 0 0\n"));
    feed(&r, buf_str(&out));
    EQ_INT(cell_reader_next(&r, &frame, &err), 1);
    OK(strcmp(frame.kind, "exec") == 0 && frame.id == 7 && str_is(frame.bytes, "print(1)"),
       "the first");
    EQ_INT(cell_reader_next(&r, &frame, &err), 1);
    OK(strcmp(frame.kind, "stdin") == 0 && frame.id == 4294967295u && frame.bytes.n == 4 &&
           memcmp(frame.bytes.p, nul, 4) == 0,
       "the second has a NUL and a line's end in it");
    EQ_INT(cell_reader_next(&r, &frame, &err), 1);
    OK(strcmp(frame.kind, "done") == 0 && frame.bytes.n == 0, "the third is empty");
    EQ_INT(cell_reader_next(&r, &frame, &err), 0);
    cell_reader_done(&r);
}

/* Whatever the pieces it comes in. */
static void test_pieces(void)
{
    static const struct str text = {"ready 0 2\n{}display 3 5\nabcdecall 1 0\n", 38};
    unsigned wrong = 0;

    for (size_t step = 1; step <= text.n; step++) {
        struct cell_reader r;
        struct cell_frame frame;
        struct err err;
        unsigned n = 0;
        cell_reader_init(&r);
        for (size_t at = 0; at < text.n; at += step) {
            feed(&r, str_slice(text, at, at + step < text.n ? at + step : text.n));
            while (cell_reader_next(&r, &frame, &err) > 0)
                n++;
        }
        wrong += n != 3 || frame.id != 1;
        cell_reader_done(&r);
    }
    EQ_INT(wrong, 0);
}

static void test_nonsense(void)
{
    static const char *const texts[] = {
        "\n",
        "ready\n",
        "ready 0\n",
        "ready 0 1 \nx",
        "ready  0 0\n",
        "ready -1 0\n",
        "ready 01 0\n",
        "ready 0 00\n",
        "ready 4294967296 0\n",
        "ready 0 99999999999\n",
        "ready 0 0x1\nx",
        "ready 0 67108865\n", /* a byte too many */
        "Ready 0 0\n",
        "re-dy 0 0\n",
        " 0 0\n",
        "abcdefghijklmnop 0 0\n", /* sixteen letters */
        "done 0 0 more\n",
        "0123456789012345678901234567890123456789 and no end",
    };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct cell_reader r;
        struct cell_frame frame;
        struct err err = {0};
        cell_reader_init(&r);
        feed(&r, str_from(texts[i]));
        OK(cell_reader_next(&r, &frame, &err) == -1 && err.kind == ERR_GUEST,
           "no frame: number %zu", i);
        cell_reader_done(&r);
    }
}

static void test_limits(void)
{
    struct cell_reader r;
    struct cell_frame frame;
    struct err err;
    AUTO_BUF struct buf out = {0};
    AUTO_FREE char *large = xcalloc(1, CELL_FRAME_MAX + 1);

    buf_init(&out, CELL_FRAME_MAX + 100u);
    OK(cell_frame_put(&out, "set", 1, (struct str){large, CELL_FRAME_MAX + 1}) < 0 && !out.n,
       "a frame that is too large is not written");
    EQ_INT(cell_frame_put(&out, "set", 1, (struct str){large, CELL_FRAME_MAX}), 0);
    cell_reader_init(&r);
    feed(&r, buf_str(&out));
    OK(cell_reader_next(&r, &frame, &err) == 1 && frame.bytes.n == CELL_FRAME_MAX,
       "the largest is read");
    feed(&r, STR("done 1 0\n"));
    OK(cell_reader_next(&r, &frame, &err) == 1 && r.bytes.cap < CELL_FRAME_MAX / 2,
       "and its room is given back");
    cell_reader_done(&r);
    buf_clear(&out);
    out.limit = 10;
    OK(cell_frame_put(&out, "exec", 1, STR("x")) < 0 ||
           cell_frame_put(&out, "exec", 1, STR("x")) < 0,
       "the buffer's ceiling holds");
    OK(!str_ends(buf_str(&out), "\n"), "and leaves no header alone");
}

static void test_descriptors(void)
{
    struct cell_reader r;
    int ends[2];

    cell_reader_init(&r);
    open_pipe(ends);
    OK(cell_reader_fill(&r, ends[0]) == -1 && errno == EAGAIN, "nothing is there yet");
    (void)!write(ends[1], "a 0 0\n", 6);
    EQ_INT(cell_reader_fill(&r, ends[0]), 1);
    close(ends[1]);
    EQ_INT(cell_reader_fill(&r, ends[0]), 0);
    close(ends[0]);
    cell_reader_done(&r);
}

/* Until it has so much, or may have no more. */
static bool fill_from_zero(struct cell_reader *r, size_t bytes)
{
    int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    int got = 1;

    while (got > 0 && r->bytes.n < bytes)
        got = cell_reader_fill(r, zero);
    int why = errno;
    close(zero);
    errno = why;
    return got > 0;
}

/* Guests whose large frames never end share what they may have of the host's memory. */
static void test_all_together(void)
{
    enum { MOST = CELL_FRAMES_MAX / CELL_FRAME_MAX + 1, LARGE = CELL_FRAME_MAX / 2 + 1 };
    struct cell_reader large[MOST], small;
    unsigned full = 0;

    for (unsigned i = 0; i < MOST; i++) {
        cell_reader_init(&large[i]);
        full += fill_from_zero(&large[i], LARGE);
    }
    OK(full > 0 && full < MOST, "not all may hold a large frame: %u", full);
    OK(!fill_from_zero(&large[MOST - 1], LARGE) && errno == ENOBUFS, "nor later");
    cell_reader_init(&small);
    OK(fill_from_zero(&small, 1 << 19), "small ones come through");
    cell_reader_done(&small);
    cell_reader_done(&large[0]);
    OK(fill_from_zero(&large[MOST - 1], LARGE), "and who waited, when another is done");
    for (unsigned i = 0; i < MOST; i++)
        cell_reader_done(&large[i]);
}

int main(void)
{
    RUN(test_there_and_back());
    RUN(test_pieces());
    RUN(test_nonsense());
    RUN(test_limits());
    RUN(test_descriptors());
    RUN(test_all_together());
    return tap_done();
}
