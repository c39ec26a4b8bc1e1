/* SPDX-License-Identifier: Apache-2.0
 *
 * What is around this process, and how to get a missing layer there: a container cannot get
 * namespaces by a sysctl of its own, and a host needs no options of docker.
 */
#ifndef JAIL_SURROUNDINGS_H
#define JAIL_SURROUNDINGS_H

#include "jail/layers.h"

enum surroundings {
    ON_HOST,
    IN_FILTER, /* a system call filter, but no other sign of a container: a service, say */
    IN_CHROOT,
    IN_CONTAINER,
    IN_KUBERNETES,
    SURROUNDINGS_COUNT
};

/* Looks at a few files, so not for each run. */
enum surroundings surroundings_find(void);
/* The same for the files below `root` ("" for the real ones). */
enum surroundings surroundings_find_in(const char *root);

/* "host", "filter", "chroot", "container", "kubernetes". */
const char *surroundings_name(enum surroundings where);
/* As a sentence needs it: "this host", "a container". */
const char *surroundings_title(enum surroundings where);

/* How to get what brings a layer. The same pointer for layers that come by the same means. */
const char *layer_how(enum jail_layer layer, enum surroundings where);
/* How to get all that a container or its like forbids, in one line. */
const char *wall_how(enum surroundings where);

#endif
