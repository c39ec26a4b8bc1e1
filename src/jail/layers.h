/* SPDX-License-Identifier: Apache-2.0
 *
 * The layers of the wall, by name. A run asks for a set of them, gets a set, and its result says
 * which held. Everything that is per layer (what it does, what is lost without it, what brings it)
 * is in one table, which `doctor`, `--require` and the documentation read.
 */
#ifndef JAIL_LAYERS_H
#define JAIL_LAYERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum jail_layer {
    LAYER_USERNS,
    LAYER_PIDNS,
    LAYER_MOUNTNS,
    LAYER_NETNS,
    LAYER_IPCNS,
    LAYER_UTSNS,
    LAYER_CGROUPNS,
    LAYER_ROOT, /* pivot_root onto a minimal root */
    LAYER_PROC, /* a /proc of its own */
    LAYER_CAPS,
    LAYER_NNP,
    LAYER_SECCOMP,
    LAYER_LANDLOCK,
    LAYER_MEMORY, /* cgroup limits */
    LAYER_PIDS,
    LAYER_CPU,
    LAYER_RLIMITS,
    LAYER_COUNT
};

typedef uint32_t layer_mask;
#define LAYER_BIT(layer) ((layer_mask)1 << (layer))
#define LAYERS_ALL       (LAYER_BIT(LAYER_COUNT) - 1)

/* What brings a layer; surroundings.h says how to get it. */
enum layer_means {
    MEANS_NONE, /* it is always there */
    MEANS_NAMESPACES,
    MEANS_PROC, /* an unmasked /proc */
    MEANS_GROUPS,
    MEANS_SECCOMP,
    MEANS_LANDLOCK,
    LAYER_MEANS_COUNT
};

struct layer_info {
    const char *name;
    const char *does;    /* what it does, half a line */
    const char *without; /* what is lost when it is absent */
    enum layer_means means;
    bool essential; /* the default policy does not hold without it */
};

extern const struct layer_info jail_layers[LAYER_COUNT];

/* "seccomp,landlock" as a mask; "namespaces" and "cgroup" name groups, "all" everything,
 * "default" those that are essential. */
int layers_parse(struct str list, layer_mask *ret, struct err *err);

#endif
