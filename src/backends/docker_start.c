/* SPDX-License-Identifier: Apache-2.0
 *
 * A container for a job: its configuration as data, then the requests that make it. Whatever the
 * image says of commands, users and ports is replaced.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/docker_parts.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "jail/jail.h"

enum { FILES_LEAST = 1024, PROCESSES_MOST = 16384, LAY_MS = 120000, CPU_PERIOD_US = 100000 };

/* Options of a tmpfs that every user may write: Podman knows none for its owner. Limits of 0 stay
 * the kernel's. */
static json_t *tmpfs(const struct jail_limits *l, bool podman)
{
    char size[40] = "", inodes[40] = "";

    if (l->disk_bytes)
        snprintf(size, sizeof size, ",size=%" PRIu64, l->disk_bytes);
    if (l->inodes && !podman)
        snprintf(inodes, sizeof inodes, ",nr_inodes=%" PRIu64, l->inodes + 4);
    return json_sprintf("rw,exec,nosuid,nodev,mode=1777%s%s", size, inodes);
}

/* Podman's own defaults are more than many hosts permit. */
static json_t *ulimits(const struct jail_limits *l)
{
    int files = l->open_files > FILES_LEAST ? (int)l->open_files : FILES_LEAST; /* the helper's */

    return json_pack("[{s:s, s:i, s:i}, {s:s, s:i, s:i}, {s:s, s:i, s:i}]", "Name", "core", "Soft",
                     0, "Hard", 0, "Name", "nofile", "Soft", files, "Hard", files, "Name", "nproc",
                     "Soft", PROCESSES_MOST, "Hard", PROCESSES_MOST);
}

static json_t *host_config(const struct backend_job *job, bool podman)
{
    const struct jail_limits *l = &job->limits;
    json_t *config = json_pack(
        "{s:b, s:s, s:b, s:[s], s:[s], s:s, s:{s:s}, s:{s:o, s:o}, s:o}", "AutoRemove", 1,
        "NetworkMode", job->net_host ? "host" : "none", "ReadonlyRootfs", 1, "CapDrop", "ALL",
        "SecurityOpt", "no-new-privileges", "IpcMode", "private", "LogConfig", "Type", "none",
        "Tmpfs", CONTAINED_BOX, tmpfs(l, podman), "/tmp", tmpfs(l, podman), "Ulimits", ulimits(l));

    if (job->runtime)
        json_object_set_new(config, "Runtime", json_string(job->runtime));
    if (l->memory_bytes) { /* as much with swap: there is none */
        json_object_set_new(config, "Memory", json_integer((json_int_t)l->memory_bytes));
        json_object_set_new(config, "MemorySwap", json_integer((json_int_t)l->memory_bytes));
    }
    if (l->disk_bytes)
        json_object_set_new(config, "ShmSize", json_integer((json_int_t)l->disk_bytes));
    if (l->pids) /* and the helper */
        json_object_set_new(config, "PidsLimit", json_integer((json_int_t)l->pids + 1));
    if (l->cpu_milli) {
        json_object_set_new(config, "CpuPeriod", json_integer(CPU_PERIOD_US));
        json_object_set_new(config, "CpuQuota",
                            json_integer((json_int_t)l->cpu_milli * (CPU_PERIOD_US / 1000)));
    }
    return config;
}

static json_t *make_config(const struct backend_job *job, const char *image, bool podman)
{
    return json_pack("{s:s, s:[s], s:[s], s:o, s:s, s:b, s:b, s:b, s:b, s:b, s:o*, s:o}", "Image",
                     image, "Entrypoint", CONTAINED_PATH, "Cmd", "--contained", "User",
                     json_sprintf("%u:%u", CONTAINED_UID, CONTAINED_UID), "WorkingDir", "/",
                     "OpenStdin", 1, "StdinOnce", 1, "AttachStdin", 1, "AttachStdout", 1,
                     "AttachStderr", 1, "Healthcheck",
                     podman ? NULL : json_pack("{s:[s]}", "Test", "NONE"), "HostConfig",
                     host_config(job, podman));
}

/* ---- what no container can have ---- */

static int refuse(const struct backend_job *job, struct backend_outcome *out, struct err *err)
{
    out->lacking = job->required & ~DOCKER_LAYERS;
    if (out->lacking)
        return err_set(err, ERR_UNSUPPORTED,
                       "layer %s is required, and backend docker does not have it",
                       jail_layers[__builtin_ctz(out->lacking)].name);
    if (job->view_count)
        return err_set(err, ERR_UNSUPPORTED,
                       "backend docker shows no files of this host: give them with --file");
    if (DOCKER_LAYERS & ~job->layers)
        return err_set(err, ERR_UNSUPPORTED,
                       "backend docker leaves no layer out: --without needs --backend jail");
    return 0;
}

/* ---- the plan and the files ---- */

struct contained_plan docker_plan(const struct docker_guest *d)
{
    const struct backend_job *job = d->job;

    return (struct contained_plan){.path = job->exec_path,
                                   .argv = job->argv,
                                   .env = job->env,
                                   .has_stdin = job->stdin_fd >= 0,
                                   .has_channel = job->channel[0] >= 0,
                                   .has_lay = job->lay != NULL,
                                   .channel_file = buf_str(&d->channel_file),
                                   .wait_file = "",
                                   .disk_bytes = job->limits.disk_bytes,
                                   .inodes = job->limits.inodes,
                                   .cpu_ms = (uint64_t)job->limits.cpu_ms,
                                   .open_files = job->limits.open_files,
                                   .required = job->required};
}

static void send_plan(struct docker_guest *d)
{
    const struct contained_plan plan = docker_plan(d);
    AUTO_BUF struct buf record = {0};

    buf_init(&record, CONTAINED_PLAN_MAX);
    contained_plan_put(&record, &plan);
    docker_put(d, CONTAINED_PLAN, buf_str(&record));
}

static int send_files(struct docker_guest *d, struct err *err)
{
    if (!d->job->lay)
        return 0;
    AUTO_CLOSE int spool = fd_spool(err);
    if (spool < 0 || d->job->lay(d->job->lay_ctx, spool, err) < 0)
        return -1;
    if (lseek(spool, 0, SEEK_SET) < 0)
        return err_sys(err, "keep the input files");
    return docker_send_file(d, spool, clock_mono_ms() + LAY_MS, err);
}

/* ---- the requests ---- */

const char *docker_image(const struct backend_job *job)
{
    return job->image ? job->image : DOCKER_IMAGE;
}

/* The user's image with our helper in it. The caller frees. */
static char *ready_image(const struct docker_guest *d, struct err *err)
{
    const struct backend_job *job = d->job;
    AUTO_FREE char *helper = NULL;

    if (jail_find_helper(&helper, err) < 0)
        return NULL;
    const struct engine_wish wish = {.image = docker_image(job),
                                     .dockerfile = job->dockerfile,
                                     .packages = job->packages,
                                     .python = job->exec_path,
                                     .helper = helper,
                                     .cancel_fd = d->sink->cancel_fd,
                                     .step = d->sink->preparing,
                                     .ctx = d->sink->ctx};
    return engine_image(d->engine, &wish, err);
}

int docker_make(struct docker_guest *d, const char *config, struct err *err)
{
    json_t *json = mem_must(json_loads(config, 0, NULL));
    int result = engine_create(d->engine, json, &d->container, err);

    json_decref(json);
    if (result < 0)
        return -1;
    outcome_phase(d->out, "create");
    d->fd = engine_attach(d->engine, d->container, &d->in, err);
    return d->fd < 0 ? -1 : engine_start(d->engine, d->container, err);
}

static int get_container(struct docker_guest *d, struct err *err)
{
    AUTO_FREE char *ready = ready_image(d, err);

    if (!ready)
        return -1;
    if (d->job->runtime && engine_need_runtime(d->engine, d->job->runtime, err) < 0)
        return -1;
    outcome_phase(d->out, "image");
    json_t *json = make_config(d->job, ready, engine_is_podman(d->engine));
    AUTO_FREE char *config = mem_must(json_dumps(json, JSON_COMPACT));
    json_decref(json);
    AUTO_BUF struct buf kind = {0};
    docker_kind(d, config, &kind);
    if (docker_pool_take(d, buf_str(&kind)))
        return 0;
    if (docker_make(d, config, err) < 0)
        return -1;
    docker_pool_teach(d->pool, buf_str(&kind));
    return 0;
}

/* The guest reads any part of it, as often as it likes. */
static int read_channel_file(int fd, size_t size, struct buf *ret, struct err *err)
{
    char *room = buf_room(ret, size);

    if (!room || pread(fd, room, size, 0) != (ssize_t)size)
        return err_set(err, ERR_SYSTEM, "the channel's file cannot be read");
    buf_grew(ret, size);
    return 0;
}

int docker_lend_channel(struct docker_guest *d, struct err *err)
{
    const int *channel = d->job->channel;

    struct docker_source *source = &d->sources[CONTAINED_TO_CHANNEL];
    struct stat st;

    if (channel[0] < 0)
        return 0;
    d->channel.fd = fcntl(channel[1], F_DUPFD_CLOEXEC, 0);
    if (d->channel.fd < 0 || fd_nonblock(d->channel.fd, true) < 0 || fstat(channel[0], &st) < 0)
        return err_sys(err, "keep the channel");
    if (S_ISREG(st.st_mode))
        return read_channel_file(channel[0], (size_t)st.st_size, &d->channel_file, err);
    source->fd = fcntl(channel[0], F_DUPFD_CLOEXEC, 0);
    return source->fd < 0 ? err_sys(err, "keep the channel") : 0;
}

int docker_send_job(struct docker_guest *d, struct err *err)
{
    d->out->prestarted = d->waits;
    if (d->waits)
        docker_go(d);
    else
        send_plan(d);
    docker_send(d);
    return send_files(d, err);
}

int docker_start(struct docker_guest *d, struct err *err)
{
    if (refuse(d->job, d->out, err) < 0 || docker_lend_channel(d, err) < 0 ||
        docker_pool_connect(d->pool, &d->engine, err) < 0)
        return -1;
    outcome_phase(d->out, "engine");
    if (get_container(d, err) < 0)
        return -1;
    outcome_phase(d->out, "container");
    return docker_send_job(d, err);
}
