/* SPDX-License-Identifier: Apache-2.0
 *
 * A container for a job: its configuration as data, then the requests that make it. The image's
 * commands, users and ports are replaced.
 */
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "far/docker_parts.h"
#include "jail/jail.h"

/* Modes. Podman has no option for the owner. */
#define EVERYBODYS "1777"
#define THE_GUESTS "0755,uid=65534,gid=65534"

enum { FILES_LEAST = 1024, PROCESSES_LEAST = 24, PROCESSES_MOST = 16384, CPU_PERIOD_US = 100000 };
enum { RUNTIME_THREADS = 512, THREADS_EACH = 16 }; /* measured with gVisor: 300 for 30 processes */

/* Options of a tmpfs. A limit of 0 leaves the kernel's default. */
static json_t *tmpfs(const struct jail_limits *l, const char *mode, bool podman)
{
    char size[40] = "", inodes[40] = "";

    if (l->disk_bytes)
        snprintf(size, sizeof size, ",size=%" PRIu64, l->disk_bytes);
    if (l->inodes && !podman)
        snprintf(inodes, sizeof inodes, ",nr_inodes=%" PRIu64, l->inodes);
    return json_sprintf("rw,exec,nosuid,nodev,mode=%s%s%s", mode, size, inodes);
}

/* Podman's own defaults are higher than many hosts permit. The limit for core dumps is not 0,
 * because with 0 the kernel would start the program that the engine's host names for them. */
static json_t *ulimits(const struct jail_limits *l, bool podman)
{
    int files = l->open_files > FILES_LEAST ? (int)l->open_files : FILES_LEAST; /* the helper's */
    json_t *all = json_pack("[{s:s, s:i, s:i}, {s:s, s:i, s:i}]", "Name", "core", "Soft", 1, "Hard",
                            1, "Name", "nproc", "Soft", PROCESSES_MOST, "Hard", PROCESSES_MOST);

    if (l->open_files || podman)
        json_array_append_new(
            all, json_pack("{s:s, s:i, s:i}", "Name", "nofile", "Soft", files, "Hard", files));
    return all;
}

/* The guest's processes and the helper. */
static uint64_t pids_of(const struct jail_limits *l)
{
    return l->pids + 1;
}

/* An engine's own program needs some threads before it becomes the helper. A runtime chosen by the
 * user may be a kernel with threads of its own, several for each process of the guest. */
static uint64_t pids_at_start(const struct backend_job *job)
{
    uint64_t pids = pids_of(&job->limits);

    if (job->runtime)
        return RUNTIME_THREADS + pids * THREADS_EACH;
    return pids < PROCESSES_LEAST ? PROCESSES_LEAST : pids;
}

/* The paths that engines hide by default (Docker 28), because our list replaces theirs; and after
 * the empty line, more facts about the host, which a jail also hides. Two default paths are in
 * /sys/devices: virtual/powercap, and thermal_throttle of each processor. */
static const char *const hidden[] = {
    "/proc/acpi",       "/proc/asound",        "/proc/interrupts",  "/proc/kcore",
    "/proc/keys",       "/proc/latency_stats", "/proc/sched_debug", "/proc/scsi",
    "/proc/timer_list", "/proc/timer_stats",   "/sys/firmware",

    "/proc/bus",        "/proc/cmdline",       "/proc/driver",      "/proc/fs",
    "/proc/irq",        "/proc/kallsyms",      "/proc/key-users",   "/proc/modules",
    "/sys/devices",     "/sys/kernel",
};

/* Podman ignores MaskedPaths, or does not support it: for it, mask= in SecurityOpt has the paths.
 */
static void hide(json_t *config, bool podman)
{
    json_t *list = json_array();
    AUTO_BUF struct buf word = {0};

    buf_init(&word, 1000);
    for (size_t i = 0; i < ARRAY_LEN(hidden); i++) {
        json_array_append_new(list, json_string(hidden[i]));
        (void)buf_addf(&word, "%s%s", i ? ":" : "mask=", hidden[i]);
    }
    json_object_set_new(config, "MaskedPaths", list);
    if (podman)
        json_array_append_new(json_object_get(config, "SecurityOpt"), json_string(word.p));
}

static json_t *host_config(const struct backend_job *job, bool podman)
{
    const struct jail_limits *l = &job->limits;
    json_t *config = json_pack(
        "{s:b, s:s, s:b, s:[s], s:[s], s:s, s:{s:s}, s:{s:o, s:o, s:o}, s:o}", "AutoRemove", 1,
        "NetworkMode", job->net_host ? "host" : "none", "ReadonlyRootfs", 1, "CapDrop", "ALL",
        "SecurityOpt", "no-new-privileges", "IpcMode", "private", "LogConfig", "Type", "none",
        "Tmpfs", CONTAINED_WORK, tmpfs(l, podman ? EVERYBODYS : THE_GUESTS, podman), "/tmp",
        tmpfs(l, EVERYBODYS, podman), "/dev/shm", tmpfs(l, EVERYBODYS, podman), "Ulimits",
        ulimits(l, podman));

    hide(config, podman);
    if (job->runtime)
        json_object_set_new(config, "Runtime", json_string(job->runtime));
    if (l->memory_bytes) { /* the same limit with swap: so there is no swap */
        json_object_set_new(config, "Memory", json_integer((json_int_t)l->memory_bytes));
        json_object_set_new(config, "MemorySwap", json_integer((json_int_t)l->memory_bytes));
    }
    if (l->pids)
        json_object_set_new(config, "PidsLimit", json_integer((json_int_t)pids_at_start(job)));
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

/* ---- the requests ---- */

const char *docker_image(const struct backend_job *job)
{
    return job->image ? job->image : DOCKER_IMAGE;
}

/* The name of the user's image with our helper in it. The caller frees it. */
static char *ready_image(const struct far_guest *guest, struct err *err)
{
    const struct backend_job *job = guest->job;
    AUTO_FREE char *helper = NULL;

    if (jail_find_helper(&helper, err) < 0)
        return NULL;
    const struct engine_wish wish = {.image = docker_image(job),
                                     .dockerfile = job->dockerfile,
                                     .dockerfile_text = job->dockerfile_text,
                                     .files = job->build_files,
                                     .file_count = job->build_file_count,
                                     .packages = job->packages,
                                     .python = job->exec_path,
                                     .helper = helper,
                                     .cancel_fd = guest->sink->cancel_fd,
                                     .step = guest->sink->preparing,
                                     .ctx = guest->sink->ctx};
    return engine_image(docker_container_of(guest)->engine, &wish, err);
}

int docker_make(struct far_guest *guest, const json_t *config, struct err *err)
{
    struct docker_container *c = docker_container_of(guest);

    if (engine_create(c->engine, config, &c->id, err) < 0)
        return -1;
    outcome_phase(guest->out, "create");
    guest->fd = engine_attach(c->engine, c->id, &guest->in, err);
    return guest->fd < 0 ? -1 : engine_start(c->engine, c->id, err);
}

/* Takes a waiting container, or makes a new one. */
static int take_or_make(struct far_guest *guest, const struct docker_kind *kind, struct err *err)
{
    if (docker_pool_take(guest, kind))
        return 0;
    if (docker_make(guest, kind->config, err) < 0)
        return -1;
    docker_pool_teach(guest, kind);
    return 0;
}

static int get_container(struct far_guest *guest, struct err *err)
{
    struct engine *engine = docker_container_of(guest)->engine;
    AUTO_FREE char *ready = ready_image(guest, err);

    if (!ready ||
        (guest->job->runtime && engine_need_runtime(engine, guest->job->runtime, err) < 0))
        return -1;
    outcome_phase(guest->out, "image");
    struct docker_kind kind =
        docker_kind_make(guest, make_config(guest->job, ready, engine_is_podman(engine)));
    int result = take_or_make(guest, &kind, err);
    docker_kind_done(&kind);
    return result;
}

static int limit_pids(const struct far_guest *guest, struct err *err)
{
    const struct docker_container *c = docker_container_of(guest);
    const struct jail_limits *l = &guest->job->limits;

    return !l->pids || pids_of(l) == pids_at_start(guest->job)
               ? 0
               : engine_limit_pids(c->engine, c->id, pids_of(l), err);
}

/* Lowers the limit of processes for the running program. If the helper sees no such limit, the
 * runtime has its own kernel: then the first limit stays, because it counts that kernel's threads.
 */
void docker_started(struct far_guest *guest)
{
    struct err err;

    if (!guest->job->runtime || !(guest->held & LAYER_BIT(LAYER_PIDS)) ||
        limit_pids(guest, &err) == 0)
        return;
    guest->out->failure = "the engine did not limit the processes of the container";
    guest->place->kill(guest);
}

int docker_start(struct far_guest *guest, struct err *err)
{
    struct docker_container *c = docker_container_of(guest);

    if (far_refuse(guest->job, &docker_backend, guest->out, err) < 0 ||
        far_lend_channel(guest, err) < 0 || docker_pool_connect(c->pool, &c->engine, err) < 0)
        return -1;
    outcome_phase(guest->out, "engine");
    if (get_container(guest, err) < 0 || (!guest->job->runtime && limit_pids(guest, err) < 0))
        return -1;
    outcome_phase(guest->out, "container");
    return far_send_job(guest, err);
}
