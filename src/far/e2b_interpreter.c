/* SPDX-License-Identifier: Apache-2.0
 *
 * A guest of the code interpreter of a sandbox of E2B: a kernel of Jupyter, with the template's
 * packages and its rich results. It is for templates in which our helper does not run, too. The
 * virtual machine is the only wall, and its template has the limits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "far/e2b_relay.h"

#define NO_LIMIT "has no such limit but that of its template"

static const struct far_ability abilities[BACKEND_ABILITIES] = {
    [CAN_FORKS] = {.never = "a session in a sandbox of E2B cannot be forked"},
    [CAN_PACKAGES] = {.how = "with pip, once for each sandbox"},
    [CAN_TOOLS] = {.never = "calls no tools of this host"},
    [CAN_WARM] = {.never = "starts each program anew"},
    [CAN_HOST_NET] = {.how = "the sandbox's access to the internet"},
    [CAN_CLOSE_NET] = {.how = "the sandbox's access to the internet"},
    [CAN_LIMIT_WALL] = {.held = true},
    [CAN_LIMIT_CPU_TIME] = {.never = NO_LIMIT},
    [CAN_LIMIT_MEMORY] = {.never = NO_LIMIT},
    [CAN_LIMIT_PIDS] = {.never = NO_LIMIT},
    [CAN_LIMIT_CPUS] = {.never = NO_LIMIT},
    [CAN_LIMIT_DISK] = {.never = NO_LIMIT},
    [CAN_LIMIT_INODES] = {.never = NO_LIMIT},
    [CAN_LIMIT_OPEN_FILES] = {.never = NO_LIMIT},
};

static struct backend_need need(enum backend_ability ability)
{
    return far_need(abilities, ability);
}

static struct backend_can can(enum backend_ability ability)
{
    const char *why_not = need(ability).why_not;

    if (why_not)
        return (struct backend_can){.why_not = why_not};
    return ability == CAN_RUN ? e2b_look() : (struct backend_can){.how = abilities[ability].how};
}

/* ---- the place ---- */

static void kill_sandbox(struct far_guest *d)
{
    struct e2b_place *place = e2b_place_of(d);
    struct err ignored;

    e2b_relay_stop(mem_take(&place->relay));
    if (place->e2b)
        (void)e2b_kill(place->e2b, &ignored);
}

static void died(struct far_guest *d)
{
    struct e2b_place *place = e2b_place_of(d);

    e2b_relay_stop(mem_take(&place->relay));
    d->out->failure = place->broke.kind ? place->broke.msg
                                        : "the connection to the sandbox broke in the middle of "
                                          "the run";
}

enum { KERNEL_MS = 60000 }; /* a kernel of its own starts, and what is preloaded */

static const struct far_place interpreter = {.name = "sandbox",
                                             .lacks = "the sandbox does not provide it",
                                             .setup_ms = KERNEL_MS,
                                             .work = RELAY_WORK "/",
                                             .kill = kill_sandbox,
                                             .died = died};

/* ---- what it cannot have ---- */

/* Whether input waits. Input that comes later is dropped. */
static bool has_input(int fd)
{
    struct stat st;
    int waiting = 0;

    if (fd < 0 || fstat(fd, &st) < 0)
        return false;
    if (S_ISREG(st.st_mode))
        return lseek(fd, 0, SEEK_CUR) < st.st_size;
    return !S_ISCHR(st.st_mode) && ioctl(fd, FIONREAD, &waiting) == 0 && waiting > 0;
}

static int refuse(const struct backend_job *job, struct err *err)
{
    if (!job->has_cells && !job->program.n)
        return err_set(
            err, ERR_UNSUPPORTED,
            "backend e2b-interpreter has programs and sessions alone: use --backend=e2b");
    if (job->has_arguments && e2b_relay_kernel(job))
        return err_set(err, ERR_UNSUPPORTED,
                       "backend e2b-interpreter passes on no arguments: leave them out, or use "
                       "--backend=e2b");
    if (has_input(job->stdin_fd))
        return err_set(err, ERR_UNSUPPORTED,
                       "backend e2b-interpreter passes on no standard input: give a file with "
                       "--file, or use --backend=e2b");
    return 0;
}

/* ---- the table's entries ---- */

static void guest_close(struct backend_guest *guest)
{
    struct far_guest *d = far_of(guest);
    struct e2b_place *place = e2b_place_of(d);

    fd_close(&d->fd);
    kill_sandbox(d);
    e2b_close(place->e2b);
    free(place);
    far_guest_free(d);
}

static int begin(struct far_guest *d, struct err *err)
{
    if (refuse(d->job, err) < 0 || e2b_begin(d, &e2b_interpreter_backend, err) < 0 ||
        e2b_relay_start(d, &e2b_place_of(d)->relay, err) < 0)
        return -1;
    return far_send_job(d, err);
}

static int guest_open(const struct backend_job *job, const struct backend_sink *sink,
                      struct backend_outcome *ret, struct backend_guest **ret_guest,
                      struct err *err)
{
    struct far_guest *d = far_guest_new(&interpreter, xcalloc(1, sizeof(struct e2b_place)));

    far_lend(d, job, sink, ret);
    ret->cancelled = far_is_stopped(sink);
    if (!ret->cancelled && far_wait_start(d, begin(d, err) == 0, err) == 0)
        return far_opened(d, ret_guest);
    ret->started = false;
    guest_close(&d->base);
    return -1;
}

const struct backend e2b_interpreter_backend = {
    .name = "e2b-interpreter",
    .alias = "e2b-code-interpreter",
    .summary = "in the code interpreter of such a machine",
    .shows_all = true,
    .can = can,
    .need = need,
    .interpreter = e2b_find_interpreter,
    .open = guest_open,
    .close = guest_close,
    FAR_ENTRIES,
};
