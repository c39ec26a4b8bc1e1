/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/suite_side.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "guests/guests.h"
#include "judge/parts.h"

enum {
    PROGRAM_MAX = 512 << 10,
    START_MS = 10000,
    FULL_MS = 5000, /* a side that does not read for so long gets nothing any more */
};

/* What a side consists of, as text and, for the Python that has this magic number, as bytecode. */
struct suite_program {
    const char *const *parts;
    const char *magic;
    const unsigned char *code;
    const unsigned long *code_size;
    const char *const *args;
};

/* Modules are not searched in the test code's folder, its environment or its user's packages. */
const struct suite_program suite_test_program = {
    (const char *const[]){guest_judge_codec_py, guest_suite_link_py, guest_suite_tables_py,
                          guest_suite_remote_py, guest_suite_names_py, guest_suite_checks_py,
                          guest_suite_forms_py, guest_suite_tests_py, NULL},
    guest_suite_tests_magic,
    guest_suite_tests_code,
    &guest_suite_tests_code_size,
    (const char *const[]){"-I", "-S", "-c", "{boot}", "{file}", NULL},
};
const struct suite_program suite_candidate_program = {
    (const char *const[]){guest_judge_codec_py, guest_suite_link_py, guest_suite_tables_py,
                          guest_suite_candidate_py, NULL},
    guest_suite_candidate_magic,
    guest_suite_candidate_code,
    &guest_suite_candidate_code_size,
    (const char *const[]){"-S", "-s", "-c", "{boot}", "{file}", NULL},
};

static const char boot[] = "import marshal\n"
                           "from posix import read\n"
                           "from _frozen_importlib_external import MAGIC_NUMBER\n"
                           "def take(n):\n"
                           "    data = b''\n"
                           "    while len(data) < n:\n"
                           "        data += read(0, n - len(data)) or 1 / 0\n"
                           "    return data\n"
                           "head = b''\n"
                           "while head[-1:] != b'\\n':\n"
                           "    head += take(1)\n"
                           "magic, code, text = head.split()\n"
                           "code, text = take(int(code)), take(int(text)).decode()\n"
                           "exec(marshal.loads(code) if MAGIC_NUMBER.hex() == magic.decode() else "
                           "text)\n";

void suite_side_give(struct suite_side *side, const char *p, size_t n)
{
    int *fd = &side->in[1];

    while (n && *fd >= 0) {
        ssize_t done = write(*fd, p, n);
        struct pollfd wait = {.fd = *fd, .events = POLLOUT};
        if (done >= 0) {
            p += done;
            n -= (size_t)done;
        } else if (errno != EINTR && (errno != EAGAIN || poll(&wait, 1, FULL_MS) <= 0)) {
            fd_close(fd);
        }
    }
}

/* The program waits in the pipe, which is made large enough, for the process that will be
 * started. */
static void send_program(struct suite_side *side, const struct suite_program *program)
{
    AUTO_BUF struct buf b = {0};
    size_t text = 0;

    for (const char *const *part = program->parts; *part; part++)
        text += strlen(*part);
    buf_init(&b, PROGRAM_MAX);
    (void)buf_addf(&b, "%s %lu %zu\n", program->magic, *program->code_size, text);
    (void)buf_add(&b, program->code, *program->code_size);
    for (const char *const *part = program->parts; *part; part++)
        (void)buf_adds(&b, *part);
    (void)fcntl(side->in[1], F_SETPIPE_SZ, PROGRAM_MAX);
    suite_side_give(side, b.p, b.n);
}

static void init_language(struct suite_side *side, const struct suite_program *program)
{
    side->language = *language_find(side->request.languages, STR("python"));
    side->language.args = program->args;
    side->language.boot = boot;
    side->language.runner = NULL;
    side->row = &side->language;
    side->table = (struct language_table){&side->row, 1};
    side->request.language = "python";
    side->request.languages = &side->table;
}

int suite_side_init(struct suite_side *side, const struct judge_request *q, int64_t timeout_ms,
                    const struct suite_program *program, struct err *err)
{
    *side = (struct suite_side){.request = q->run, .in = {-1, -1}, .cancel_fd = -1};
    init_language(side, program);
    side->request.output_limit = CHANNEL;
    side->request.log = "off";
    side->request.sink = NULL;
    side->request.limits.wall_ms = timeout_ms ? 2 * timeout_ms + START_MS : 0;
    result_init(&side->result, CHANNEL);
    if (fd_pipe(side->in, err) < 0)
        return -1;
    side->request.stdin_fd = side->in[0];
    if (fd_nonblock(side->in[1], true) < 0)
        return err_sys(err, "prepare a pipe");
    send_program(side, program);
    return 0;
}

void suite_side_seclude(struct suite_side *side, const struct run_request *candidate,
                        const char *document)
{
    struct run_request *q = &side->request;

    judge_seclude(q);
    q->files = candidate->files;
    q->inputs = candidate->inputs;
    q->input_count = candidate->input_count;
    q->stdin_fd = side->in[0];
    q->language = "python";
    q->code = str_from(document);
    q->file = "tests.py";
}

void suite_side_run(struct suite_side *side, void (*on_event)(void *, const struct run_event *),
                    void *ctx)
{
    struct run_watch watch = {.event = on_event, .ctx = ctx, .cancel_fd = side->cancel_fd};

    session_run(&side->request, &watch, &side->result);
    /* A side that has ended needs no input, and the other side receives a message about it. */
    fd_close(&side->in[0]);
}

void suite_side_done(struct suite_side *side)
{
    fd_close(&side->in[0]);
    fd_close(&side->in[1]);
    result_done(&side->result);
}
