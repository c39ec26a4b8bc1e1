/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a sandbox, as its own user. Paths are absolute.
 */
#ifndef E2B_FILES_H
#define E2B_FILES_H

#include "e2b/sandbox.h"

enum e2b_entry_kind { E2B_ENTRY_FILE, E2B_ENTRY_FOLDER, E2B_ENTRY_LINK, E2B_ENTRY_OTHER };

struct e2b_entry {
    enum e2b_entry_kind kind;
    char *path;
    char *changed; /* its time, as the service writes it; "" for none */
    uint64_t size;
    unsigned mode; /* its permissions */
};
struct e2b_entries {
    struct e2b_entry *at;
    size_t n;
};

/* With its parents. One that is there already is emptied. */
int e2b_make_folder(struct e2b *e2b, const char *path, int cancel_fd, struct err *err);
/* Everything below the folder, to this depth; no link is followed. -1 also when a single name is
 * not UTF-8. */
int e2b_list_files(struct e2b *e2b, const char *folder, int depth, int cancel_fd,
                   struct e2b_entries *ret, struct err *err);
void e2b_entries_done(struct e2b_entries *entries);
/* Its bytes, at most `max`, into the descriptor. ERR_USAGE when there is no such file. */
int e2b_get_file(struct e2b *e2b, const char *path, int to, uint64_t max, int cancel_fd,
                 struct err *err);
/* Missing folders are made, and a file of that name is replaced. */
int e2b_put_own_file(struct e2b *e2b, const char *path, struct str bytes, int cancel_fd,
                     struct err *err);
/* A file, or an empty folder: ERR_USAGE for any other, and for none. */
int e2b_remove_file(struct e2b *e2b, const char *path, int cancel_fd, struct err *err);

#endif
