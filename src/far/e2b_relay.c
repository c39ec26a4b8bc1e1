/* SPDX-License-Identifier: Apache-2.0 */
#include "far/e2b_relay.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/stream_piece.h"
#include "base/thread.h"
#include "far/e2b_relay_parts.h"

enum { READ_STEP = 64 << 10, FRAMES_MAX = 4 << 20, RESUME_MS = 60000 };

/* ---- to the loop ---- */

/* Waits for room. */
static void write_bytes(struct e2b_relay *r, struct str bytes)
{
    while (bytes.n && !r->gone) {
        struct pollfd polls[] = {{.fd = r->sock, .events = POLLOUT},
                                 {.fd = r->stop, .events = POLLIN}};
        ssize_t n = poll(polls, 2, -1) < 0 || polls[1].revents
                        ? -1
                        : send(r->sock, bytes.p, bytes.n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0)
            bytes = str_slice(bytes, (size_t)n, bytes.n);
        else if (polls[1].revents || (errno != EAGAIN && errno != EINTR))
            r->gone = true;
    }
}

/* In one piece, as an engine cuts a helper's output. */
void relay_send(struct e2b_relay *r, enum contained_frame kind, struct str bytes)
{
    AUTO_BUF struct buf piece = {0};

    buf_init(&piece, STREAM_PIECE_HEAD + CONTAINED_HEAD + CONTAINED_PIECE_MAX);
    (void)stream_piece_put_head(&piece, 1, (uint32_t)(CONTAINED_HEAD + bytes.n));
    wire_put_u32(&piece, kind);
    wire_put_u32(&piece, (uint32_t)bytes.n);
    (void)buf_add_str(&piece, bytes);
    write_bytes(r, buf_str(&piece));
}

void relay_send_all(struct e2b_relay *r, enum contained_frame kind, struct str bytes)
{
    for (size_t at = 0; at < bytes.n; at += CONTAINED_PIECE_MAX)
        relay_send(r, kind, str_slice(bytes, at, at + CONTAINED_PIECE_MAX));
}

static void send_numbers(struct e2b_relay *r, enum contained_frame kind, const uint32_t *numbers,
                         size_t n)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 64);
    for (size_t i = 0; i < n; i++)
        wire_put_u32(&b, numbers[i]);
    relay_send(r, kind, buf_str(&b));
}

void relay_send_err(struct e2b_relay *r, enum contained_frame kind, const struct err *err)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 1024);
    wire_put_u32(&b, err->kind);
    wire_put_u32(&b, (uint32_t)err->sys);
    wire_put_cstr(&b, err->kind ? err->msg : "");
    relay_send(r, kind, buf_str(&b));
}

void relay_send_end(struct e2b_relay *r, int status)
{
    AUTO_BUF struct buf b = {0};

    if (r->over)
        return;
    r->over = true;
    buf_init(&b, 16);
    wire_put_u32(&b, (uint32_t)status);
    wire_put_u64(&b, (uint64_t)(clock_mono_ns() - r->start_ns));
    relay_send(r, CONTAINED_ENDED, buf_str(&b));
    relay_send(r, CONTAINED_OVER, STR(""));
}

int relay_awake(struct e2b_relay *r, struct err *err)
{
    struct e2b_place *place = r->place;

    if (clock_mono_ms() < place->refresh_ms)
        return 0;
    place->refresh_ms = clock_mono_ms() + E2B_REFRESH_MS;
    return e2b_resume(r->e2b, place->kept_ms, RESUME_MS, r->stop, err);
}

/* ---- its start ---- */

static int begin_work(struct e2b_relay *r, struct err *err)
{
    const uint32_t none = 0;

    if (relay_take_plan(r, err) < 0 || relay_take_input(r, err) < 0 ||
        (r->kernel && relay_open_context(r, err) < 0))
        return -1;
    send_numbers(r, CONTAINED_HELD, &none, 1);
    relay_send(r, CONTAINED_STARTED, STR(""));
    r->start_ns = clock_mono_ns();
    if (r->is_session)
        return 0;
    return r->kernel ? relay_begin_cell(r, 0, str_from(r->code), err) : relay_begin_process(r, err);
}

/* ---- its frames ---- */

/* Returns the whole window at once: no bytes wait here. */
static void give_credit(struct e2b_relay *r, enum contained_way way, size_t n)
{
    const uint32_t numbers[] = {way, (uint32_t)n};

    if (n)
        send_numbers(r, CONTAINED_CREDIT, numbers, 2);
}

static void kill_guest(struct e2b_relay *r)
{
    struct err ignored;

    if (r->over)
        return;
    if (r->process)
        relay_kill_process(r);
    if (r->context)
        (void)e2b_context_remove(r->e2b, r->context, r->stop, &ignored);
    relay_cell_done(&r->cell);
    relay_send_end(r, SIGKILL);
}

static void act(struct e2b_relay *r, uint32_t kind, struct str bytes)
{
    switch (kind) {
    case CONTAINED_IN:
        give_credit(r, CONTAINED_TO_STDIN, bytes.n);
        break;
    case CONTAINED_CHANNEL_IN:
        r->gone |= cell_reader_add(&r->cells, bytes) < 0;
        give_credit(r, CONTAINED_TO_CHANNEL, bytes.n);
        break;
    case CONTAINED_INTERRUPT:
        relay_interrupt_cell(r);
        break;
    case CONTAINED_KILL:
        kill_guest(r);
        break;
    case CONTAINED_FILES:
        relay_send_files(r, bytes.n && bytes.p[0]);
        break;
    case CONTAINED_PUT:
        relay_put_begin(r);
        break;
    case CONTAINED_BYTES:
        relay_put_bytes(r, bytes);
        break;
    case CONTAINED_PLACE:
        relay_put_end(r, bytes);
        break;
    case CONTAINED_REMOVE:
        relay_remove(r, bytes);
        break;
    default:
        break;
    }
}

static int take_frames(struct e2b_relay *r, struct err *err)
{
    size_t at = 0;

    while (r->in.n - at >= CONTAINED_HEAD) {
        struct wire w = {.rest = str_slice(buf_str(&r->in), at, r->in.n)};
        uint32_t kind = wire_u32(&w), n = wire_u32(&w);
        if (w.rest.n < n)
            break;
        act(r, kind, str_slice(w.rest, 0, n));
        at += CONTAINED_HEAD + n;
    }
    buf_drop(&r->in, at);
    return r->is_session ? relay_take_frames(r, err) : 0;
}

int relay_receive(struct e2b_relay *r, struct err *err)
{
    char *room = buf_room(&r->in, READ_STEP);
    ssize_t n = room ? recv(r->sock, room, READ_STEP, MSG_DONTWAIT) : 0;

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    r->gone |= n <= 0;
    buf_grew(&r->in, n > 0 ? (size_t)n : 0);
    return take_frames(r, err);
}

/* ---- its thread ---- */

static bool is_working(const struct e2b_relay *r)
{
    return !r->over && (relay_has_cell(r) || r->process);
}

static int wait_time(const struct e2b_relay *r)
{
    int left = relay_cell_wait(r);

    return left >= 0 ? left : is_working(r) ? E2B_REFRESH_MS : -1;
}

static int step(struct e2b_relay *r, struct err *err)
{
    enum { LOOP, STOP, CELL, OUTPUT, PROCESS };
    struct pollfd polls[PROCESS + E2B_PROCESS_POLLS];
    bool runs = is_working(r);

    for (size_t i = 0; i < ARRAY_LEN(polls); i++)
        polls[i] = (struct pollfd){.fd = -1, .events = POLLIN};
    polls[LOOP].fd = r->sock;
    polls[STOP].fd = r->stop;
    if (r->cell.at)
        polls[CELL].fd = e2b_cell_fd(r->cell.at);
    if (runs && r->process) {
        polls[OUTPUT].fd = r->process_fd;
        e2b_process_polls(r->process, polls + PROCESS);
    }
    if (poll(polls, ARRAY_LEN(polls), wait_time(r)) < 0)
        return 0;
    r->gone |= polls[STOP].revents != 0;
    if (r->gone || (runs && relay_awake(r, err) < 0) ||
        (polls[LOOP].revents && relay_receive(r, err) < 0))
        return -1;
    if (relay_has_cell(r) && relay_step_cell(r, err) < 0)
        return -1;
    if (is_working(r) && r->process && relay_step_process(r, err) < 0)
        return -1;
    return r->is_session ? relay_take_frames(r, err) : 0;
}

static void *relay_main(void *argument)
{
    struct e2b_relay *r = argument;
    struct err err = {0};

    if (begin_work(r, &err) < 0)
        relay_send_err(r, CONTAINED_FAILED, &err);
    else
        while (!r->gone && step(r, &err) == 0)
            ;
    r->place->broke = err;
    (void)shutdown(r->sock, SHUT_RDWR);
    return NULL;
}

/* ---- its life ---- */

static char **copy_list(char *const *list)
{
    size_t n = 0;

    while (list && list[n])
        n++;
    char **copy = xcalloc(n + 1, sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = xstrdup(list[i]);
    return copy;
}

static void list_done(char **list)
{
    for (char **p = list; p && *p; p++)
        free(*p);
    free(list);
}

/* Bash as a process is what a script expects: two outputs, and an exit status. */
const char *e2b_relay_kernel(const struct backend_job *job)
{
    bool as_process = !job->has_cells && strcmp(job->language, "bash") == 0;

    return as_process ? NULL : e2b_interpreter_language(job->language);
}

static struct e2b_relay *relay_new(const struct far_guest *d)
{
    const struct backend_job *job = d->job;
    struct e2b_relay *r = xcalloc(1, sizeof *r);

    *r = (struct e2b_relay){
        .e2b = e2b_place_of(d)->e2b,
        .place = e2b_place_of(d),
        .sock = -1,
        .stop = -1,
        .kernel = e2b_relay_kernel(job),
        .is_session = job->has_cells,
        .is_python = strcmp(job->language, "python") == 0,
        .code = xstrndup(job->program.p ? job->program.p : "", job->program.n),
        .own_env = copy_list(job->own_env),
        .process_fd = -1,
    };
    buf_init(&r->plan_bytes, CONTAINED_PLAN_MAX);
    buf_init(&r->in, FRAMES_MAX);
    buf_init(&r->process_out, 16 << 20);
    buf_init(&r->arriving, 0);
    cell_reader_init(&r->cells);
    return r;
}

static void relay_free(struct e2b_relay *r)
{
    fd_close(&r->sock);
    fd_close(&r->stop);
    fd_close(&r->process_fd);
    e2b_process_close(r->process);
    relay_cell_done(&r->cell);
    relay_files_done(r);
    cell_reader_done(&r->cells);
    buf_done(&r->plan_bytes);
    buf_done(&r->in);
    buf_done(&r->process_out);
    free((char *)r->plan.path);
    free((char *)r->plan.wait_file);
    list_done(r->plan.argv);
    list_done(r->plan.env);
    list_done(r->own_env);
    free(r->context);
    free(r->code);
    free(r);
}

int e2b_relay_start(struct far_guest *d, struct e2b_relay **ret, struct err *err)
{
    struct e2b_relay *r = relay_new(d);
    int ends[2] = {-1, -1};

    r->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (r->stop < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) {
        relay_free(r);
        return err_sys(err, "make a socket for the sandbox");
    }
    r->sock = ends[0];
    d->fd = ends[1];
    errno = thread_start(&r->thread, NULL, relay_main, r);
    if (errno) {
        relay_free(r);
        return err_sys(err, "start a thread");
    }
    *ret = r;
    return 0;
}

void e2b_relay_stop(struct e2b_relay *r)
{
    if (!r)
        return;
    (void)eventfd_write(r->stop, 1);
    (void)shutdown(r->sock, SHUT_RDWR); /* it may wait for the plan */
    (void)pthread_join(r->thread, NULL);
    relay_free(r);
}
