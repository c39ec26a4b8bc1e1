/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of container images.
 */
#ifndef BASE_IMAGE_NAME_H
#define BASE_IMAGE_NAME_H

#include "base/str.h"

/* The shortest name of the repository, which is a part of the text: "python" also for
 * "docker.io/library/python:3.12-slim". Engines take all such spellings for one name. */
struct str image_repository(const char *image);

#endif
