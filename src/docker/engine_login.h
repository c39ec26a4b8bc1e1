/* SPDX-License-Identifier: Apache-2.0
 *
 * The user's login at a registry of images, from Docker's own configuration: `docker login` writes
 * it, or keeps it in a program docker-credential-NAME.
 */
#ifndef DOCKER_ENGINE_LOGIN_H
#define DOCKER_ENGINE_LOGIN_H

/* What an engine wants in X-Registry-Auth to get this image; NULL without a login. The caller wipes
 * and frees. A configuration that cannot be read counts as none: most images need no login. */
char *engine_login(const char *image);

#endif
