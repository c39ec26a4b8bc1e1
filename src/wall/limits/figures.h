/* SPDX-License-Identifier: Apache-2.0
 *
 * Figures of one jail that become part of a result: plain data, without the jail.
 */
#ifndef LIMITS_FIGURES_H
#define LIMITS_FIGURES_H

#include <stdint.h>

#include "limits/layers.h"

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
