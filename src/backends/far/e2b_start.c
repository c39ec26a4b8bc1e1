/* SPDX-License-Identifier: Apache-2.0
 *
 * A sandbox for a job: makes a virtual machine from the template, uploads our helper, starts it,
 * and sends it the job. Command lines there contain only the job's limits and packages.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "far/e2b_parts.h"
#include "jail/jail.h"

/* The service kills the sandbox when its owner has died. */
enum {
    LONGER_MS = 15000,           /* more than the program's time, for its start */
    FILES_MS = 5 * 60 * 1000,    /* for the files after the run; repeated without a limit */
    SESSION_MS = 10 * 60 * 1000, /* after its last use */
    PAUSE_LEAST_MS = 2 * 60 * 1000,
    PAUSE_MOST_MS = 24 * 3600 * 1000,
    HELPER_MAX = 16 << 20,
};

/* ---- jobs that no sandbox can run ---- */

/* The service counts from the last extension, and there is one each minute while the sandbox is
 * used. */
static bool pause_fits(int64_t pause_ms)
{
    return !pause_ms || (pause_ms >= PAUSE_LEAST_MS && pause_ms <= PAUSE_MOST_MS);
}

static int e2b_start_refuse(const struct backend_job *job, struct backend_outcome *out,
                            struct err *err)
{
    if (far_refuse(job, &e2b_backend, out, err) < 0)
        return -1;
    if (job->channel[0] >= 0 && !job->limits.wall_ms && !pause_fits(job->pause_ms))
        return err_set(err, ERR_UNSUPPORTED,
                       "the service of backend e2b pauses every sandbox that is not used: give "
                       "--pause-after from 2m to 24h");
    return 0;
}

/* ---- the sandbox ---- */

/* How long it lives unless it is extended. */
static int64_t plan_time(const struct backend_job *job, struct e2b_place *place)
{
    int64_t wall_ms = job->limits.wall_ms;
    bool session = !wall_ms && job->channel[0] >= 0;
    int64_t idle_ms = job->pause_ms > 0 ? job->pause_ms : SESSION_MS;

    place->pauses = session;
    place->kept_ms = session ? idle_ms : FILES_MS;
    place->refresh_ms = clock_mono_ms() + (wall_ms ? wall_ms : E2B_REFRESH_MS);
    return wall_ms ? wall_ms + LONGER_MS : place->kept_ms;
}

static int create(struct far_guest *guest, struct err *err)
{
    struct e2b_place *place = e2b_place_of(guest);

    far_sweep_files();
    json_t *metadata = e2b_metadata(guest->job);
    int64_t timeout_ms = plan_time(guest->job, place) + (guest->job->packages ? E2B_INSTALL_MS : 0);
    const struct e2b_wish wish = {.template_id = guest->job->image,
                                  .timeout_ms = timeout_ms,
                                  .internet = guest->job->net_host || guest->job->packages,
                                  .pauses = place->pauses,
                                  .metadata = metadata};
    int result = e2b_create(place->e2b, &wish, guest->sink->cancel_fd, err);

    json_decref(metadata);
    outcome_phase(guest->out, "create");
    return result;
}

/* ---- the helper ---- */

static int upload(struct far_guest *guest, const char *path, struct err *err)
{
    AUTO_FREE char *file = NULL;
    AUTO_BUF struct buf bytes = {0};

    buf_init(&bytes, HELPER_MAX);
    if (jail_find_helper(&file, err) < 0 || fd_read_file(file, &bytes, err) < 0)
        return -1;
    return e2b_put_file(e2b_place_of(guest)->e2b, path, buf_str(&bytes), guest->sink->cancel_fd,
                        err);
}

/* A constant script: all values are its arguments. */
#define MAKE_AND_BE "chmod 755 \"$0\" && exec \"$0\" \"$@\""

static int start_helper(struct far_guest *guest, const char *path, struct err *err)
{
    const struct jail_limits *l = &guest->job->limits;
    char numbers[5][24];
    const uint64_t values[] = {guest->job->net_host, l->disk_bytes, l->inodes, l->memory_bytes,
                               l->pids};

    for (size_t i = 0; i < ARRAY_LEN(values); i++)
        snprintf(numbers[i], sizeof numbers[i], "%" PRIu64, values[i]);
    const char *const argv[] = {"/bin/sh",       "-c",       MAKE_AND_BE, path,
                                CONTAINED_APART, numbers[0], numbers[1],  numbers[2],
                                numbers[3],      numbers[4], NULL};
    const struct e2b_start start = {.argv = argv};
    struct e2b_place *place = e2b_place_of(guest);

    if (e2b_process_start(place->e2b, &start, &place->process, err) < 0)
        return -1;
    guest->fd = e2b_process_take_fd(place->process);
    outcome_phase(guest->out, "process");
    return 0;
}

int e2b_start(struct far_guest *guest, struct err *err)
{
    AUTO_FREE char *path = xasprintf("/tmp/.glovebox-%" PRIx64, (uint64_t)clock_mono_ns());

    if (e2b_start_refuse(guest->job, guest->out, err) < 0 || far_lend_channel(guest, err) < 0 ||
        e2b_open(&e2b_place_of(guest)->e2b, err) < 0 || create(guest, err) < 0 ||
        e2b_install(guest, err) < 0 || upload(guest, path, err) < 0)
        return -1;
    outcome_phase(guest->out, "upload");
    return start_helper(guest, path, err) < 0 ? -1 : far_send_job(guest, err);
}
