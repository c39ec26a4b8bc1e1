/* SPDX-License-Identifier: Apache-2.0
 *
 * The surroundings of this process (host, container, ...), and how to get a missing layer there: a
 * container cannot get namespaces by a sysctl of its own, and a host needs no docker options.
 */
#ifndef JAIL_SURROUNDINGS_H
#define JAIL_SURROUNDINGS_H

#include "limits/layers.h"

enum surroundings {
    ON_HOST,
    IN_FILTER, /* a system call filter, but no other sign of a container: for example a service */
    IN_CHROOT,
    IN_CONTAINER,
    IN_KUBERNETES,
    SURROUNDINGS_COUNT
};

/* Reads a few files, so do not call it for each run. */
enum surroundings surroundings_find(void);
/* The same for the files below `root` ("" for the real ones). */
enum surroundings surroundings_find_in(const char *root);

/* "host", "filter", "chroot", "container", "kubernetes". */
const char *surroundings_name(enum surroundings where);
/* For use in a sentence: "this host", "a container". */
const char *surroundings_title(enum surroundings where);

/* How to get the layer's means (layers.h). Returns the same pointer for layers with the same
 * means. */
const char *layer_how(enum jail_layer layer, enum surroundings where);
/* How to get everything that a container or a similar environment forbids, in one line. */
const char *wall_how(enum surroundings where);

#endif
