/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the figures of a guest that has ended, and releases its resources.
 */
#include "backends/local_parts.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"

static void note_full_disk(struct local_guest *l)
{
    struct statvfs st;

    if (!l->has_root || atomic_load(&l->counted.killed) || jail_box(l->jail) < 0 ||
        fstatvfs(jail_box(l->jail), &st) < 0)
        return;
    if (st.f_blocks && (!st.f_bfree || !st.f_ffree)) /* no blocks: the disk was released just now */
        local_hit(l, LIMIT_DISK);
}

/* True if the program ended by this signal, or is a shell that reports this of a child. */
static bool ended_by(const struct jail_state *state, int signal)
{
    if (!state->exited)
        return false;
    return WIFSIGNALED(state->status) ? WTERMSIG(state->status) == signal
                                      : WEXITSTATUS(state->status) == 128 + signal;
}

/* Notes the limits with which the kernel kills a process: processor time, and the length of a file.
 * For the former it sends a plain SIGKILL (the hard limit equals the soft one), so the used time
 * shows the reason. */
static void note_kernel_limits(struct local_guest *l, const struct jail_state *state)
{
    int64_t cpu_ms = l->job->limits.cpu_ms;
    bool used_up = cpu_ms && l->out->cpu_us / 1000 >= cpu_ms;

    if (used_up && (ended_by(state, SIGKILL) || ended_by(state, SIGXCPU)))
        local_hit(l, LIMIT_CPU);
    if (state->exited && WIFSIGNALED(state->status) && WTERMSIG(state->status) == SIGXFSZ)
        local_hit(l, LIMIT_DISK);
}

static void note_usage(struct local_guest *l)
{
    const struct jail_state *state = jail_state(l->jail);
    struct cgroup_usage use = l->usage;

    if (!use.memory_peak)
        cgroup_usage(l->group, &use);
    if (use.oom_kills)
        local_hit_memory(l);
    if (atomic_load(&l->counted.killed))
        local_hit(l, LIMIT_GUESTS);
    if (use.pids_hits)
        local_hit(l, LIMIT_PIDS);
    if (use.buffer_hits)
        local_hit(l, LIMIT_BUFFERS);
    if (!use.cpu_ns)
        use.cpu_ns = l->cpu_ns;
    l->out->cpu_us = use.cpu_ns ? (int64_t)(use.cpu_ns / 1000) : state->user_us + state->system_us;
    if (use.memory_peak)
        l->out->memory_peak = use.memory_peak;
    if (use.memory_peak && l->sockets_peak > l->job->limits.memory_bytes)
        l->out->memory_peak += l->sockets_peak;
    else if ((uint64_t)state->max_rss_kib * 1024 > l->out->memory_peak)
        l->out->memory_peak = (uint64_t)state->max_rss_kib * 1024;
    note_kernel_limits(l, state);
}

/* The reason why we or the kernel killed a process of it, or all of them; or NULL. Its result then
 * says nothing about the program. */
static const char *why_killed(const struct local_guest *l)
{
    if (l->out->limits_hit & LIMIT_GUESTS)
        return GUESTS_MEMORY_WHY;
    return l->host_oom
               ? "killed because the host's own memory ran out, or that of a group around it"
               : NULL;
}

/* The failure if the jail ended without a report; or NULL. In a pid namespace the guest cannot kill
 * its jail. */
static const char *what_failed(const struct local_guest *l)
{
    if (l->orphaned)
        return "the interpreter that the program's process was forked from was killed on the host";
    if (l->ended || l->out->limits_hit & LIMIT_MEMORY || !(l->out->held & LAYER_BIT(LAYER_PIDNS)))
        return NULL;
    return "the jail was killed from outside: by someone on the host, or because the host's own "
           "memory ran out";
}

static void note_state(struct local_guest *l)
{
    const struct jail_state *state = jail_state(l->jail);
    struct backend_outcome *out = l->out;

    bool known = state->exited || l->leaving;

    if (!state->exited)
        out->wall_ns = clock_mono_ns() - l->start_ns;
    out->failure = why_killed(l);
    if (!out->failure && !known)
        out->failure = what_failed(l);
    out->status = known && !out->failure ? state->status : SIGKILL;
    memcpy(out->denied, state->denied, sizeof out->denied);
    out->denied_count = state->denied_count;
    local_note_lost(l);
    local_open_work(l);
}

/* Notes the missing layers of a guest that was refused. */
static void note_lacking(struct local_guest *l)
{
    const struct jail_state *state = jail_state(l->jail);

    local_note_lost(l);
    for (size_t i = 0; i < state->lost_count; i++)
        l->out->lacking |= state->lost[i].layers & l->job->required;
    l->out->lacking |= l->job->required & ~l->out->wanted;
}

int local_finish(struct local_guest *l, struct err *err)
{
    pump_drain(&l->pump);
    if (l->out->started) {
        note_full_disk(l);
        note_usage(l);
        note_state(l);
        local_note_files(l);
        return 0;
    }
    if (l->out->cancelled)
        return 0;
    note_lacking(l);
    if (l->error.kind) {
        *err = l->error;
        return -1;
    }
    if (clock_mono_ns() - l->start_ns >= (int64_t)SETUP_LIMIT_MS * 1000000)
        return err_set(err, ERR_SYSTEM, "the jail was not ready after %d s", SETUP_LIMIT_MS / 1000);
    struct cgroup_usage use;
    cgroup_usage(l->group, &use);
    if (use.oom_kills && cgroup_oom_cause(l->group) == CGROUP_OOM_OWN)
        return err_set(err, ERR_USAGE,
                       "a memory limit of %" PRIu64 " bytes is less than the jail itself needs",
                       l->job->limits.memory_bytes);
    return err_set(err, ERR_SYSTEM, "the jail ended before the program started");
}

void local_leave(struct local_guest *l)
{
    if (!l->over) { /* it never ran: remove everything that the helper has made */
        jail_free(mem_take(&l->jail));
        cgroup_close(mem_take(&l->group));
        l->over = true;
    }
    fork_tree_let_fork(l);
    fork_tree_leave(l);
    pump_done(&l->pump);
    fd_close(&l->lay_write);
    spec_done(&l->spec);
}
