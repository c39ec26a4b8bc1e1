/* SPDX-License-Identifier: Apache-2.0
 *
 * What a Dockerfile builds on, as far as it has to be known before the engine reads it.
 */
#ifndef DOCKER_DOCKERFILE_H
#define DOCKER_DOCKERFILE_H

#include <stddef.h>

#include "base/str.h"

enum { DOCKERFILE_IMAGES_MAX = 16 };

struct dockerfile_images {
    char *names[DOCKERFILE_IMAGES_MAX];
    size_t n;
};

/* The images of its FROM lines and of COPY --from, each once, without the names of its own stages.
 * Variables have the defaults of the ARG lines above the first FROM. Invalid lines are skipped. */
void dockerfile_images(struct str text, struct dockerfile_images *ret);
void dockerfile_images_done(struct dockerfile_images *images);

#endif
