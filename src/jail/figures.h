/* SPDX-License-Identifier: Apache-2.0
 *
 * Figures of one jail that reach a result: plain data, without the jail.
 */
#ifndef JAIL_FIGURES_H
#define JAIL_FIGURES_H

#include <stdint.h>

#include "jail/layers.h"

struct jail_denial {
    char name[48];
    uint64_t count;
};

struct jail_lost {
    layer_mask layers;
    char why[200];
};

#define JAIL_LOST_MAX   4
#define JAIL_DENIED_MAX 49

#endif
