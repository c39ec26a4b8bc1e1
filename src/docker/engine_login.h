/* SPDX-License-Identifier: Apache-2.0
 *
 * The user's login at a registry of images, from Docker's own configuration: `docker login` writes
 * it, or keeps it in a program docker-credential-NAME.
 */
#ifndef DOCKER_ENGINE_LOGIN_H
#define DOCKER_ENGINE_LOGIN_H

#include <stddef.h>

/* The value of X-Registry-Auth with which an engine may get this image; NULL without a login. The
 * caller frees it with engine_wipe. A configuration that cannot be read counts as none: most images
 * need no login. */
char *engine_login(const char *image);

/* The same for X-Registry-Config, in a build that starts from these images: the logins of their
 * registries, and no others. */
char *engine_logins(char *const *images, size_t n);

/* Frees a text with a secret, which is not left in memory; NULL is fine. */
void engine_wipe(char *secret);

#endif
