/* SPDX-License-Identifier: Apache-2.0
 *
 * The abilities of jail and host: the needs of each, and whether this machine meets them. A trial
 * makes a control group, or runs a program that does nothing; each at most once in a process, and
 * only when an ability is requested that depends on it.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "backends/local.h"
#include "base/mem.h"
#include "jail/caps.h"
#include "limits/cgroup.h"

enum { TEXT_MAX = 700, TRIAL_MS = 10000 };

/* Jails below another one. */
#define EARLY_LAYERS                                                                               \
    (LAYER_BIT(LAYER_USERNS) | LAYER_BIT(LAYER_PIDNS) | LAYER_BIT(LAYER_MOUNTNS) |                 \
     LAYER_BIT(LAYER_IPCNS) | LAYER_BIT(LAYER_UTSNS) | LAYER_BIT(LAYER_ROOT))

static const char watched[] = "limits are watched from outside, some milliseconds late";

/* The needs of an ability. If the host does not meet them, there is another way (`instead`), or the
 * ability is missing (`why_not`). */
static const struct need {
    layer_mask layers;
    const char *how, *instead, *why_not;
    const char *ungrouped; /* instead of `how` if control groups do not hold all limits */
} needs[BACKEND_ABILITIES] = {
    [CAN_FORKS] = {.layers = EARLY_LAYERS,
                   .ungrouped = watched,
                   .why_not = "forks need the namespaces and the private root of a whole jail "
                              "('glovebox doctor' says what there is)"},
    [CAN_WARM] = {.layers = EARLY_LAYERS,
                  .ungrouped = watched,
                  .why_not = "needs the namespaces and the private root of a whole jail to start "
                             "programs early, and not all of them are here"},
    [CAN_LIMIT_MEMORY] = {.layers = LAYER_BIT(LAYER_MEMORY),
                          .how = "exact, by a control group",
                          .instead = "watched from outside, some milliseconds late"},
    [CAN_LIMIT_PIDS] = {.layers = LAYER_BIT(LAYER_PIDS),
                        .how = "exact, by a control group",
                        .instead = "by RLIMIT_NPROC, which counts the processes of a user",
                        .why_not = "needs layer pids to limit the number of processes, which is "
                                   "missing here"},
    [CAN_LIMIT_CPUS] = {.layers = LAYER_BIT(LAYER_CPU),
                        .why_not = "needs layer cpu to limit the share of the processors, which "
                                   "is missing here"},
    [CAN_LIMIT_DISK] = {.layers = LAYER_BIT(LAYER_ROOT),
                        .how = "for all files together",
                        .instead = "for each file alone"},
    [CAN_LIMIT_INODES] = {.layers = LAYER_BIT(LAYER_ROOT),
                          .why_not = "needs layer root to limit the number of files, which is "
                                     "missing here"},
    [CAN_PACKAGES] = {.how = "in an environment that all runs share"},
    [CAN_NAMED_NET] = {.layers = LAYER_BIT(LAYER_NETNS),
                       .why_not = "needs layer netns to reach hosts by name, which is missing "
                                  "here"},
    [CAN_CLOSE_NET] = {.layers = LAYER_BIT(LAYER_NETNS),
                       .how = "by a network namespace",
                       .instead = "by the system call filter",
                       .why_not = "needs layer netns or seccomp to close the network, and neither "
                                  "is here"},
};

/* ---- looks ---- */

static layer_mask groups_held;

static void look_at_groups(void)
{
    const struct jail_limits limits = {.memory_bytes = 64 << 20, .pids = 16, .cpu_milli = 1000};
    struct cgroup *group = NULL;
    struct err err;

    if (cgroup_open(&limits, CGROUP_LAYERS, &group, &err) == 0)
        groups_held = cgroup_held(group);
    cgroup_close(group);
}

static struct {
    layer_mask held;
    char why_not[TEXT_MAX]; /* why nothing runs; or "" */
} trial;

const char *backend_trial_program(char ***ret_argv)
{
    static char *nothing[] = {(char *)"true", NULL};
    static char *shell[] = {(char *)"sh", (char *)"-c", (char *)":", NULL};
    static const char *const places[] = {"/usr/bin/true", "/bin/true"};

    *ret_argv = nothing;
    for (size_t i = 0; i < ARRAY_LEN(places); i++)
        if (access(places[i], X_OK) == 0)
            return places[i];
    *ret_argv = shell;
    return "/bin/sh";
}

static void try_program(void)
{
    static char *env[] = {NULL};
    char **argv;
    const char *program = backend_trial_program(&argv);
    const struct backend_sink sink = {.cancel_fd = -1, .channel_fd = -1};
    const struct backend_job job = {.exec_path = program,
                                    .argv = argv,
                                    .env = env,
                                    .stdin_fd = -1,
                                    .channel = {-1, -1},
                                    .limits = {.wall_ms = TRIAL_MS},
                                    .layers = LAYERS_ALL & ~CGROUP_LAYERS};
    struct backend_outcome outcome = {0};
    struct backend_guest *guest = NULL;
    struct err err = {0};

    if (local_open(&job, &sink, &outcome, &guest, &err) == 0 && local_end(guest, &err) == 0)
        trial.held = outcome.held;
    else
        snprintf(trial.why_not, sizeof trial.why_not, "cannot run a program here: %.600s", err.msg);
    if (guest)
        local_close(guest);
}

static layer_mask held_here(layer_mask layers)
{
    static pthread_once_t groups = PTHREAD_ONCE_INIT, spaces = PTHREAD_ONCE_INIT;
    layer_mask held = 0;

    if (layers & CGROUP_LAYERS) {
        (void)pthread_once(&groups, look_at_groups);
        held |= groups_held;
    }
    if (layers & ~CGROUP_LAYERS) {
        (void)pthread_once(&spaces, try_program);
        held |= trial.held;
    }
    return held & layers;
}

layer_mask local_groups(void)
{
    return held_here(CGROUP_LAYERS);
}

/* ---- answers ---- */

/* True if the other way exists without the layers. */
static bool jail_has_instead(enum backend_ability ability)
{
    /* RLIMIT_NPROC counts the processes of a user, but not those of a root without capabilities. */
    if (ability == CAN_LIMIT_PIDS)
        return !caps_is_bare_root();
    if (ability == CAN_CLOSE_NET)
        return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
    return needs[ability].instead;
}

static const char no_commits[] = "makes no images of sessions, only backend docker does";

static const char no_pauses[] = "pauses no sessions, an idle one costs no processor time";

struct backend_need jail_need(enum backend_ability ability)
{
    if (ability == CAN_PAUSE)
        return (struct backend_need){.why_not = no_pauses};
    if (ability == CAN_COMMIT)
        return (struct backend_need){.why_not = no_commits};
    return (struct backend_need){.layers = jail_has_instead(ability) ? 0 : needs[ability].layers};
}

/* The host backend has no layers but control groups and limits of single processes. */
struct backend_need host_need(enum backend_ability ability)
{
    static const char *const never[BACKEND_ABILITIES] = {
        [CAN_FORKS] = "a session without a jail cannot be forked",
        [CAN_WARM] = "starts each program anew",
        [CAN_CLOSE_NET] = "cannot close the network",
        [CAN_NAMED_NET] = "cannot restrict the network to hosts by name",
        [CAN_LIMIT_INODES] = "cannot limit the number of files",
        [CAN_PAUSE] = no_pauses,
        [CAN_COMMIT] = no_commits,
    };
    /* RLIMIT_NPROC would count all processes of the user. */
    bool has_instead = needs[ability].instead && ability != CAN_LIMIT_PIDS;

    if (never[ability])
        return (struct backend_need){.why_not = never[ability]};
    return (struct backend_need){.layers = has_instead ? 0 : needs[ability].layers};
}

static struct backend_can look_for(enum backend_ability ability, struct backend_need found)
{
    const struct need *need = &needs[ability];
    layer_mask missing = need->layers & ~held_here(need->layers);

    if (!missing && need->ungrouped && local_groups() != CGROUP_LAYERS)
        return (struct backend_can){.how = need->ungrouped};
    if (!missing)
        return (struct backend_can){.how = need->how};
    if (!found.layers)
        return (struct backend_can){.how = need->instead, .lacking = missing};
    return (struct backend_can){.why_not = need->why_not, .lacking = missing};
}

struct backend_can jail_can(enum backend_ability ability)
{
    if (ability == CAN_RUN) {
        (void)held_here(LAYERS_ALL & ~CGROUP_LAYERS);
        return (struct backend_can){.why_not = trial.why_not[0] ? trial.why_not : NULL};
    }
    struct backend_need need = jail_need(ability);
    return need.why_not ? (struct backend_can){.why_not = need.why_not} : look_for(ability, need);
}

struct backend_can host_can(enum backend_ability ability)
{
    struct backend_need need = host_need(ability);

    if (need.why_not)
        return (struct backend_can){.why_not = need.why_not};
    if (ability == CAN_LIMIT_DISK)
        return (struct backend_can){.how = needs[CAN_LIMIT_DISK].instead};
    return look_for(ability, need);
}
