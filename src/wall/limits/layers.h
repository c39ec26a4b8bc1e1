/* SPDX-License-Identifier: Apache-2.0
 *
 * The layers of the wall, by name. A run requests a set of layers and gets a set; its result lists
 * those that held. All properties of a layer (its effect, the loss without it, its means) are in
 * one table, which `doctor`, `--require` and the documentation read.
 */
#ifndef LIMITS_LAYERS_H
#define LIMITS_LAYERS_H

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

/* The means that a layer needs; surroundings.h describes how to get it. */
enum layer_means {
    MEANS_NONE, /* the layer needs nothing */
    MEANS_NAMESPACES,
    MEANS_PROC, /* an unmasked /proc */
    MEANS_GROUPS,
    MEANS_SECCOMP,
    MEANS_LANDLOCK,
    LAYER_MEANS_COUNT
};

struct layer_info {
    const char *name;
    const char *does;    /* its effect, in half a line */
    const char *without; /* the loss without it */
    enum layer_means means;
    bool essential; /* the default policy does not hold without it */
};

extern const struct layer_info jail_layers[LAYER_COUNT];

/* Parses "seccomp,landlock" into a mask; "namespaces" and "cgroup" are groups of layers, "all" is
 * every layer, "default" are the essential ones. */
int layers_parse(struct str list, layer_mask *ret, struct err *err);

#endif
