/* SPDX-License-Identifier: Apache-2.0 */
#include "docker/build_context.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/printable.h"
#include "docker/ignore.h"
#include "docker/tar.h"

enum { PIECE = 64 << 10, PATH_MOST = 4095 };

struct making {
    struct build_context *made;
    struct sha256 sum;
    struct ignore ignore;
    struct buf path; /* of the entry that is looked at, relative to the folder */
    unsigned entries, depth;
    bool no_links;
    const char *remedy; /* for a folder that is too large */
};

/* ---- the archive ---- */

/* ERR_LIMIT if that many more bytes are too many. */
static int claim(const struct making *m, uint64_t size, struct err *err)
{
    if (size <= CONTEXT_BYTES_MAX && m->made->size + size <= CONTEXT_BYTES_MAX)
        return 0;
    return err_set(err, ERR_LIMIT, "more than %u MiB%s", (unsigned)(CONTEXT_BYTES_MAX >> 20),
                   m->remedy);
}

static int write_out(struct making *m, struct str bytes, struct err *err)
{
    if (claim(m, bytes.n, err) < 0)
        return -1;
    sha256_add(&m->sum, bytes.p, bytes.n);
    m->made->size += bytes.n;
    return fd_write_all(m->made->fd, bytes.p, bytes.n) < 0 ? err_sys(err, "keep the context") : 0;
}

static int write_head(struct making *m, const struct tar_entry *entry, struct err *err)
{
    AUTO_BUF struct buf head = {0};

    buf_init(&head, TAR_HEAD_MAX);
    tar_add_head(&head, entry);
    return write_out(m, buf_str(&head), err);
}

static int write_padding(struct making *m, uint64_t size, struct err *err)
{
    AUTO_BUF struct buf padding = {0};

    buf_init(&padding, TAR_BLOCK);
    tar_add_padding(&padding, size);
    return write_out(m, buf_str(&padding), err);
}

static int write_end(struct making *m, struct err *err)
{
    AUTO_BUF struct buf end = {0};

    buf_init(&end, 2 * TAR_BLOCK);
    tar_add_end(&end);
    return write_out(m, buf_str(&end), err);
}

static int write_bytes(struct making *m, const char *name, unsigned mode, struct str bytes,
                       struct err *err)
{
    const struct tar_entry entry = {.name = name, .mode = mode, .size = bytes.n};

    return write_head(m, &entry, err) < 0 || write_out(m, bytes, err) < 0
               ? -1
               : write_padding(m, bytes.n, err);
}

/* ---- its entries ---- */

/* An error about the entry that is looked at. */
static int fail(const struct making *m, const char *what, struct err *err)
{
    AUTO_BUF struct buf shown = {0};

    buf_init(&shown, 300);
    printable_add_word(&shown, buf_str(&m->path), 200);
    return err_sys(err, "%s %s", what, shown.p);
}

/* Only the user's permission bits that a build keeps; a file of mode 0 could not be copied. */
static unsigned mode_of(const struct stat *st)
{
    return st->st_mode & 0100 ? 0755 : 0644;
}

static int copy_content(struct making *m, int fd, uint64_t size, struct err *err)
{
    char piece[PIECE];

    for (uint64_t left = size; left;) {
        ssize_t n = read(fd, piece, left < sizeof piece ? (size_t)left : sizeof piece);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ESTALE; /* it was cut while it was read */
        if (n <= 0)
            return fail(m, "read", err);
        if (write_out(m, (struct str){piece, (size_t)n}, err) < 0)
            return -1;
        left -= (uint64_t)n;
    }
    return write_padding(m, size, err);
}

static int add_file(struct making *m, int dirfd, const char *name, struct err *err)
{
    struct stat st;
    AUTO_CLOSE int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &st) < 0)
        return fail(m, "read", err);
    if (!S_ISREG(st.st_mode))
        return 0; /* it was replaced meanwhile */
    const struct tar_entry entry = {
        .name = m->path.p, .mode = mode_of(&st), .size = (uint64_t)st.st_size};
    if (claim(m, entry.size, err) < 0)
        return -1;
    return write_head(m, &entry, err) < 0 ? -1 : copy_content(m, fd, entry.size, err);
}

static int add_link(struct making *m, int dirfd, const char *name, struct err *err)
{
    char target[PATH_MOST + 1];
    ssize_t n = readlinkat(dirfd, name, target, sizeof target - 1);

    if (n < 0)
        return fail(m, "read", err);
    target[n] = '\0';
    const struct tar_entry entry = {
        .name = m->path.p, .target = target, .kind = TAR_LINK, .mode = 0777};
    return write_head(m, &entry, err);
}

static int add_folder(struct making *m, int dirfd, const char *name, struct err *err);

static int add_entry(struct making *m, int dirfd, const char *name, struct err *err)
{
    struct stat st;
    bool out = ignore_matches(&m->ignore, buf_str(&m->path));

    if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return fail(m, "read", err);
    if (out && !(S_ISDIR(st.st_mode) && m->ignore.takes_in))
        return 0;
    if (++m->entries > CONTEXT_ENTRIES_MAX)
        return err_set(err, ERR_LIMIT, "more than %d files%s", CONTEXT_ENTRIES_MAX, m->remedy);
    const struct tar_entry folder = {.name = m->path.p, .kind = TAR_FOLDER, .mode = 0755};
    if (S_ISDIR(st.st_mode))
        return !out && write_head(m, &folder, err) < 0 ? -1 : add_folder(m, dirfd, name, err);
    if (S_ISREG(st.st_mode))
        return add_file(m, dirfd, name, err);
    return S_ISLNK(st.st_mode) && !m->no_links ? add_link(m, dirfd, name, err) : 0;
}

/* ---- a folder ---- */

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_self(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static const struct dirent *next_entry(DIR *dir, int *ret_errno)
{
    errno = 0;
    const struct dirent *entry = readdir(dir);
    *ret_errno = entry ? 0 : errno;
    return entry;
}

/* Its names in the order of their bytes. The caller frees them. *ret_errno: 0, or why they are not
 * all. */
static size_t list_names(DIR *dir, char ***ret, int *ret_errno)
{
    const struct dirent *entry;
    size_t n = 0;

    *ret_errno = 0;
    while (n <= CONTEXT_ENTRIES_MAX && (entry = next_entry(dir, ret_errno))) {
        if (is_self(entry->d_name))
            continue;
        *ret = xrealloc_array(*ret, n + 1, sizeof **ret);
        (*ret)[n++] = xstrdup(entry->d_name);
    }
    if (n)
        qsort(*ret, n, sizeof **ret, by_bytes);
    return n;
}

static int add_named(struct making *m, int dirfd, const char *name, struct err *err)
{
    size_t before = m->path.n;

    (void)buf_addf(&m->path, "%s%s", before ? "/" : "", name);
    errno = ENAMETOOLONG;
    int result = m->path.overflow ? fail(m, "read", err) : add_entry(m, dirfd, name, err);
    m->path.n = before;
    m->path.p[before] = '\0';
    return result;
}

static int add_names(struct making *m, int dirfd, struct err *err)
{
    DIR *dir = fdopendir(dirfd);
    char **names = NULL;
    int why;

    if (!dir) {
        fd_close(&dirfd);
        return fail(m, "list", err);
    }
    size_t n = list_names(dir, &names, &why);
    errno = why;
    int result = why ? fail(m, "list", err) : 0;
    for (size_t i = 0; i < n; i++) {
        if (result == 0)
            result = add_named(m, dirfd, names[i], err);
        free(names[i]);
    }
    free(names);
    (void)closedir(dir);
    return result;
}

static int add_folder(struct making *m, int dirfd, const char *name, struct err *err)
{
    int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return fail(m, "open", err);
    if (++m->depth > CONTEXT_DEPTH_MAX) {
        fd_close(&fd);
        return err_set(err, ERR_LIMIT, "more than %d folders inside each other", CONTEXT_DEPTH_MAX);
    }
    int result = add_names(m, fd, err);
    m->depth--;
    return result;
}

/* ---- which files ---- */

/* The Dockerfile itself is needed, whatever the patterns say. */
static int read_ignore(struct making *m, int dirfd, const char *dockerfile, struct err *err)
{
    AUTO_FREE char *own = xasprintf("%s.dockerignore", dockerfile);
    AUTO_BUF struct buf text = {0};

    AUTO_CLOSE int fd = openat(dirfd, own, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        fd = openat(dirfd, ".dockerignore", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    buf_init(&text, IGNORE_TEXT_MAX);
    if (fd >= 0 && fd_read_all(fd, &text) < 0)
        return err_sys(err, "read .dockerignore");
    if (fd >= 0 && buf_addf(&text, "\n!%s\n", dockerfile) < 0)
        return err_set(err, ERR_LIMIT, ".dockerignore is larger than %d bytes", IGNORE_TEXT_MAX);
    return ignore_read(&m->ignore, buf_str(&text), err) < 0 ? err_wrap(err, ".dockerignore") : 0;
}

static bool has_word(const char *text, const char *word)
{
    return strcasestr(text, word) != NULL;
}

/* Words that stand in every Dockerfile that uses files of its folder, and in some others. */
static bool is_alone(const struct buf *dockerfile)
{
    return !dockerfile->n || (!has_word(dockerfile->p, "copy") && !has_word(dockerfile->p, "add") &&
                              !has_word(dockerfile->p, "mount"));
}

static int add_whole(struct making *m, const char *folder, struct err *err)
{
    AUTO_CLOSE int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return err_sys(err, "open %s", folder);
    return read_ignore(m, fd, m->made->dockerfile, err) < 0 ? -1 : add_folder(m, fd, ".", err);
}

/* The place as a folder and a name in it. */
static int find_dockerfile(const char *path, bool *ret_folder, char **ret_place, char **ret_name,
                           struct err *err)
{
    static const char *const names[] = {"Dockerfile", "Containerfile"};
    const char *slash = strrchr(path, '/');
    struct stat st;

    if (stat(path, &st) < 0)
        return err_set(err, ERR_USAGE, "%s", strerror(errno));
    *ret_folder = S_ISDIR(st.st_mode);
    if (!*ret_folder) {
        *ret_place = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup("./");
        *ret_name = xstrdup(slash ? slash + 1 : path);
        return 0;
    }
    *ret_place = xasprintf("%s/", path);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        AUTO_FREE char *file = xasprintf("%s%s", *ret_place, names[i]);
        if (access(file, F_OK) != 0)
            continue;
        *ret_name = xstrdup(names[i]);
        return 0;
    }
    return err_set(err, ERR_USAGE, "there is no Dockerfile in this folder");
}

static int fill(struct making *m, const char *path, struct err *err)
{
    struct buf *text = &m->made->text;
    AUTO_FREE char *place = NULL;
    bool folder;

    if (find_dockerfile(path, &folder, &place, &m->made->dockerfile, err) < 0)
        return -1;
    AUTO_FREE char *file = xasprintf("%s%s", place, m->made->dockerfile);
    if (fd_read_file(file, text, err) < 0)
        return -1;
    bool alone = !folder && is_alone(text);
    int result = alone ? write_bytes(m, m->made->dockerfile, 0644, buf_str(text), err)
                       : add_whole(m, place, err);
    return result < 0 ? err_wrap(err, "the context of %s", file) : 0;
}

static int begin(struct making *m, struct build_context *ret, struct err *err)
{
    *ret = (struct build_context){.fd = fd_spool(err)};
    *m = (struct making){.made = ret, .remedy = ": leave files out with a .dockerignore"};
    sha256_init(&m->sum);
    buf_init(&ret->text, DOCKERFILE_MAX);
    buf_init(&m->path, PATH_MOST);
    return ret->fd < 0 ? -1 : 0;
}

/* `result` is what came of it. */
static int finish(struct making *m, int result, struct err *err)
{
    struct build_context *made = m->made;

    if (result == 0)
        result = write_end(m, err);
    if (result == 0 && made->dockerfile)
        sha256_add(&m->sum, made->dockerfile, strlen(made->dockerfile));
    sha256_hex(&m->sum, made->sum);
    buf_done(&m->path);
    ignore_done(&m->ignore);
    if (result == 0 && lseek(made->fd, 0, SEEK_SET) < 0)
        result = err_sys(err, "keep the context");
    if (result < 0)
        build_context_done(made);
    return result;
}

int build_context_make(const char *path, struct build_context *ret, struct err *err)
{
    struct making m;

    return finish(&m, begin(&m, ret, err) < 0 ? -1 : fill(&m, path, err), err);
}

static int add_bytes(struct making *m, const struct named_bytes *file, struct err *err)
{
    AUTO_FREE char *name = xstrndup(file->name.p, file->name.n);

    return write_bytes(m, name, 0644, file->bytes, err);
}

static int by_name(const void *a, const void *b)
{
    struct str x = (*(const struct named_bytes *const *)a)->name;
    struct str y = (*(const struct named_bytes *const *)b)->name;
    int order = memcmp(x.p, y.p, x.n < y.n ? x.n : y.n);

    return order ? order : (x.n > y.n) - (x.n < y.n);
}

/* Files have no order in a request. */
static int add_sorted(struct making *m, const struct named_bytes *files, size_t n, struct err *err)
{
    const struct named_bytes **sorted = xcalloc(n + 1, sizeof(struct named_bytes *));
    int result = 0;

    for (size_t i = 0; i < n; i++)
        sorted[i] = &files[i];
    qsort(sorted, n, sizeof(struct named_bytes *), by_name);
    for (size_t i = 0; i < n && result == 0; i++)
        result = add_bytes(m, sorted[i], err);
    free(sorted);
    return result;
}

/* The Dockerfile comes last: it replaces a file of its name. */
int build_context_of(struct str dockerfile, const struct named_bytes *files, size_t file_count,
                     struct build_context *ret, struct err *err)
{
    struct making m;
    int result = begin(&m, ret, err);

    ret->dockerfile = xstrdup("Dockerfile");
    if (result == 0 && buf_add_str(&ret->text, dockerfile) < 0)
        result = err_set(err, ERR_LIMIT, "it is larger than %d bytes", DOCKERFILE_MAX);
    if (result == 0 && file_count && !is_alone(&ret->text))
        result = add_sorted(&m, files, file_count, err);
    if (result == 0)
        result = write_bytes(&m, ret->dockerfile, 0644, dockerfile, err);
    return finish(&m, result, err);
}

int build_context_tree(int folder, const char *name, const char *link, struct build_context *ret,
                       struct err *err)
{
    const struct tar_entry entries[] = {
        {.name = name, .kind = TAR_FOLDER, .mode = 0755},
        {.name = link, .target = name, .kind = TAR_LINK, .mode = 0777},
    };
    struct making m;
    int result = begin(&m, ret, err);

    m.no_links = true;
    m.remedy = "";
    for (size_t i = 0; i < ARRAY_LEN(entries) && result == 0; i++)
        result = write_head(&m, &entries[i], err);
    (void)buf_adds(&m.path, name);
    if (result == 0)
        result = add_folder(&m, folder, ".", err);
    return finish(&m, result, err);
}

void build_context_done(struct build_context *context)
{
    fd_close(&context->fd);
    free(context->dockerfile);
    context->dockerfile = NULL;
    buf_done(&context->text);
}
