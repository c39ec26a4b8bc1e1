/* SPDX-License-Identifier: Apache-2.0 */
#include "environments/step.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "formats/printable.h"
#include "registry/registry.h"

enum { LINE_LONG = 200, FILES_MAX = 100000 };

static const char *const usual[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/tmp", "TMPDIR=/tmp",
                                    "LANG=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1"};

struct step {
    const struct env_step *step;
    struct buf line;
};

/* The only place that decides what a step of the network reaches. It is the host's network until
 * there are rules for names; the ceiling is the index, and the files that it names. */
static void step_network(const struct env_step *step, struct backend_job *job)
{
    job->net_host = step->network;
}

/* ---- output ---- */

/* Our programs mark a line for the user with "> ". */
static void show_line(const struct step *s, struct str line)
{
    AUTO_BUF struct buf shown = {0};

    if (!str_starts(line, "> ") || !s->step->watch->say)
        return;
    buf_init(&shown, 2 * LINE_LONG);
    printable_add_word(&shown, str_slice(line, 2, line.n), LINE_LONG);
    s->step->watch->say(s->step->watch->ctx, shown.p);
}

static void step_on_output(void *ctx, int stream, const char *p, size_t n)
{
    struct step *s = ctx;

    (void)stream;
    (void)buf_add(s->step->said, p, n);
    for (size_t i = 0; i < n; i++) {
        if (p[i] != '\n') {
            (void)buf_addc(&s->line, p[i]);
            continue;
        }
        show_line(s, buf_str(&s->line));
        buf_clear(&s->line);
    }
}

static bool keep(void *ctx, const struct backend_outcome *o, struct err *err)
{
    const struct step *s = ctx;

    if (o->cancelled)
        return err_set(err, ERR_LIMIT, "cancelled") == 0;
    if (o->limits_hit & LIMIT_WALL)
        return err_set(err, ERR_TIMEOUT, "it took longer than %lld s",
                       (long long)s->step->wall_ms / 1000) == 0;
    if (o->limits_hit)
        return err_set(err, ERR_LIMIT, "it needs more than %llu MiB of memory and files",
                       (unsigned long long)s->step->bytes >> 20) == 0;
    if (o->failure)
        return err_set(err, ERR_SYSTEM, "%s", o->failure) == 0;
    return true;
}

/* ---- the job ---- */

static char **list_words(const struct env_step *step, const struct interpreter *in)
{
    size_t n = 0, at = 0;

    while (step->args && step->args[n])
        n++;
    char **words = xcalloc(n + 5, sizeof *words);
    words[at++] = in->path;
    words[at++] = (char *)"-I";
    words[at++] = (char *)"-c";
    words[at++] = (char *)step->program;
    for (size_t i = 0; i < n; i++)
        words[at++] = step->args[i];
    return words;
}

static char **list_variables(const struct env_step *step)
{
    size_t n = 0;

    while (step->env && step->env[n])
        n++;
    char **all = xcalloc(n + ARRAY_LEN(usual) + 1, sizeof *all);
    for (size_t i = 0; i < ARRAY_LEN(usual); i++)
        all[i] = (char *)usual[i];
    for (size_t i = 0; i < n; i++)
        all[ARRAY_LEN(usual) + i] = step->env[i];
    return all;
}

static struct host_view *list_views(const struct env_step *step, const struct interpreter *in,
                                    size_t *ret_count)
{
    struct host_view *all = xcalloc(in->view_count + step->view_count + 1, sizeof *all);

    for (size_t i = 0; i < in->view_count; i++)
        all[i] = in->views[i];
    for (size_t i = 0; i < step->view_count; i++)
        all[in->view_count + i] = step->views[i];
    *ret_count = in->view_count + step->view_count;
    return all;
}

static int lay(void *ctx, int fd, struct err *err)
{
    return lay_send(ctx, fd, err);
}

/* ---- the run ---- */

static int collect(struct backend_guest *guest, const struct env_step *step, struct file_set *ret,
                   struct err *err)
{
    const struct collect_options options = {.max_files = FILES_MAX,
                                            .max_total_bytes = step->bytes,
                                            .out_dirfd = step->out_dirfd,
                                            .work_dirfd = -1,
                                            .was_laid = true};

    if (backend_collect(guest, &options, step->laid, ret, err) < 0)
        return -1;
    if (ret->complete)
        return 0;
    file_set_done(ret);
    return err_set(err, ERR_LIMIT, "its files are larger than %llu MiB",
                   (unsigned long long)step->bytes >> 20);
}

static int run_job(struct step *s, const struct backend_job *job, struct file_set *ret,
                   struct err *err)
{
    const struct backend *jail = backend_find(STR("jail"), err);
    const struct backend_sink sink = {.ctx = s,
                                      .output = step_on_output,
                                      .cancel_fd = s->step->watch->cancel_fd,
                                      .channel_fd = -1};
    struct backend_outcome outcome = {0};
    struct backend_guest *guest = NULL;
    int status = -1;

    if (!jail || backend_run(jail, job, &sink, &outcome, &guest, err) < 0)
        return -1;
    if (keep(s, &outcome, err) && collect(guest, s->step, ret, err) == 0)
        status = WIFEXITED(outcome.status) ? WEXITSTATUS(outcome.status)
                                           : 128 + WTERMSIG(outcome.status);
    backend_close(guest);
    return status;
}

int env_step_run(const struct env_step *step, struct file_set *ret, struct err *err)
{
    struct step s = {.step = step};
    struct interpreter in;
    size_t view_count;

    if (interpreter_at(step->base, &in, err) < 0)
        return -1;
    AUTO_FREE char **words = list_words(step, &in), **variables = list_variables(step);
    AUTO_FREE struct host_view *views = list_views(step, &in, &view_count);
    struct backend_job job = {
        .exec_path = in.path,
        .argv = words,
        .env = variables,
        .views = views,
        .view_count = view_count,
        .lay = step->laid ? lay : NULL,
        .lay_ctx = step->laid,
        .stdin_fd = -1,
        .channel = {-1, -1},
        .limits = {.wall_ms = step->wall_ms,
                   .memory_bytes = step->bytes,
                   .disk_bytes = step->bytes,
                   .pids = 128,
                   .inodes = FILES_MAX,
                   .open_files = 768},
        .layers = LAYERS_ALL,
    };
    step_network(step, &job);
    buf_init(&s.line, 16 << 10);
    int status = run_job(&s, &job, ret, err);
    buf_done(&s.line);
    interpreter_done(&in);
    return status;
}
