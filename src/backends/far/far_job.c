/* SPDX-License-Identifier: Apache-2.0
 *
 * Sends a job to the helper: the plan, the channel, the files.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "far/far.h"

enum { LAY_MS = 120000 };

int far_refuse(const struct backend_job *job, const struct backend *backend,
               struct backend_outcome *out, struct err *err)
{
    out->lacking = job->required & ~backend->layers;
    if (out->lacking)
        return err_set(err, ERR_UNSUPPORTED,
                       "layer %s is required, and backend %s does not have it",
                       jail_layers[__builtin_ctz(out->lacking)].name, backend->name);
    if (job->view_count)
        return err_set(err, ERR_UNSUPPORTED,
                       "backend %s shows no files of this host: give them with --file",
                       backend->name);
    if (backend->layers & ~job->layers)
        return err_set(err, ERR_UNSUPPORTED,
                       "backend %s leaves no layer out: --without needs --backend=jail",
                       backend->name);
    return 0;
}

bool far_is_zygote(const struct backend_job *job)
{
    return job->warm->early == EARLY_ZYGOTE;
}

struct contained_plan far_plan(const struct far_guest *guest)
{
    const struct backend_job *job = guest->job;

    return (struct contained_plan){.path = job->exec_path,
                                   .argv = job->argv,
                                   .env = job->env,
                                   .folder = job->folder,
                                   .has_stdin = job->stdin_fd >= 0,
                                   .has_channel = job->channel[0] >= 0,
                                   .has_lay = job->lay != NULL,
                                   .channel_file = buf_str(&guest->channel_file),
                                   .wait_file = "",
                                   .disk_bytes = job->limits.disk_bytes,
                                   .inodes = job->limits.inodes,
                                   .cpu_ms = (uint64_t)job->limits.cpu_ms,
                                   .open_files = job->limits.open_files,
                                   .required = job->required};
}

static void send_plan(struct far_guest *guest)
{
    const struct contained_plan plan = far_plan(guest);
    AUTO_BUF struct buf record = {0};

    buf_init(&record, CONTAINED_PLAN_MAX);
    contained_plan_put(&record, &plan);
    far_put(guest, CONTAINED_PLAN, buf_str(&record));
}

static int send_files(struct far_guest *guest, struct err *err)
{
    if (!guest->job->lay)
        return 0;
    AUTO_CLOSE int spool = fd_spool(err);
    if (spool < 0 || guest->job->lay(guest->job->lay_ctx, spool, err) < 0)
        return -1;
    if (lseek(spool, 0, SEEK_SET) < 0)
        return err_sys(err, "store the input files");
    return far_send_file(guest, spool, clock_mono_ms() + LAY_MS, err);
}

/* Appends the number of arguments, the arguments, and each NAME=VALUE, all NUL-terminated. */
static void put_words(struct buf *b, char *const *argv, char *const *env)
{
    size_t n = 0;

    while (argv[n])
        n++;
    (void)buf_addf(b, "%zu%c", n, 0);
    for (; *argv; argv++)
        (void)buf_add(b, *argv, strlen(*argv) + 1);
    for (; *env; env++)
        (void)buf_add(b, *env, strlen(*env) + 1);
}

/* Sends a waiting program its words; the files follow. */
static void go(struct far_guest *guest)
{
    AUTO_BUF struct buf words = {0};

    buf_init(&words, CONTAINED_PLAN_MAX);
    if (far_is_zygote(guest->job))
        put_words(&words, guest->job->warm->fork_argv, guest->job->env);
    far_put(guest, CONTAINED_GO, buf_str(&words));
}

/* Reads the whole file: the guest may read any part of it, repeatedly. */
static int read_channel_file(int fd, size_t size, struct buf *ret, struct err *err)
{
    char *room = buf_room(ret, size);

    if (!room || pread(fd, room, size, 0) != (ssize_t)size)
        return err_set(err, ERR_SYSTEM, "the channel's file cannot be read");
    buf_grew(ret, size);
    return 0;
}

int far_lend_channel(struct far_guest *guest, struct err *err)
{
    const int *channel = guest->job->channel;

    struct far_source *source = &guest->sources[CONTAINED_TO_CHANNEL];
    struct stat st;

    if (channel[0] < 0)
        return 0;
    guest->channel.fd = fcntl(channel[1], F_DUPFD_CLOEXEC, 0);
    if (guest->channel.fd < 0 || fd_nonblock(guest->channel.fd, true) < 0 ||
        fstat(channel[0], &st) < 0)
        return err_sys(err, "duplicate the channel");
    if (S_ISREG(st.st_mode))
        return read_channel_file(channel[0], (size_t)st.st_size, &guest->channel_file, err);
    source->fd = fcntl(channel[0], F_DUPFD_CLOEXEC, 0);
    return source->fd < 0 ? err_sys(err, "duplicate the channel") : 0;
}

int far_send_job(struct far_guest *guest, struct err *err)
{
    guest->out->prestarted = guest->waits;
    if (guest->waits)
        go(guest);
    else
        send_plan(guest);
    far_send(guest);
    return send_files(guest, err);
}
