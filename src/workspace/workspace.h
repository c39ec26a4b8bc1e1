/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a run, from the host's side: what is laid into the guest's workspace before it
 * starts, and what is new or changed there when every one of its processes is dead.
 *
 *     struct lay_list *in = lay_list_new(disk_limit, inode_limit);
 *     lay_add_file(in, "data.csv", &err);  ...  lay_add_program(in, ...);
 *     lay_send(in, pipe, &err);                           -- while the jail's init does lay_receive
 *     ...
 *     workspace_collect(&options, root_fd, in, &out, &err);
 *     file_set_done(&out);  lay_list_free(in);
 *
 * The stream between lay_send and lay_receive is described in jail/lay.h.
 *
 * Everything in the workspace is hostile by the time it is collected: links, pipes, giants, odd
 * names, trees deeper than any path. It is walked by descriptor, no link is followed, and each
 * quantity has a ceiling. Paths that come back are raw bytes: escape them before a terminal or JSON
 * sees them.
 */
#ifndef WORKSPACE_WORKSPACE_H
#define WORKSPACE_WORKSPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/sha256.h"
#include "base/str.h"

/* What was not taken along, on the way in or out, and why. */
enum skip_reason {
    SKIP_SYMLINK,
    SKIP_FIFO,
    SKIP_SOCKET,
    SKIP_DEVICE,
    SKIP_OTHER_FS,   /* something was mounted there */
    SKIP_TOO_LARGE,  /* more than what is left of the byte limit; `size` says how large */
    SKIP_TOO_MANY,   /* of files, or of things to look at */
    SKIP_TOO_DEEP,   /* said once */
    SKIP_LONG_PATH,  /* over 4095 bytes */
    SKIP_UNREADABLE, /* `sys` says why */
    SKIP_CHANGED,    /* while it was read, twice */
    SKIP_IN_THE_WAY, /* the target has a folder where this is a file, or the other way round */
    SKIP_BAD_NAME,   /* the target's file system does not take the name */
    SKIP_CACHE,      /* __pycache__, on the way out */
    SKIP_CONFIG,     /* would configure glovebox itself */
    SKIP_REPLACED, /* on the way in: an input of the same name hides this file of the work folder */
    SKIP_WITHHELD, /* says what is expected of the guest, or judges it */
    SKIP_KEPT,     /* gone inside, but kept outside, because not everything could be brought out */
    SKIP_REASONS
};

struct file_skip {
    char *path; /* NUL-terminated for convenience; NULs cannot occur inside */
    size_t path_len;
    enum skip_reason reason;
    int sys;
    uint64_t size;
};

#define SKIP_MAX 100
struct skip_list {
    struct file_skip *items; /* at most SKIP_MAX */
    size_t count;
    size_t more; /* that were not kept */
};

/* "larger than the limit (200m)", "unreadable: Permission denied"; returns out. */
char *file_skip_describe(const struct file_skip *skip, char *out, size_t n);

/* ---- In ---- */

struct lay_list;

/* Ceilings for all that will be added together: bytes as a tmpfs counts them (whole pages), and
 * files and folders. 0 means no limit (for entries: a million). */
struct lay_list *lay_list_new(uint64_t max_bytes, size_t max_entries);
void lay_list_free(struct lay_list *list);
/* One file after the other that was given for this run, not found in the work folder: begin with
 * *at 0. False at the end. */
bool lay_list_next(const struct lay_list *list, size_t *at, struct str *ret_path);
/* Links and the like that folders held and that were left out. */
const struct skip_list *lay_list_skipped(const struct lay_list *list);

/* The adding functions fail with ERR_USAGE when a name is not a relative path inside the workspace,
 * or two inputs clash; with ERR_LIMIT beyond a ceiling; with ERR_SYSTEM when something named by the
 * caller cannot be read. After a failure the list is good for freeing only. Bytes are copied. */
int lay_add_bytes(struct lay_list *list, struct str name, struct str bytes, unsigned mode,
                  struct err *err);
/* The run's own text, after all other inputs. It never hides one of them: where the name is taken,
 * it is "main_1.py", "main_2.py" ... An input with the content `own` is the program itself, as the
 * user keeps it, and gives way. *ret_name is where it lies, for the caller to free. It comes back
 * only when the guest changed it. */
int lay_add_program(struct lay_list *list, struct str name, struct str bytes, struct str own,
                    char **ret_name, struct err *err);
/* --file SRC[:NAME]. SRC is a file, or a folder with everything in it; NAME its path inside, by
 * default SRC's last component. The last colon separates them. Of a folder only regular files and
 * folders are taken; links are skipped even when they stay inside. Content is read by lay_send. */
int lay_add_file(struct lay_list *list, const char *spec, struct err *err);
/* --work-dir DIR: everything in a folder that outlives the run. Other inputs win over files of the
 * same name in it. The descriptor stays the caller's and must stay open until the list is freed. */
int lay_add_tree(struct lay_list *list, int host_dirfd, struct err *err);

/* A host file that says what is expected of the guest, or judges it: folders that are added later
 * are laid without it, and workspace_collect does not replace it. One that is not there is ignored.
 */
void lay_withhold(struct lay_list *list, const char *path);

/* Writes the stream, to a blocking descriptor, and learns the content's SHA-256 on the way. A host
 * file that is no longer as large as when it was added is ERR_SYSTEM naming it. The caller has
 * SIGPIPE ignored: a reader that went away is ERR_SYSTEM with sys EPIPE (its own words tell more).
 */
int lay_send(struct lay_list *list, int fd, struct err *err);

/* ---- Out ---- */

enum file_change {
    FILE_NEW,
    FILE_MODIFIED, /* was laid in; its content differs, or it was a folder and is a file now */
    FILE_DELETED,  /* was laid in from the work folder */
};
const char *file_change_name(enum file_change change); /* "new", "modified", "deleted" */

struct file_entry {
    char *path; /* relative, '/' between components and after a folder; raw bytes, NUL-terminated */
    size_t path_len;
    uint64_t size;
    char sha256[SHA256_HEX]; /* empty for folders and deleted files */
    const char *mime;        /* a constant */
    enum file_change change;
    unsigned mode; /* permission bits as the guest left them */
    bool is_dir;   /* only folders that are new and empty are told */
};

struct file_set {
    struct file_entry *entries; /* sorted by the bytes of path */
    size_t count;
    uint64_t bytes;
    struct skip_list skipped;
    bool complete; /* no content was left behind; links and devices are not content */
};

void file_set_done(struct file_set *set);

/* A field of 0 in the limits means the default. */
struct collect_options {
    size_t max_files;         /* new, modified and deleted; 10 000 */
    uint64_t max_total_bytes; /* of their content, a hard link counted at each name; 256 MiB */
    unsigned max_depth;       /* folders above a file; 128, one descriptor each, at most 512 */
    uint64_t max_visited;     /* directory entries looked at; 1 000 000 */

    /* Folders that new and modified files are copied to (see workspace_open_dir), -1 for none. From
     * work_dirfd, files that were laid in from it and are gone are removed too. */
    int out_dirfd;
    int work_dirfd;
    /* The init said that it had laid everything. Without it a missing file is not a deleted one. */
    bool was_laid;
};

/* Walks the workspace and fills *ret. `laid` may be NULL. `__pycache__` folders and *.pyc files are
 * passed over. Files are read once, copied while they are read, and appear in a target under their
 * name only when complete; links in a target are replaced or refused, never followed; setuid bits
 * are dropped and the umask applies. A single file that cannot be had is skipped and said. -1 only
 * when root_fd itself cannot be read, or a target fails (full, read-only): what was already written
 * stays there. */
int workspace_collect(const struct collect_options *options, int root_fd, struct lay_list *laid,
                      struct file_set *ret, struct err *err);

/* A folder given by the user (links in the path are followed); with `create` a missing one is made,
 * mode 0755 less the umask, its parent must exist. The descriptor is the caller's. ERR_USAGE when
 * it is missing or is not a folder. */
int workspace_open_dir(const char *path, bool create, struct err *err);

#endif
