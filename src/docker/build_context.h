/* SPDX-License-Identifier: Apache-2.0
 *
 * The context of an image's build: a Dockerfile, and the folder that it copies from, as a tar
 * archive. Equal files give equal bytes, whatever their times and owners, so the archive's sum
 * names the image.
 *
 * Everything in the folder is taken that its .dockerignore (or NAME.dockerignore for a Dockerfile
 * of that name) does not leave out: files, folders, and links as links. No link is followed, so
 * nothing outside of the folder is read. Pipes, sockets and devices are left out.
 */
#ifndef DOCKER_BUILD_CONTEXT_H
#define DOCKER_BUILD_CONTEXT_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/sha256.h"
#include "base/str.h"

#define CONTEXT_BYTES_MAX ((uint64_t)1 << 30)
enum { CONTEXT_ENTRIES_MAX = 100000, CONTEXT_DEPTH_MAX = 100, DOCKERFILE_MAX = 1 << 20 };

struct build_context {
    int fd; /* an unnamed file with the archive, at its start */
    uint64_t size;
    char sum[SHA256_HEX]; /* of the archive and of the Dockerfile's name */
    char *dockerfile;     /* its name in the archive */
    struct buf text;      /* of the Dockerfile */
};

/* `path` is a Dockerfile, or a folder with one. A named file that copies nothing is sent without
 * its folder. ERR_USAGE when it is missing or no such file, ERR_LIMIT beyond a ceiling. */
int build_context_make(const char *path, struct build_context *ret, struct err *err);
/* The text of a Dockerfile, and these files, if it copies any. Their names are relative paths
 * without "..". */
int build_context_of(struct str dockerfile, const struct named_bytes *files, size_t file_count,
                     struct build_context *ret, struct err *err);
/* The files and folders of a folder, which the archive has under this name (no link is taken), and
 * a link to it. There is no Dockerfile. */
int build_context_tree(int folder, const char *name, const char *link, struct build_context *ret,
                       struct err *err);
void build_context_done(struct build_context *context); /* after {.fd = -1}, too */

#endif
