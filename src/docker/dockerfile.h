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

/* The images of its FROM lines and of COPY --from, with the defaults of the ARG lines before them;
 * each once, without the names of its own stages. Lines that are no Dockerfile are passed over. */
void dockerfile_images(struct str text, struct dockerfile_images *ret);
void dockerfile_images_done(struct dockerfile_images *images);

#endif
