/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/suite_side.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/fd.h"
#include "judge/parts.h"
#include "languages/guests.h"

enum {
    PROGRAM_MAX = 512 << 10,
    START_MS = 10000,
    FULL_MS = 5000, /* after so long without reading, a side gets no more input */
};

/* Modules are not searched in the test code's folder, its environment or its user's packages. */
const struct driver suite_test_program = {
    (const char *const[]){guest_judge_codec_py, guest_suite_link_py, guest_suite_tables_py,
                          guest_suite_remote_py, guest_suite_names_py, guest_suite_checks_py,
                          guest_suite_forms_py, guest_suite_tests_py, NULL},
    guest_suite_tests_magic,
    guest_suite_tests_code,
    &guest_suite_tests_code_size,
    (const char *const[]){"-I", "-S", "-c", "{boot}", "{file}", NULL},
};
const struct driver suite_candidate_program = {
    (const char *const[]){guest_judge_codec_py, guest_suite_link_py, guest_suite_tables_py,
                          guest_suite_candidate_py, NULL},
    guest_suite_candidate_magic,
    guest_suite_candidate_code,
    &guest_suite_candidate_code_size,
    (const char *const[]){"-S", "-s", "-c", "{boot}", "{file}", NULL},
};

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

/* Writes the program to the pipe, which is made large enough, before the process starts. The test
 * code has the profile's functions, too, and needs none of the candidate's packages. */
static void send_program(struct suite_side *side, const struct driver *program)
{
    struct run_request q = side->request;
    AUTO_BUF struct buf b = {0};

    if (program == &suite_test_program)
        q.policy.allow_imports = NULL;
    buf_init(&b, PROGRAM_MAX);
    driver_add(&b, program, &q);
    (void)fcntl(side->in[1], F_SETPIPE_SZ, PROGRAM_MAX);
    suite_side_give(side, b.p, b.n);
}

int suite_side_init(struct suite_side *side, const struct judge_request *q, int64_t timeout_ms,
                    const struct driver *program, struct err *err)
{
    *side = (struct suite_side){.request = q->run, .in = {-1, -1}, .cancel_fd = -1};
    driver_start_with(&side->python, language_find(q->run.program.languages, STR("python")),
                      program, &side->request);
    side->request.output_limit = CHANNEL;
    side->request.door.log = "off";
    side->request.door.sink = NULL;
    side->request.limits.wall_ms = timeout_ms ? 2 * timeout_ms + START_MS : 0;
    result_init(&side->result, CHANNEL);
    if (fd_pipe(side->in, err) < 0)
        return -1;
    side->request.program.stdin_fd = side->in[0];
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
    q->workspace.files = candidate->workspace.files;
    q->workspace.inputs = candidate->workspace.inputs;
    q->workspace.input_count = candidate->workspace.input_count;
    q->program.stdin_fd = side->in[0];
    q->program.language = side->python.language.name;
    q->program.code = str_from(document);
    q->program.file = "tests.py";
}

void suite_side_run(struct suite_side *side, void (*on_event)(void *, const struct run_event *),
                    void *ctx)
{
    struct run_watch watch = {.event = on_event, .ctx = ctx, .cancel_fd = side->cancel_fd};

    run_program(&side->request, &watch, &side->result);
    /* A side that has ended needs no input, and the other side receives a message about it. */
    fd_close(&side->in[0]);
}

void suite_side_done(struct suite_side *side)
{
    fd_close(&side->in[0]);
    fd_close(&side->in[1]);
    result_done(&side->result);
}
