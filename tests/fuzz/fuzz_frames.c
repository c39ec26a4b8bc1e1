/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes from a container: an engine's pieces, and in them the helper's frames. The first byte
 * is the number of bytes that arrive at once. Whatever comes, the ceilings hold.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "far/far.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { BUFFER_MAX = 256 << 10, TREE_MAX = 4096 };

static void on_output(void *ctx, int stream, const char *p, size_t n)
{
    assert(stream == 1 || stream == 2);
    assert(p && n && n <= CONTAINED_PIECE_MAX);
    *(uint64_t *)ctx += n;
}

static void begin(struct far_guest *d)
{
    struct buf *const buffers[] = {&d->in, &d->frames, &d->words, &d->channel.bytes};

    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        buf_init(buffers[i], BUFFER_MAX);
    d->sources[CONTAINED_TO_STDIN].window = CONTAINED_WINDOW / 2;
    d->spool = memfd_create("tree", MFD_CLOEXEC);
    assert(d->spool >= 0);
}

static void receive(struct far_guest *d, int far, const uint8_t *data, size_t n, size_t step)
{
    for (size_t at = 0; at < n && d->fd >= 0; at += step) {
        size_t piece = n - at < step ? n - at : step;
        ssize_t sent = send(far, data + at, piece, MSG_NOSIGNAL);
        assert(sent == (ssize_t)piece);
        far_receive(d);
    }
}

static void check(const struct far_guest *d)
{
    struct stat st;

    assert(fstat(d->spool, &st) == 0 && st.st_size <= TREE_MAX);
    assert(d->words.n <= 4096 && d->frames.n <= CONTAINED_HEAD + 2 * CONTAINED_PIECE_MAX);
    for (unsigned way = 0; way < CONTAINED_WAYS; way++)
        assert(d->sources[way].window <= CONTAINED_WINDOW);
    assert(!d->over || d->out->started);
    assert(d->out->denied_count <= JAIL_DENIED_MAX);
}

static void end(struct far_guest *d)
{
    buf_done(&d->in);
    buf_done(&d->frames);
    buf_done(&d->words);
    buf_done(&d->channel.bytes);
    fd_close(&d->fd);
    fd_close(&d->spool);
    fd_close(&d->channel.fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const struct far_place place = {.name = "container", .lacks = "it is not there"};
    uint64_t printed = 0;
    const struct backend_sink sink = {
        .ctx = &printed, .output = on_output, .cancel_fd = -1, .channel_fd = -1};
    struct backend_outcome out = {0};
    struct far_guest d = {0};
    int pair[2];

    if (n < 2 || n > 64 << 10 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return 0;
    d.place = &place;
    d.sink = &sink;
    d.out = &out;
    d.mirror.fd = d.arriving.fd = -1;
    d.max_bytes = TREE_MAX;
    d.entries_left = 10;
    begin(&d);
    for (size_t i = 0; i < ARRAY_LEN(d.sources); i++)
        d.sources[i].fd = -1;
    d.fd = pair[0];
    d.channel.fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    receive(&d, pair[1], data + 1, n - 1, data[0] ? data[0] : n);
    check(&d);
    assert(printed <= n);
    end(&d);
    (void)close(pair[1]);
    return 0;
}
