/* SPDX-License-Identifier: Apache-2.0
 *
 * The user's login at a registry of images, from Docker's own configuration: `docker login` writes
 * it, or keeps it in a program docker-credential-NAME.
 */
#ifndef DOCKER_ENGINE_LOGIN_H
#define DOCKER_ENGINE_LOGIN_H

#include <stddef.h>

/* What an engine wants in X-Registry-Auth to get this image; NULL without a login. The caller's,
 * for engine_wipe. A configuration that cannot be read counts as none: most images need no login.
 */
char *engine_login(const char *image);

/* The same for X-Registry-Config, in a build that begins with these images: the login of each of
 * their registries, and of no other. */
char *engine_logins(char *const *images, size_t n);

/* Frees a text with a secret, which is not left in memory; NULL is fine. */
void engine_wipe(char *secret);

#endif
