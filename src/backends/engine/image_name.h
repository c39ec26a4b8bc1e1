/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of container images.
 */
#ifndef ENGINE_IMAGE_NAME_H
#define ENGINE_IMAGE_NAME_H

#include "base/str.h"

/* The shortest name of the repository, which points into `image`: "python" also for
 * "docker.io/library/python:3.12-slim". Engines treat all such spellings as one name. */
struct str image_repository(const char *image);

#endif
