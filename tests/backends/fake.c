/* SPDX-License-Identifier: Apache-2.0 */
#include "fake.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "jail/lay.h"

struct fake {
    struct backend_guest base;
    const struct backend_job *job;
    const struct backend_sink *sink;
    struct backend_outcome *out;
    const char *rest; /* of the script */
    char path[32];    /* with a slash at the end */
    int folder;
    int64_t start_ns, deadline_ms;
    bool over;
};

#define fake_of(guest) ((struct fake *)(guest))

static struct backend_can fake_can(enum backend_ability ability)
{
    return (struct backend_can){.why_not = ability == CAN_FORKS      ? "a fake cannot be forked"
                                           : ability == CAN_WARM     ? "starts nothing"
                                           : ability == CAN_SESSIONS ? "runs no cells"
                                                                     : NULL};
}

static void finish(struct fake *f, int status)
{
    f->out->status = f->over ? f->out->status : status;
    f->out->wall_ns = clock_mono_ns() - f->start_ns;
    f->over = true;
}

static void fake_close(struct backend_guest *guest)
{
    struct fake *f = fake_of(guest);

    if (unlinkat(f->folder, "in.txt", 0) == 0)
        (void)unlinkat(f->folder, "out.txt", 0);
    fd_close(&f->folder);
    (void)rmdir(f->path);
    free(f);
}

static void fake_deadline(struct backend_guest *guest, int64_t wall_ms)
{
    fake_of(guest)->deadline_ms = wall_ms ? clock_mono_ms() + wall_ms : INT64_MAX;
}

static int receive_files(struct fake *f, struct err *err)
{
    const struct lay_limits limits = {.max_bytes = 1 << 10, .max_entries = 10};
    int ends[2];

    if (!f->job->lay)
        return 0;
    if (fd_pipe(ends, err) < 0)
        return -1;
    AUTO_CLOSE int from = ends[0], to = ends[1]; /* what is sent fits into the pipe */
    return f->job->lay(f->job->lay_ctx, to, err) < 0 ? -1
                                                     : lay_receive(from, f->folder, limits, err);
}

static int fake_open(const struct backend_job *job, const struct backend_sink *sink,
                     struct backend_outcome *ret, struct backend_guest **ret_guest, struct err *err)
{
    if (access(job->exec_path, X_OK) < 0)
        return err_sys(err, "run %s", job->exec_path);
    struct fake *f = xcalloc(1, sizeof *f);
    *f = (struct fake){.job = job,
                       .sink = sink,
                       .out = ret,
                       .rest = job->argv[2],
                       .path = "/tmp/glovebox-fake-XXXXXX",
                       .start_ns = clock_mono_ns()};
    f->folder = mkdtemp(f->path) ? open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    strcat(f->path, "/");
    fake_deadline(&f->base, job->limits.wall_ms);
    if (f->folder < 0 || receive_files(f, err) < 0) {
        fake_close(&f->base);
        return -1;
    }
    ret->started = true;
    sink->started(sink->ctx, 0);
    *ret_guest = &f->base;
    return 0;
}

static void print(struct fake *f, const char *words)
{
    const char *to = strstr(words, " >&2");

    f->sink->output(f->sink->ctx, to ? 2 : 1, words, to ? (size_t)(to - words) : strlen(words));
    f->sink->output(f->sink->ctx, to ? 2 : 1, "\n", 1);
}

/* "head -c 4", from and to what the command says. */
static void copy(struct fake *f, const char *command)
{
    bool channel = strstr(command, "<&3"), file = strstr(command, "in.txt");
    AUTO_CLOSE int from = file ? openat(f->folder, "in.txt", O_RDONLY)
                               : dup(channel ? f->job->channel[0] : f->job->stdin_fd);
    AUTO_CLOSE int to = file      ? openat(f->folder, "out.txt", O_WRONLY | O_CREAT, 0644)
                        : channel ? dup(f->job->channel[1])
                                  : -1;
    char bytes[8];
    ssize_t got = read(from, bytes, sizeof bytes), n = got > 0 ? got : 0;

    if (to < 0)
        f->sink->output(f->sink->ctx, 1, bytes, (size_t)n);
    else
        (void)!write(to, bytes, (size_t)n);
}

static void act(struct fake *f)
{
    size_t n = strcspn(f->rest, ";");
    AUTO_FREE char *command = xstrndup(f->rest, n);
    f->rest += n + strspn(f->rest + n, "; ");
    if (strncmp(command, "echo ", 5) == 0)
        print(f, command + 5);
    else if (strncmp(command, "exit ", 5) == 0)
        finish(f, atoi(command + 5) << 8);
    else if (*command)
        copy(f, command);
    else
        finish(f, 0);
}

static void fake_step(struct backend_guest *guest, int timeout_ms)
{
    struct fake *f = fake_of(guest);
    struct pollfd cancel = {.fd = f->sink->cancel_fd, .events = POLLIN};

    if (!f->over && strncmp(f->rest, "sleep ", 6) != 0) {
        act(f);
    } else if (!f->over &&
               poll(&cancel, 1, timeout_ms >= 0 && timeout_ms < 5 ? timeout_ms : 5) > 0) {
        f->out->cancelled = true;
        finish(f, SIGKILL);
    } else if (!f->over && clock_mono_ms() >= f->deadline_ms) {
        f->out->limits_hit |= LIMIT_WALL;
        f->sink->limit(f->sink->ctx, LIMIT_WALL);
        finish(f, SIGKILL);
    }
}

static enum backend_state fake_state(const struct backend_guest *guest)
{
    return ((const struct fake *)guest)->over ? BACKEND_OVER : BACKEND_RUNS;
}

static int fake_end(struct backend_guest *guest, struct err *err)
{
    (void)err;
    finish(fake_of(guest), SIGKILL);
    return 0;
}

static void fake_interrupt(struct backend_guest *guest)
{
    finish(fake_of(guest), SIGINT);
}

static int fake_folder(struct backend_guest *guest)
{
    return fake_of(guest)->folder;
}

static const char *fake_inside(struct backend_guest *guest)
{
    return fake_of(guest)->path;
}

const struct backend fake_backend = {
    .name = "fake",
    .alias = "pretence",
    .summary = "acts out a few commands",
    .can = fake_can,
    .open = fake_open,
    .step = fake_step,
    .state = fake_state,
    .deadline = fake_deadline,
    .end = fake_end,
    .close = fake_close,
    .interrupt = fake_interrupt,
    .files = &(const struct backend_files){.folder = fake_folder, .inside = fake_inside},
};
