/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a run, from the host's side: files that are laid into the guest's workspace before
 * it starts, and new or changed files that are read there when all its processes are dead.
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
 * Everything in the workspace is hostile when it is collected: links, pipes, giants, odd names,
 * trees deeper than any path. The tree is walked by descriptor, no link is followed, and each
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

/* A file that was left out, on the way in or out, and the reason. */
enum skip_reason {
    SKIP_SYMLINK,
    SKIP_FIFO,
    SKIP_SOCKET,
    SKIP_DEVICE,
    SKIP_OTHER_FS,   /* something was mounted there */
    SKIP_TOO_LARGE,  /* more than the rest of the byte limit; `size` is set */
    SKIP_TOO_MANY,   /* files, or entries to look at */
    SKIP_TOO_DEEP,   /* reported once */
    SKIP_LONG_PATH,  /* over 4095 bytes */
    SKIP_UNREADABLE, /* `sys` has the errno */
    SKIP_CHANGED,    /* it changed twice while it was read */
    SKIP_IN_THE_WAY, /* the target has a folder where this is a file, or the other way round */
    SKIP_BAD_NAME,   /* the target's file system does not take the name */
    SKIP_CACHE,      /* __pycache__, on the way out */
    SKIP_CONFIG,     /* would configure glovebox itself */
    SKIP_REPLACED, /* on the way in: an input of the same name hides this file of the work folder */
    SKIP_WITHHELD, /* contains expected results, or judges the guest */
    SKIP_KEPT, /* deleted inside, but kept outside, because some content could not be brought out */
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
    size_t more; /* number of skipped files beyond SKIP_MAX */
};

/* "larger than the limit (200m)", "unreadable: Permission denied"; returns out. */
char *file_skip_describe(const struct file_skip *skip, char *out, size_t n);

/* ---- In ---- */

struct lay_list;

/* Ceilings for the sum of all entries: bytes as a tmpfs counts them (whole pages), and files and
 * folders. 0 means no limit (for entries: a million). */
struct lay_list *lay_list_new(uint64_t max_bytes, size_t max_entries);
void lay_list_free(struct lay_list *list);
/* Iterates over the files that were given for this run, without those of the work folder: begin
 * with *at 0. False at the end. */
bool lay_list_next(const struct lay_list *list, size_t *at, struct str *ret_path);
/* The folder of the workspace that a user names: *ret is its path in the workspace, "" for the
 * workspace itself. The name is relative, or the absolute path in a jail. -1 with ERR_USAGE for a
 * folder elsewhere. */
int workspace_folder(struct str named, struct str *ret, struct err *err);
/* -1 with ERR_USAGE if the list has no such folder. "" is always there. */
int lay_list_find_folder(const struct lay_list *list, struct str folder, struct err *err);
/* Links and other special files in folders, which were left out. */
const struct skip_list *lay_list_skipped(const struct lay_list *list);

/* The adding functions fail with ERR_USAGE when a name is not a relative path inside the workspace,
 * or two inputs clash; with ERR_LIMIT beyond a ceiling; with ERR_SYSTEM when a file that the caller
 * named cannot be read. After a failure the list can only be freed. Bytes are copied. */
int lay_add_bytes(struct lay_list *list, struct str name, struct str bytes, unsigned mode,
                  struct err *err);
/* A folder that stays empty if nothing else is laid in it. */
int lay_add_folder(struct lay_list *list, struct str name, struct err *err);
/* Adds the run's own text, after all other inputs. It never hides one of them: if the name is
 * taken, the text becomes "main_1.py", "main_2.py" ... An input with the content `own` is the
 * user's file of the program, and is replaced. *ret_name is the path of the text; the caller frees
 * it. The text is collected only if the guest changed it. */
int lay_add_program(struct lay_list *list, struct str name, struct str bytes, struct str own,
                    char **ret_name, struct err *err);
/* The SRC of "SRC[:NAME]", for the caller to free; *ret_name is the NAME, by default SRC's last
 * component, and points into the spec or the result. */
char *file_spec_source(const char *spec, struct str *ret_name);
/* --file SRC[:NAME]. SRC is a file, or a folder with everything in it; NAME is its path inside, by
 * default SRC's last component. The last colon separates them. From a folder, only regular files
 * and folders are taken; links are skipped even when they stay inside. lay_send reads the
 * content. */
int lay_add_file(struct lay_list *list, const char *spec, struct err *err);
/* --work-dir DIR: everything in a folder that outlives the run. Other inputs replace files of the
 * same name in it. The caller keeps the descriptor, which must stay open until the list is
 * freed. */
int lay_add_tree(struct lay_list *list, int host_dirfd, struct err *err);

/* Withholds a host file that contains expected results, or judges the guest: folders that are added
 * later are laid without it, and workspace_collect does not replace it. Ignores a missing file. */
void lay_withhold(struct lay_list *list, const char *path);

/* Writes the stream to a blocking descriptor, and computes the SHA-256 of the content. A host file
 * whose size has changed since it was added is ERR_SYSTEM with its name. The caller must ignore
 * SIGPIPE: if the reader is gone, this is ERR_SYSTEM with sys EPIPE (the reader's own message says
 * more). */
int lay_send(struct lay_list *list, int fd, struct err *err);

/* Adds the paths, modes and content of all entries to the hash, as lay_send would send them. The
 * list must not have more than max_bytes of content: ERR_LIMIT. */
int lay_identify(struct lay_list *list, uint64_t max_bytes, struct sha256 *sum, struct err *err);

/* ---- Out ---- */

enum file_change {
    FILE_NEW,
    FILE_MODIFIED, /* was laid in; its content differs, or it was a folder and is now a file */
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
    bool is_dir;   /* only new and empty folders are listed */
};

struct file_set {
    struct file_entry *entries; /* sorted by the bytes of path */
    size_t count;
    uint64_t bytes;
    struct skip_list skipped;
    bool complete; /* no content was lost; links and devices do not count as content */
};

void file_set_done(struct file_set *set);

/* A field of 0 in the limits means the default. */
struct collect_options {
    size_t max_files;         /* new, modified and deleted; 10 000 */
    uint64_t max_total_bytes; /* of their content, a hard link counted at each name; 256 MiB */
    unsigned max_depth;       /* folders above a file; 128, one descriptor each, at most 512 */
    uint64_t max_visited;     /* directory entries looked at; 1 000 000 */

    /* Folders that receive copies of new and modified files (see workspace_open_dir), -1 for none.
     * Files that were laid in from work_dirfd and are gone inside are also removed from it. */
    int out_dirfd;
    int work_dirfd;
    /* The init has reported that it laid all files. Without this report, a missing file does not
     * count as deleted. */
    bool was_laid;
    /* When this descriptor becomes readable, the caller no longer waits for a workspace that comes
     * from another machine. NULL: there is none. */
    const int *cancel_fd;
};

/* Walks the workspace and fills *ret. `laid` may be NULL. `__pycache__` folders and *.pyc files are
 * passed over. Files are read once, copied while they are read, and appear in a target under their
 * name only when complete; links in a target are replaced or refused, never followed; setuid bits
 * are dropped and the umask applies. A file that cannot be read is skipped and reported. -1 only
 * when root_fd itself cannot be read, or a target fails (full, read-only): files that were already
 * written stay there. */
int workspace_collect(const struct collect_options *options, int root_fd, struct lay_list *laid,
                      struct file_set *ret, struct err *err);

/* Opens a folder given by the user (links in the path are followed); with `create`, makes a missing
 * one with mode 0755 less the umask if its parent exists. The caller closes the descriptor.
 * ERR_USAGE when it is missing or is not a folder. */
int workspace_open_dir(const char *path, bool create, struct err *err);

#endif
