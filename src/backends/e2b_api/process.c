/* SPDX-License-Identifier: Apache-2.0 */
#include "e2b_api/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "e2b_api/envelope.h"
#include "e2b_api/json.h"
#include "e2b_api/parts.h"
#include "formats/json_write.h"
#include "net/stream_piece.h"

enum {
    INPUT_HEAD = 8,           /* the head of a numbered request */
    INPUT_MOST = 512 << 10,   /* maximum bytes of one request */
    WAITING_MOST = 256 << 10, /* with so many unread bytes, do not read the stream */
    INPUT_MS = 60000,
    KILL_MS = 2000,
    SETTLE_MS = 1000,
    PING_S = 20,
    SILENCE_MS = 90000,
    START_MS = 15000, /* until the program's first output: our helper prints something at once */
    FAILED_MAX = 64 << 10,
    EVENTS_MOST = 64, /* handled at once: a stream of keep-alives may never stop */
    E2B_TAG = sizeof "glovebox-" + 16,
};

struct e2b_process {
    struct e2b *e2b;
    char tag[E2B_TAG];
    struct fetch *stream, *input;
    int ours, theirs; /* ends of one socket; `theirs` is -1 after the caller took it */
    bool numbered, started, ended, sending, heard;
    bool more; /* received events are not handled yet */
    int64_t begun_ms;
    uint64_t sent, confirmed; /* requests with input */
    int exit_status;
    unsigned status; /* the status of the stream's answer; 0 before it */
    unsigned input_status;
    struct buf envelopes;   /* received bytes of an incomplete envelope */
    struct buf failed;      /* the body of an answer that is not a stream, or of a refused input */
    struct buf output;      /* pieces on their way to the caller */
    struct buf bytes;       /* the bytes of one output event */
    struct buf unconfirmed; /* input of the last request */
    struct err err;         /* if it has a kind, the process is over */
};

/* ---- requests ---- */

static int process_begin(struct e2b_process *p, const char *method, json_t *message,
                         struct err *err)
{
    AUTO_BUF struct buf body = {0};
    AUTO_FREE char *path = xasprintf("/process.Process/%s", method);
    AUTO_FREE char *ping = xasprintf("Keepalive-Ping-Interval: %d", PING_S);

    buf_init(&body, FETCH_REQUEST_MAX);
    envelope_put(&body, message);
    json_decref(message);
    p->begun_ms = clock_mono_ms();
    const struct e2b_ask ask = {.side = E2B_ENVD,
                                .method = "POST",
                                .path = path,
                                .body = buf_str(&body),
                                .type = "application/connect+json",
                                .header = ping,
                                .as_root = true,
                                .idle_ms = SILENCE_MS};
    if (fetch_open(&p->stream, err) < 0 || fetch_open(&p->input, err) < 0)
        return -1;
    return e2b_send(p->e2b, p->stream, &ask, 0, err);
}

static json_t *list_of(const char *const *words)
{
    json_t *list = json_array();

    for (; *words; words++)
        json_array_append_new(list, json_string(*words));
    return list;
}

static int say_over(struct e2b_process *p, struct err *err)
{
    if (!p->err.kind)
        (void)err_set(&p->err, err->kind, "%s", err->msg);
    return -1;
}

static void put_number(unsigned char *p, size_t number)
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (unsigned char)(number >> (8 * i));
}

static void take_input(struct e2b_process *p)
{
    const size_t head = p->numbered ? INPUT_HEAD : 0;
    char *room = mem_must(buf_room(&p->unconfirmed, head + INPUT_MOST));
    ssize_t n;

    do
        n = recv(p->ours, room + head, INPUT_MOST, MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return;
    if (head) {
        put_number((unsigned char *)room, (size_t)p->sent + 1);
        put_number((unsigned char *)room + 4, (size_t)n);
    }
    buf_grew(&p->unconfirmed, head + (size_t)n);
}

/* Sends all available input, up to INPUT_MOST, in one request; or the unconfirmed input again. */
static int send_input(struct e2b_process *p, struct err *err)
{
    AUTO_BUF struct buf text = {0};

    bool again = p->unconfirmed.n;
    if (!again)
        take_input(p);
    if (!p->unconfirmed.n)
        return 0;
    p->sent += !again;
    buf_init(&text, 2 * (INPUT_MOST + INPUT_HEAD));
    (void)base64_add(&text, buf_str(&p->unconfirmed));
    json_t *message =
        json_pack("{s:{s:s}, s:{s:s}}", "process", "tag", p->tag, "input", "stdin", text.p);
    const struct e2b_ask ask = {.side = E2B_ENVD,
                                .method = "POST",
                                .path = "/process.Process/SendInput",
                                .json = message,
                                .as_root = true,
                                .timeout_ms = INPUT_MS};
    p->sending = true;
    p->input_status = 0;
    buf_clear(&p->failed);
    int result = e2b_send(p->e2b, p->input, &ask, FAILED_MAX, err);
    json_decref(message);
    return result;
}

static int take_input_answer(struct e2b_process *p, struct err *err)
{
    struct fetch_event event;
    int taken;

    if (!p->sending)
        return 0;
    while (p->sending && (taken = fetch_take(p->input, &event, err)) != 0) {
        if (taken < 0)
            return -1;
        if (event.kind == FETCH_FAILED) {
            p->confirmed = p->sent; /* it may have arrived */
            return e2b_say_failure(p->e2b, E2B_ENVD, &event, err);
        }
        if (event.kind == FETCH_HEAD)
            p->input_status = event.status;
        if (event.kind == FETCH_BODY)
            (void)buf_add_str(&p->failed, event.bytes);
        p->sending = event.kind != FETCH_END;
    }
    if (p->sending)
        return 0;
    if (e2b_is_good(p->input_status)) {
        p->confirmed = p->sent;
        buf_clear(&p->unconfirmed);
        return 0;
    }
    return e2b_say_refused(p->e2b, E2B_ENVD, p->input_status, buf_str(&p->failed), "pass input on",
                           err);
}

/* ---- the stream ---- */

static void put_piece(struct e2b_process *p, int stream)
{
    if (stream_piece_put_head(&p->output, stream, (uint32_t)p->bytes.n) == 0)
        (void)buf_add_str(&p->output, buf_str(&p->bytes));
    buf_clear(&p->bytes);
}

static int take_end(struct e2b_process *p, struct str message, struct err *err)
{
    json_t *owner;
    const char *code;
    struct str text;
    char said[E2B_WORDS_MAX];

    int result = envelope_end_read(message, &owner, &code, &text);
    if (result < 0) {
        e2b_show(p->e2b, text, said);
        (void)err_set(err, ERR_SYSTEM, "the sandbox ended the process: %.40s: %s", code, said);
    } else if (!p->ended) {
        result = err_set(err, ERR_SYSTEM, "the sandbox ended the stream before the process");
    }
    json_decref(owner);
    return result;
}

static int take_message(struct e2b_process *p, struct str message, struct err *err)
{
    struct process_event event;

    if (process_event_read(message, &event, &p->bytes, err) < 0)
        return err_wrap(err, "the sandbox's answer is invalid");
    p->started |= event.kind == PROCESS_STARTED;
    p->ended |= event.kind == PROCESS_ENDED;
    if (event.kind == PROCESS_ENDED)
        p->exit_status = event.exited ? event.exit_code : 128;
    p->heard |= event.kind == PROCESS_OUTPUT;
    if (event.kind == PROCESS_OUTPUT)
        put_piece(p, event.stream);
    return 0;
}

static int take_envelopes(struct e2b_process *p, struct err *err)
{
    struct str message;
    size_t at = 0, taken;
    int kind = ENVELOPE_PART, result = 0;

    while (result == 0 && (kind = envelope_next(str_slice(buf_str(&p->envelopes), at, SIZE_MAX),
                                                &message, &taken, err)) > 0) {
        at += taken;
        result = kind == ENVELOPE_END ? take_end(p, message, err) : take_message(p, message, err);
    }
    buf_drop(&p->envelopes, at);
    if (kind < 0)
        return err_wrap(err, "the sandbox's answer is invalid");
    return result;
}

static int say_no_stream(const struct e2b_process *p, struct err *err)
{
    return e2b_say_refused(p->e2b, E2B_ENVD, p->status, buf_str(&p->failed),
                           "start the program in the sandbox", err);
}

static int take_event(struct e2b_process *p, const struct fetch_event *event, struct err *err)
{
    if (event->kind == FETCH_FAILED)
        return e2b_say_failure(p->e2b, E2B_ENVD, event, err);
    if (event->kind == FETCH_HEAD)
        p->status = event->status;
    if (event->kind == FETCH_BODY && p->status != 200) {
        (void)buf_add_str(&p->failed, str_slice(event->bytes, 0, FAILED_MAX - p->failed.n));
        if (p->failed.n == FAILED_MAX) /* it may have no end */
            return say_no_stream(p, err);
    } else if (event->kind == FETCH_BODY) {
        if (buf_add_str(&p->envelopes, event->bytes) < 0)
            return err_set(err, ERR_SYSTEM, "the sandbox sent a message that is too long");
        return take_envelopes(p, err);
    }
    if (event->kind != FETCH_END)
        return 0;
    if (p->status != 200)
        return say_no_stream(p, err);
    return p->ended ? 0 : err_set(err, ERR_SYSTEM, "the sandbox's stream broke off");
}

static int take_stream(struct e2b_process *p, struct err *err)
{
    struct fetch_event event;
    int taken;

    p->more = false;
    for (int count = 0; !p->ended && p->output.n < WAITING_MOST; count++) {
        if ((p->more = count == EVENTS_MOST))
            return 0;
        if ((taken = fetch_take(p->stream, &event, err)) <= 0)
            return taken;
        if (take_event(p, &event, err) < 0)
            return -1;
    }
    return 0;
}

/* Passes output on. Returns false if the receiver has no room. */
static bool pass_output(struct e2b_process *p)
{
    while (p->output.n) {
        ssize_t n = send(p->ours, p->output.p, p->output.n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        buf_drop(&p->output, (size_t)n);
    }
    return true;
}

/* ---- the caller's loop ---- */

static bool process_is_over(const struct e2b_process *p)
{
    return p->ended || p->err.kind;
}

int e2b_process_take_fd(struct e2b_process *p)
{
    return fd_take(&p->theirs);
}

void e2b_process_polls(const struct e2b_process *p, struct pollfd ret[E2B_PROCESS_POLLS])
{
    bool gives = p->started && !p->sending && !process_is_over(p);

    ret[0] = (struct pollfd){.fd = gives || p->output.n ? p->ours : -1,
                             .events = (short)((gives ? POLLIN : 0) | (p->output.n ? POLLOUT : 0))};
    ret[1] = (struct pollfd){
        .fd = process_is_over(p) || p->output.n >= WAITING_MOST ? -1 : fetch_poll_fd(p->stream),
        .events = (short)(p->more ? POLLIN | POLLOUT : POLLIN)}; /* POLLOUT: do not wait */
    ret[2] = (struct pollfd){.fd = p->sending && !process_is_over(p) ? fetch_poll_fd(p->input) : -1,
                             .events = POLLIN};
}

/* Checks that the program starts in time. Keep-alives do not count: its start event and some output
 * must come. */
static int check_start(const struct e2b_process *p, struct err *err)
{
    if ((p->started && p->heard) || clock_mono_ms() - p->begun_ms < START_MS)
        return 0;
    return err_set(err, ERR_SYSTEM,
                   "the sandbox did not start the program within %d s, and sent no message",
                   START_MS / 1000);
}

void e2b_process_move(struct e2b_process *p)
{
    struct err err;
    bool empty;

    do {
        if (!process_is_over(p) && (take_stream(p, &err) < 0 || take_input_answer(p, &err) < 0 ||
                                    check_start(p, &err) < 0))
            (void)say_over(p, &err);
        bool full = p->output.n >= WAITING_MOST;
        empty = pass_output(p);
        if (!empty || !full)
            break;
    } while (!process_is_over(p));
    if (!process_is_over(p) && p->started && !p->sending && send_input(p, &err) < 0)
        (void)say_over(p, &err);
}

int e2b_process_exit(const struct e2b_process *p)
{
    return p->exit_status;
}

void e2b_process_number(struct e2b_process *p)
{
    p->numbered = true;
}

uint64_t e2b_process_sent(const struct e2b_process *p)
{
    return p->sent;
}

void e2b_process_hang_up(struct e2b_process *p)
{
    if (!p->output.n)
        (void)shutdown(p->ours, SHUT_WR);
}

bool e2b_process_over(const struct e2b_process *p, struct err *ret_err)
{
    *ret_err = p->err;
    return process_is_over(p);
}

/* ---- its life ---- */

static int open_ends(struct e2b_process *p, struct err *err)
{
    unsigned long long number;
    int ends[2];

    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return err_sys(err, "choose a name for a process");
    snprintf(p->tag, E2B_TAG, "glovebox-%016llx", number);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0)
        return err_sys(err, "make a socket for the sandbox");
    p->ours = ends[0];
    p->theirs = ends[1];
    return 0;
}

static json_t *start_of(const struct e2b_process *p, const struct e2b_start *start)
{
    return json_pack("{s:{s:s, s:o, s:s}, s:s, s:b}", "process", "cmd", start->argv[0], "args",
                     list_of(start->argv + 1), "cwd", "/", "tag", p->tag, "stdin", 1);
}

int e2b_process_start(struct e2b *e2b, const struct e2b_start *start, struct e2b_process **ret,
                      struct err *err)
{
    if (e2b_json_check_all("the argument", start->argv, err) < 0)
        return -1;
    struct e2b_process *p = xcalloc(1, sizeof *p);

    *p = (struct e2b_process){.e2b = e2b, .heard = start->silent, .ours = -1, .theirs = -1};
    buf_init(&p->envelopes, ENVELOPE_MAX + ENVELOPE_HEAD + FETCH_PIECE_MAX);
    buf_init(&p->failed, FAILED_MAX);
    buf_init(&p->output, WAITING_MOST + 2 * ENVELOPE_MAX);
    buf_init(&p->bytes, ENVELOPE_MAX);
    buf_init(&p->unconfirmed, INPUT_HEAD + INPUT_MOST);
    if (open_ends(p, err) < 0 || process_begin(p, "Start", start_of(p, start), err) < 0) {
        e2b_process_close(p);
        return -1;
    }
    *ret = p;
    return 0;
}

/* Waits for the answer to the last input, which may be on its way on its own connection. Without an
 * answer, the input counts as arrived. */
static void settle_input(struct e2b_process *p)
{
    int64_t until = clock_mono_ms() + SETTLE_MS, left;
    struct err ignored;

    while (p->sending && (left = until - clock_mono_ms()) > 0) {
        struct pollfd look = {.fd = fetch_poll_fd(p->input), .events = POLLIN};
        (void)poll(&look, 1, (int)left);
        if (take_input_answer(p, &ignored) < 0)
            break;
    }
    if (p->sending)
        p->confirmed = p->sent;
}

int e2b_process_connect(struct e2b_process *p, uint64_t settled, struct err *err)
{
    settle_input(p);
    if (p->confirmed > settled)
        return err_set(err, ERR_SYSTEM, "the connection broke while the program worked");
    fetch_close(p->stream);
    fetch_close(p->input);
    p->stream = p->input = NULL;
    p->status = 0;
    p->sending = p->started = false;
    p->err = (struct err){0};
    buf_clear(&p->envelopes);
    buf_clear(&p->failed);
    return process_begin(p, "Connect", json_pack("{s:{s:s}}", "process", "tag", p->tag), err);
}

void e2b_process_close(struct e2b_process *p)
{
    if (!p)
        return;
    fetch_close(p->stream);
    fetch_close(p->input);
    fd_close(&p->ours);
    fd_close(&p->theirs);
    buf_done(&p->envelopes);
    buf_done(&p->failed);
    buf_done(&p->output);
    buf_done(&p->bytes);
    buf_done(&p->unconfirmed);
    free(p);
}
