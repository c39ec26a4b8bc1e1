/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts that can run with a program and are not its code: modules in the workspace, and the texts
 * of the request (struct beside_text). Where nothing may run unread (run_request.reads_beside),
 * only this code finds them, and `examine` (check.h) gets the verdict on them.
 *
 * A file is code by its name (languages/code_files.h) or by its content: machine code and archives
 * of modules have the same beginning under any name. A text goes to the guard and the reviewer;
 * everything else is refused. A program can load a text under any name (`source("a.txt")`), so the
 * reviewer gets small texts that count as data, too, and the names of other files. A link can lead
 * to a file that is not looked at, so one that could be a module is refused, too.
 */
#ifndef RUN_BESIDE_H
#define RUN_BESIDE_H

#include "base/sha256.h"
#include "guard/guard.h"
#include "request/request.h"
#include "workspace/workspace.h"

/* Stops the search of files: it then returns ERR_TIMEOUT. */
struct beside_stop {
    int cancel_fd;    /* readable: stop; -1 for none */
    int64_t until_ms; /* of clock_mono_ms; 0: no limit */
};

struct beside_file; /* the memory of a text that comes from a file */

struct beside {
    struct beside_text *at;
    size_t n;
    struct beside_file *files;
    size_t file_count;
    size_t bytes;       /* size of the texts of all files */
    uint64_t read;      /* bytes read of all files, including data */
    bool reviews;       /* there is a reviewer, so files of other languages count as code, too */
    size_t shown, told; /* for the reviewer: bytes of other files' texts, and number of files that
                           are only named */
    const struct beside_stop *stop; /* NULL: it never stops */
};

/* The hashes of texts that were read and allowed, sorted: these texts are not judged again. All are
 * forgotten when there would be more than 20 000. */
struct beside_known {
    char (*sums)[SHA256_HEX];
    size_t n;
};

/* Adds a text, which the caller lends. */
void beside_add(struct beside *b, const struct beside_text *text);
/* Adds the request's texts: its `beside`, and for a reviewer the client's prelude. */
void beside_add_request(struct beside *b, const struct run_request *q);
/* Adds files. `known` may be NULL. -1 with *err if they cannot be read, have more than 64 MiB of
 * unknown text, or need more than 256 MiB of reading in total: then nothing may run. */
int beside_add_laid(struct beside *b, const struct lay_list *laid, struct err *err);
int beside_add_folder(struct beside *b, int root_fd, const struct beside_known *known,
                      struct err *err);
int beside_add_file(struct beside *b, const char *path, int fd, struct err *err);
/* Judges all that runs with an allowed program, and sets the verdict: the first refused text
 * refuses the whole program. Without a policy, only text that cannot be read is refused. */
void beside_judge(const struct beside *b, const struct policy *policy,
                  const struct guard_input *program, struct verdict *v);
void beside_done(struct beside *b);

/* Call after the files of `b` were allowed. */
void beside_learn(struct beside_known *known, const struct beside *b);
void beside_known_done(struct beside_known *known);

#endif
