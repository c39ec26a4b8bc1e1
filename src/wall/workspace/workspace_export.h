/* SPDX-License-Identifier: Apache-2.0
 *
 * Brings a guest's file out: reads it once, and meanwhile computes its SHA-256 and copies it into
 * the target folders.
 */
#ifndef WORKSPACE_WORKSPACE_EXPORT_H
#define WORKSPACE_WORKSPACE_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/sha256.h"
#include "formats/mime.h"
#include "jail/lay.h"
#include "workspace/workspace.h"

/* ---- workspace_export.c: a file on its way to a target folder ---- */

struct export
{
    struct lay_place place;
    const struct lay_list *laid; /* its withheld files are not replaced; or NULL */
    const char *label;           /* the target's name in messages */
    int fd;                      /* the temporary file, -1 for none */
    int parent;                  /* its folder; `place` owns it */
    char temp[48];
    unsigned long counter;
};

/* These return 0, 1 when only this path cannot be written there (reason in *ret_why), -1 when the
 * target failed. */
void export_init(struct export *x, int dirfd, const char *label);
void export_done(struct export *x); /* cancels as well */
int export_begin(struct export *x, struct str path, unsigned mode, enum skip_reason *ret_why,
                 struct err *err);
int export_write(struct export *x, struct str path, const void *p, size_t n, struct err *err);
int export_rewind(struct export *x, struct str path, struct err *err);
int export_commit(struct export *x, struct str path, enum skip_reason *ret_why, struct err *err);
/* Writes a complete file with these bytes; leaves none if it fails. */
int export_file(struct export *x, struct str path, unsigned mode, struct str content,
                enum skip_reason *ret_why, struct err *err);
void export_cancel(struct export *x); /* may be called when nothing was begun */
int export_folder(struct export *x, struct str path, enum skip_reason *ret_why, struct err *err);
/* Removes a file or an empty folder; a missing one, or one of the other type, is ignored. */
int export_remove(struct export *x, struct str path, bool is_dir, struct err *err);
/* True if the target must not get a file of this name from a guest. */
bool export_is_config(struct str path);

/* ---- workspace_read.c: a guest's file read once: its SHA-256, its first bytes, its copies ---- */

struct content {
    uint64_t size;
    char sha256[SHA256_HEX];
    char head[MIME_HEAD];
    size_t head_n;
};

#define READER_TARGETS 2
struct file_reader {
    struct str path;                       /* of the file, for messages */
    struct export targets[READER_TARGETS]; /* targets that were begun (fd >= 0) get the bytes */
    unsigned target_count;
    char *chunk;
};

enum reading {
    READ_DONE,
    READ_CHANGED,
    READ_TOO_LARGE,
    READ_FAILED /* errno */,
    READ_FATAL /* err */
};

void file_reader_init(struct file_reader *r);
void file_reader_done(struct file_reader *r); /* frees its targets as well */
/* READ_CHANGED when the file differs from `st` before or after the read. Reads at most one byte
 * beyond the size in `st`. READ_FATAL when a target failed. */
enum reading file_reader_once(struct file_reader *r, int fd, const struct stat *st,
                              struct content *ret, struct err *err);
/* As file_reader_once, tried again if the file changed. READ_TOO_LARGE beyond max_bytes (ret->size
 * is set). */
enum reading file_reader_twice(struct file_reader *r, int fd, uint64_t max_bytes,
                               struct content *ret, struct err *err);

#endif
