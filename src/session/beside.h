/* SPDX-License-Identifier: Apache-2.0
 *
 * What can run with a program and is not its code: modules in the workspace, and the texts of the
 * request (struct beside_text). This is the one place that finds them where nothing may run unread
 * (run_request.reads_beside); check.h's `examine` has them read.
 *
 * A file is code by its name (languages/code_files.h) or by its content: machine code and archives
 * of modules have the same beginning under any name. A text goes to the guard and the reviewer;
 * everything else is refused. A link can lead to a file that is not looked at, so one that could be
 * a module is refused, too.
 */
#ifndef SESSION_BESIDE_H
#define SESSION_BESIDE_H

#include "base/sha256.h"
#include "guard/guard.h"
#include "request/request.h"
#include "workspace/workspace.h"

/* When the looking at files ends early: ERR_TIMEOUT. */
struct beside_stop {
    int cancel_fd;    /* readable: give it up; -1 for none */
    int64_t until_ms; /* of clock_mono_ms; 0: no limit */
};

struct beside_file; /* the memory of a text that was read from a file */

struct beside {
    struct beside_text *at;
    size_t n;
    struct beside_file *files;
    size_t file_count;
    size_t bytes;  /* of the files' texts */
    uint64_t read; /* of all files, data among them */
    bool reviews;  /* a reviewer reads them, so that other languages' files count as well */
    const struct beside_stop *stop; /* NULL: never */
};

/* The sums of texts that were read and allowed: they are not judged again. In order. All are
 * forgotten when they would be more than 20 000. */
struct beside_known {
    char (*sums)[SHA256_HEX];
    size_t n;
};

/* Adds a text, which is lent. */
void beside_add(struct beside *b, const struct beside_text *text);
/* The request's own: its `beside`, and for a reviewer the client's prelude. */
void beside_add_request(struct beside *b, const struct run_request *q);
/* Files. `known` may be NULL. -1 with *err when they cannot be looked at, are more than 64 MiB of
 * text that is not known, or take more than 256 MiB of reading in all: then nothing may run. */
int beside_add_laid(struct beside *b, const struct lay_list *laid, struct err *err);
int beside_add_folder(struct beside *b, int root_fd, const struct beside_known *known,
                      struct err *err);
int beside_add_file(struct beside *b, const char *path, int fd, struct err *err);
/* The verdict of an allowed program, once what runs with it was read: the first text that is
 * refused refuses all. Without a policy, only what cannot be read is refused. */
void beside_judge(const struct beside *b, const struct policy *policy,
                  const struct guard_input *program, struct verdict *v);
void beside_done(struct beside *b);

/* Call after the files of `b` were allowed. */
void beside_learn(struct beside_known *known, const struct beside *b);
void beside_known_done(struct beside_known *known);

#endif
