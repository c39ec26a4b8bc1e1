/* SPDX-License-Identifier: Apache-2.0
 *
 * Retries are for our faults: a backend that fails as it is told to.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "backends/backend.h"
#include "base/clock.h"
#include "session/session.h"
#include "tap.h"

static struct fault {
    int failures; /* so many times before it works */
    enum err_kind kind;
    int sys;    /* errno of the failure, or 0 */
    bool late;  /* fails when the guest has started already */
    int status; /* the guest's, as from wait() */
    int calls;
    int64_t at_ms[8];
} fault;

static int faulty_open(const struct backend_job *job, const struct backend_sink *sink,
                       struct backend_outcome *ret, struct backend_guest **ret_guest,
                       struct err *err)
{
    static struct backend_guest guest;

    (void)job;
    fault.at_ms[fault.calls % 8] = clock_mono_ms();
    if (fault.calls++ < fault.failures) {
        if (fault.late)
            sink->started(sink->ctx, 0);
        (void)err_set(err, fault.kind, "fault number %d", fault.calls);
        err->sys = fault.sys;
        return -1;
    }
    sink->started(sink->ctx, LAYER_BIT(LAYER_ROOT));
    sink->output(sink->ctx, 1, "ran\n", 4);
    ret->status = fault.status;
    ret->held = LAYER_BIT(LAYER_ROOT);
    *ret_guest = &guest;
    return 0;
}

static enum backend_state faulty_state(const struct backend_guest *guest)
{
    (void)guest;
    return BACKEND_OVER;
}

static int faulty_end(struct backend_guest *guest, struct err *err)
{
    (void)guest;
    (void)err;
    return 0;
}

static void faulty_close(struct backend_guest *guest)
{
    (void)guest;
}

static struct backend_can faulty_can(enum backend_ability ability)
{
    (void)ability;
    return (struct backend_can){0};
}

static const struct backend faulty = {
    .name = "faulty",
    .layers = LAYERS_ALL,
    .can = faulty_can,
    .open = faulty_open,
    .state = faulty_state,
    .end = faulty_end,
    .close = faulty_close,
};

static struct result run(struct fault how, int retries, int64_t delay_ms, int cancel_fd)
{
    struct run_request q;
    struct run_watch watch = {.cancel_fd = cancel_fd};
    struct result r;

    fault = how;
    run_request_init(&q);
    q.program.code = STR("true\n");
    q.program.language = "sh";
    q.place.own_backend = &faulty;
    q.door.retries = retries;
    q.door.retry_delay_ms = delay_ms;
    q.policy.no_check = true;
    q.door.log = "off";
    result_init(&r, q.output_limit);
    run_program(&q, &watch, &r);
    return r;
}

static void test_tries(void)
{
    struct result r = run((struct fault){.failures = 2, .kind = ERR_SYSTEM}, 2, 60, -1);

    OK(r.success && !r.error.kind, "two faults, then it ran");
    EQ_INT(fault.calls, 3);
    EQ_INT(r.attempts, 3);
    OK(fault.at_ms[1] - fault.at_ms[0] >= 60 && fault.at_ms[2] - fault.at_ms[1] >= 60,
       "with the delay between");
    result_done(&r);

    r = run((struct fault){.failures = 9, .kind = ERR_SYSTEM}, 2, 1, -1);
    OK(!r.success && r.error.kind == ERR_SYSTEM, "always a fault");
    EQ_INT(r.attempts, 3);
    EQ_STR(r.error.msg, "Failed after 3 attempts: fault number 3");
    EQ_INT(result_exit_status(&r), 125);
    result_done(&r);

    r = run((struct fault){.failures = 9, .kind = ERR_SYSTEM}, 0, 1, -1);
    EQ_INT(r.attempts, 1);
    EQ_STR(r.error.msg, "fault number 1");
    result_done(&r);
}

static void test_never_again(void)
{
    static const enum err_kind kinds[] = {ERR_USAGE, ERR_POLICY, ERR_LIMIT, ERR_UNSUPPORTED};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct result r = run((struct fault){.failures = 9, .kind = kinds[i]}, 2, 1, -1);
        OK(r.attempts == 1 && r.error.kind == kinds[i], "%s", err_kind_name(kinds[i]));
        result_done(&r);
    }
    struct result r =
        run((struct fault){.failures = 9, .kind = ERR_SYSTEM, .late = true}, 2, 1, -1);
    OK(r.attempts == 1 && r.error.kind, "a fault after the guest has begun");
    result_done(&r);
    r = run((struct fault){.status = 1 << 8}, 2, 1, -1);
    OK(r.attempts == 1 && !r.error.kind && !r.success && r.exit_code == 1, "the guest's failure");
    result_done(&r);
    r = run((struct fault){.status = SIGSEGV}, 2, 1, -1);
    OK(r.attempts == 1 && r.signal == SIGSEGV, "the guest's death");
    result_done(&r);
}

static void *cancel_soon(void *fd)
{
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    (void)!write(*(int *)fd, "", 1);
    return NULL;
}

static void test_cancel(void)
{
    int ends[2];
    pthread_t thread;

    if (pipe2(ends, O_CLOEXEC) < 0 || pthread_create(&thread, NULL, cancel_soon, &ends[1]) != 0)
        return;
    int64_t begin = clock_mono_ms();
    struct result r = run((struct fault){.failures = 9, .kind = ERR_SYSTEM}, 5, 60000, ends[0]);
    OK(clock_mono_ms() - begin < 15000, "a cancel ends the wait");
    OK(r.cancelled && !r.success && r.attempts == 1, "after one attempt");
    EQ_INT(result_exit_status(&r), 130);
    pthread_join(thread, NULL);
    result_done(&r);
    close(ends[0]);
    close(ends[1]);
}

/* The start of a session is tried again under the same conditions. */
static int open_session(struct fault how, int retries, int64_t delay_ms, struct err *err)
{
    struct session_request q;
    struct session *session = NULL;

    fault = how;
    session_request_init(&q);
    q.run.program.language = "bash";
    q.run.place.own_backend = &faulty;
    q.run.door.retries = retries;
    q.run.door.retry_delay_ms = delay_ms;
    q.run.policy.no_check = true;
    q.run.door.log = "off";
    OK(session_open(&q, &session, err) < 0 && !session, "no session");
    return fault.calls;
}

static void test_session(void)
{
    struct err err;

    EQ_INT(open_session((struct fault){.failures = 9, .kind = ERR_SYSTEM}, 2, 60, &err), 3);
    EQ_STR(err.msg, "Failed after 3 attempts: fault number 3");
    OK(fault.at_ms[1] - fault.at_ms[0] >= 60 && fault.at_ms[2] - fault.at_ms[1] >= 60,
       "with the delay between");
    EQ_INT(
        open_session((struct fault){.failures = 9, .kind = ERR_SYSTEM, .sys = EACCES}, 2, 1, &err),
        1);
    EQ_STR(err.msg, "fault number 1");
    EQ_INT(open_session((struct fault){.failures = 9, .kind = ERR_USAGE}, 2, 1, &err), 1);
}

int main(void)
{
    RUN(test_tries());
    RUN(test_never_again());
    RUN(test_cancel());
    RUN(test_session());
    return tap_done();
}
