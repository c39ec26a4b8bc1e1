/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract of a backend (backends/backend.h), held against every row of the table that this
 * host can run and against fake.c; or, with a name, against that row. Nothing in here asks which
 * backend it is, only for abilities.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "fake.h"
#include "registry/registry.h"
#include "tap.h"
#include "trial.h"
#include "workspace/workspace.h"

/* ---- the table ---- */

static void test_table(const struct backend *b)
{
    OK(b->name && b->alias && b->summary && b->can, "%s says what it is", b->name);
    OK(b->open && b->step && b->state && b->deadline && b->end && b->close,
       "it has the entries that each has");
    OK(!b->fork == !b->forked, "and both or none for forks");
    OK(b->fork || backend_why_not(b, CAN_FORKS), "without entries, the words why not");
    OK(b->files || backend_why_not(b, CAN_FILES), "the same for files");
    for (unsigned i = 0; i < BACKEND_ABILITIES; i++) {
        struct backend_can can = b->can(i);
        OK(backend_ability_names[i] && (!can.why_not || *can.why_not),
           "ability %u has a name and words", i);
        OK(!can.why_not || !can.how, "and either a way or the reason why not");
        OK(!(can.lacking & ~b->layers), "what it lacks is a layer that it might have");
        struct backend_need need = backend_need(b, i);
        OK(!(need.layers & ~b->layers), "what it needs is a layer that it might have");
        OK(!need.why_not || need.why_not == can.why_not, "what is never there is not here");
        OK(i == CAN_RUN || need.why_not || !can.why_not || need.layers & can.lacking,
           "what is missing here is so for want of a layer that it needs");
        struct backend_can again = b->can(i);
        OK(can.why_not == again.why_not && can.how == again.how, "the host is looked at once");
    }
}

/* ---- a run ---- */

static void test_run(const struct backend *b)
{
    struct trial t;

    trial_plan(&t, b, "echo one; echo two >&2; echo three; exit 3");
    OK(trial_run(&t) == 0 && t.guest, "a run");
    OK(t.started && !t.early && t.outcome.started, "the start is reported before output");
    EQ_STR(t.said[0], "one\nthree\n");
    EQ_STR(t.said[1], "two\n");
    EQ_INT(WEXITSTATUS(t.outcome.status), 3);
    EQ_INT(t.outcome.limits_hit, 0);
    OK(!t.outcome.failure && !t.outcome.cancelled && t.outcome.wall_ns > 0, "plain figures");
    EQ_INT(t.outcome.held & ~b->layers, 0);
    backend_close(t.guest);
}

static void test_stdin(const struct backend *b)
{
    struct trial t;
    int ends[2];

    trial_plan(&t, b, "head -c 4");
    OK(fd_pipe(ends, &t.err) == 0 && write(ends[1], "text", 4) == 4, "an input");
    fd_close(&ends[1]);
    t.job.stdin_fd = ends[0];
    EQ_INT(trial_run(&t), 0);
    EQ_STR(t.said[0], "text");
    OK(fcntl(ends[0], F_GETFD) >= 0, "its descriptor stays the caller's");
    fd_close(&ends[0]);
    backend_close(t.guest);
}

static int lay(void *ctx, int fd, struct err *err)
{
    return lay_send(ctx, fd, err);
}

static void test_files(const struct backend *b)
{
    struct lay_list *list = lay_list_new(1 << 20, 100);
    struct trial t;

    if (backend_why_not(b, CAN_FILES)) {
        SKIP("no files");
        lay_list_free(list);
        return;
    }
    trial_plan(&t, b, "head -c 4 in.txt > out.txt");
    OK(lay_add_bytes(list, STR("in.txt"), STR("data"), 0644, &t.err) == 0, "a file to lay");
    t.job.lay = lay;
    t.job.lay_ctx = list;
    EQ_INT(trial_run(&t), 0);
    OK(backend_has_files(t.guest) && !backend_has_files(NULL), "files outlive the program");
    test_files_of(t.guest, list);
    const char *inside = backend_inside(t.guest);
    OK(inside[0] == '/' && inside[strlen(inside) - 1] == '/', "the folder has a name inside");
    backend_close(t.guest);
    trial_plan(&t, b, "sleep 30");
    t.job.lay = lay;
    t.job.lay_ctx = list;
    if (trial_starts(&t)) {
        test_change_of(t.guest);
        EQ_INT(backend_end(t.guest, &t.err), 0);
        backend_close(t.guest);
    }
    lay_list_free(list);
}

static void test_channel(const struct backend *b)
{
    struct trial t;
    int to[2], from[2];
    char text[5] = "";

    trial_plan(&t, b, "head -c 4 <&3 >&4");
    OK(fd_pipe(to, &t.err) == 0 && fd_pipe(from, &t.err) == 0, "a channel");
    t.job.channel[0] = to[0];
    t.job.channel[1] = from[1];
    OK(write(to[1], "ping", 4) == 4 && trial_run(&t) == 0, "the guest reads and writes it");
    fd_close(&from[1]);
    OK(read(from[0], text, 4) == 4, "its answer");
    EQ_STR(text, "ping");
    int ends[3];
    OK(!backend_channel(t.guest, ends), "it has no channel of its own beside");
    backend_close(t.guest);
    fd_close(&to[0]);
    fd_close(&to[1]);
    fd_close(&from[0]);
}

/* ---- nothing was started ---- */

static void test_fails(const struct backend *b)
{
    struct trial t;

    trial_plan(&t, b, "exit 0");
    t.job.exec_path = "/no/such/program";
    OK(trial_run(&t) < 0 && t.err.kind && t.err.msg[0], "a program that is not there: an error");
    OK(!t.guest && !t.outcome.started, "and no guest is left");
}

/* ---- the end ---- */

static void test_cancel(const struct backend *b)
{
    struct trial t;
    int ends[2];

    trial_plan(&t, b, "sleep 30");
    OK(fd_pipe(ends, &t.err) == 0 && write(ends[1], "", 1) == 1, "a wish to stop");
    t.sink.cancel_fd = ends[0];
    int64_t begin = clock_mono_ms();
    EQ_INT(trial_run(&t), 0);
    OK(t.outcome.cancelled && clock_mono_ms() - begin < 10000, "is soon met");
    backend_close(t.guest);
    fd_close(&ends[0]);
    fd_close(&ends[1]);
}

static void test_deadline(const struct backend *b)
{
    struct trial t;

    trial_plan(&t, b, "echo up; sleep 30");
    if (!trial_starts(&t))
        return;
    backend_deadline(t.guest, 200);
    OK(trial_steps_until_over(&t, 10000), "over soon after its deadline");
    OK(t.limits & LIMIT_WALL && t.outcome.limits_hit & LIMIT_WALL, "which sink and outcome say");
    EQ_STR(t.said[0], "up\n");
    EQ_INT(backend_end(t.guest, &t.err), 0);
    backend_close(t.guest);
}

static void test_interrupt(const struct backend *b)
{
    struct trial t;

    trial_plan(&t, b, "sleep 30");
    if (!trial_starts(&t))
        return;
    for (int64_t until = clock_mono_ms() + 300; clock_mono_ms() < until;)
        backend_step(t.guest, 50); /* sh has to come so far */
    backend_interrupt(t.guest);
    OK(trial_steps_until_over(&t, 10000), "over soon after an interrupt");
    EQ_INT(backend_end(t.guest, &t.err), 0);
    EQ_INT(t.outcome.limits_hit, 0);
    OK(WIFSIGNALED(t.outcome.status) ? WTERMSIG(t.outcome.status) == SIGINT
                                     : WEXITSTATUS(t.outcome.status) == 128 + SIGINT,
       "by the signal");
    backend_close(t.guest);
}

static void test_end(const struct backend *b)
{
    struct trial t, other;

    trial_plan(&t, b, "sleep 30");
    trial_plan(&other, b, "echo other");
    if (!trial_starts(&t) || !trial_starts(&other))
        return;
    OK(trial_steps_until_over(&other, 10000), "one comes to its end");
    EQ_INT(backend_state(t.guest), BACKEND_RUNS);
    struct backend_usage use;
    backend_usage(t.guest, &use);
    backend_look(t.guest);
    backend_drain(t.guest);
    EQ_INT(backend_end(t.guest, &t.err), 0);
    EQ_INT(backend_state(t.guest), BACKEND_OVER);
    backend_step(t.guest, -1); /* returns at once */
    backend_close(t.guest);
    OK(t.outcome.started && t.outcome.wall_ns > 0, "the figures outlive the guest");
    EQ_INT(backend_end(other.guest, &other.err), 0);
    EQ_STR(other.said[0], "other\n");
    backend_close(other.guest);
    backend_close(NULL);
}

/* ---- forks ---- */

static void test_no_fork(const struct backend *b)
{
    struct trial t, fork;

    trial_plan(&t, b, "sleep 30");
    trial_plan(&fork, b, "");
    if (!trial_starts(&t))
        return;
    OK(backend_fork(t.guest, &fork.job, &fork.sink, &fork.outcome, &fork.guest, &fork.err) < 0 &&
           !fork.guest,
       "no fork of a guest that was not opened for it");
    EQ_INT(fork.err.kind, ERR_UNSUPPORTED);
    OK(fork.err.msg[0], "in words: %s", fork.err.msg);
    EQ_INT(backend_state(t.guest), BACKEND_RUNS);
    EQ_INT(backend_end(t.guest, &t.err), 0);
    backend_close(t.guest);
}

static void hold(const struct backend *b)
{
    printf("# backend %s\n", b->name);
    RUN(test_table(b));
    RUN(test_run(b));
    RUN(test_stdin(b));
    RUN(test_files(b));
    RUN(test_channel(b));
    RUN(test_warm(b));
    RUN(test_fails(b));
    RUN(test_cancel(b));
    RUN(test_deadline(b));
    RUN(test_interrupt(b));
    RUN(test_end(b));
    RUN(test_no_fork(b));
    RUN(test_sessions(b));
}

/* The backends that need an engine or a service of the tests' own are held by name. */
static int hold_one(const char *name)
{
    struct err err;
    const struct backend *backend = backend_find(str_from(name), &err);

    if (OK(backend, "there is a backend %s", name))
        hold(backend);
    return tap_done();
}

/* It is one folder further up than where a program looks for it. */
static void find_helper(const char *program)
{
    AUTO_FREE char *path =
        xasprintf("%.*s/../glovebox-jail", (int)(strrchr(program, '/') - program), program);

    (void)setenv("GLOVEBOX_JAIL", path, 0);
}

int main(int argc, char **argv)
{
    struct err err;

    find_helper(argv[0]);
    if (argc == 2)
        return hold_one(argv[1]);
    for (size_t i = 0; backends[i]; i++)
        if (!backends[i]->interpreter)
            hold(backends[i]);
        else
            test_table(backends[i]);
    hold(&fake_backend);
    const struct backend remote = fake_remote_backend();
    hold(&remote);
    OK(backend_find(STR("JAIL"), &err) == backends[0], "a name in capitals");
    OK(backend_find(STR("container"), &err) == backends[0], "an alias");
    OK(!backend_find(STR("fake"), &err) && err.kind == ERR_USAGE, "a name without a row");
    OK(!backend_find(STR("inproc"), &err) && err.kind == ERR_UNSUPPORTED, "a reserved name");
    return tap_done();
}
