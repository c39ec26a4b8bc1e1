/* SPDX-License-Identifier: Apache-2.0
 *
 * The abilities of a container. A check asks the engine for its version and its control groups,
 * once in a process.
 */
#include <pthread.h>
#include <stdio.h>

#include "base/mem.h"
#include "far/docker_parts.h"

enum { TEXT_MAX = 700 };

static const struct far_ability abilities[BACKEND_ABILITIES] = {
    [CAN_NAMED_NET] = {.never = "cannot restrict the network to hosts by name"},
    [CAN_FORKS] = {.never = "a session in a container cannot be forked"},
    [CAN_WARM] = {.how = "a container waits, mostly with its interpreter started"},
    [CAN_PACKAGES] = {.how = "with pip, into an image that is kept"},
    [CAN_PAUSE] = {.how = "by the engine"},
    [CAN_COMMIT] = {.how = "an image with the files of the workspace"},
    [CAN_LIMIT_WALL] = {.held = true},
    [CAN_LIMIT_CPU_TIME] = {.how = "watched inside, some milliseconds late"},
    [CAN_LIMIT_MEMORY] = {.layers = LAYER_BIT(LAYER_MEMORY),
                          .missing = "needs a control group for memory, and the engine has none"},
    [CAN_LIMIT_PIDS] = {.layers = LAYER_BIT(LAYER_PIDS),
                        .missing = "needs a control group for processes, and the engine has none"},
    [CAN_LIMIT_CPUS] = {.layers = LAYER_BIT(LAYER_CPU),
                        .missing = "needs a control group for processors, and the engine has none"},
    [CAN_LIMIT_DISK] = {.how = "for the workspace; /tmp and /dev/shm have as much each"},
    [CAN_LIMIT_INODES] = {.how = "for the workspace; /tmp and /dev/shm have as many each"},
    [CAN_LIMIT_OPEN_FILES] = {.held = true},
};

/* ---- the check ---- */

static struct {
    char run[TEXT_MAX], why_not[TEXT_MAX];
    layer_mask lacking;
    json_t *about;
} found;

static void look_at_groups(struct engine *engine)
{
    static const struct {
        const char *key;
        enum jail_layer layer;
    } groups[] = {
        {"MemoryLimit", LAYER_MEMORY}, {"PidsLimit", LAYER_PIDS}, {"CpuCfsQuota", LAYER_CPU}};
    struct engine_answer answer;
    struct err err;

    if (engine_ask(engine, &(struct engine_ask){.method = "GET", .path = "/info"}, &answer, &err) <
        0)
        return;
    for (size_t i = 0; i < ARRAY_LEN(groups); i++)
        if (json_is_false(json_object_get(answer.json, groups[i].key)))
            found.lacking |= LAYER_BIT(groups[i].layer);
    engine_answer_done(&answer);
}

static void docker_can_look(void)
{
    struct engine *engine = NULL;
    struct err err;

    if (engine_open(&engine, &err) < 0) {
        snprintf(found.why_not, sizeof found.why_not, "cannot run here: %.600s", err.msg);
        return;
    }
    snprintf(found.run, sizeof found.run, "%.600s", engine_describe(engine));
    look_at_groups(engine);
    if (engine_about(engine, &found.about, &err) < 0)
        found.about = NULL;
    engine_close(engine);
}

static void look_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, docker_can_look);
}

/* ---- answers ---- */

json_t *docker_about(void)
{
    look_once();
    return json_deep_copy(found.about);
}

struct backend_need docker_need(enum backend_ability ability)
{
    return far_need(abilities, ability);
}

struct backend_can docker_can(enum backend_ability ability)
{
    struct backend_need need = docker_need(ability);

    if (need.why_not)
        return (struct backend_can){.why_not = need.why_not};
    if (ability != CAN_RUN && !need.layers)
        return (struct backend_can){.how = abilities[ability].how};
    look_once();
    if (ability == CAN_RUN)
        return found.why_not[0] ? (struct backend_can){.why_not = found.why_not}
                                : (struct backend_can){.how = found.run};
    if (need.layers & found.lacking)
        return (struct backend_can){.why_not = abilities[ability].missing,
                                    .lacking = need.layers & found.lacking};
    return (struct backend_can){0};
}
