/* SPDX-License-Identifier: Apache-2.0
 *
 * The abilities of a sandbox of E2B. A check asks the service whether it accepts the key, once in a
 * process; a service without a key is not asked.
 */
#include <pthread.h>
#include <stdio.h>

#include "far/e2b_parts.h"

enum { TEXT_MAX = 700 };

static const struct far_ability abilities[BACKEND_ABILITIES] = {
    [CAN_NAMED_NET] = {.never = "cannot restrict the network to hosts by name"},
    [CAN_FORKS] = {.never = "a session in a sandbox of E2B cannot be forked"},
    [CAN_PACKAGES] = {.how = "with pip, once for each sandbox"},
    [CAN_COMMIT] = {.never = "makes no images of sessions, only backend docker does"},
    [CAN_PAUSE] = {.how = "by the service, with a copy of its memory"},
    [CAN_WARM] = {.never = "starts each program anew"},
    [CAN_HOST_NET] = {.how = "the sandbox's access to the internet"},
    [CAN_LIMIT_WALL] = {.held = true},
    [CAN_LIMIT_CPU_TIME] = {.how = "watched inside, some milliseconds late"},
    [CAN_LIMIT_MEMORY] = {.how = "watched inside, some milliseconds late; the template's own limit "
                                 "holds, too"},
    [CAN_LIMIT_PIDS] = {.how = "for the guest's user"},
    [CAN_LIMIT_CPUS] = {.never = "gives as many processors as its template has"},
    [CAN_CLOSE_NET] = {.layers = LAYER_BIT(LAYER_NETNS)},
    [CAN_LIMIT_DISK] = {.layers = LAYER_BIT(LAYER_ROOT),
                        .how = "for the workspace; /tmp and /dev/shm have as much each"},
    [CAN_LIMIT_INODES] = {.layers = LAYER_BIT(LAYER_ROOT),
                          .how = "for the workspace; /tmp and /dev/shm have as many each"},
    [CAN_LIMIT_OPEN_FILES] = {.held = true},
};

static char run[TEXT_MAX], why_not[TEXT_MAX];

static void e2b_can_look(void)
{
    struct e2b *e2b = NULL;
    struct err err;

    if (e2b_open(&e2b, &err) < 0 || e2b_check(e2b, &err) < 0)
        snprintf(why_not, sizeof why_not, "cannot run here: %.600s", err.msg);
    else
        snprintf(run, sizeof run, "%.600s", e2b_describe(e2b));
    e2b_close(e2b);
}

struct backend_need e2b_need(enum backend_ability ability)
{
    return far_need(abilities, ability);
}

/* Checks that the service accepts the key. */
static struct backend_can look_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, e2b_can_look);
    return why_not[0] ? (struct backend_can){.why_not = why_not} : (struct backend_can){.how = run};
}

struct backend_can e2b_can(enum backend_ability ability)
{
    struct backend_need need = e2b_need(ability);

    if (need.why_not)
        return (struct backend_can){.why_not = need.why_not};
    return ability == CAN_RUN ? look_once() : (struct backend_can){.how = abilities[ability].how};
}
