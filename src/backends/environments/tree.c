/* SPDX-License-Identifier: Apache-2.0 */
#include "environments/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "environments/environments.h"
#include "environments/wheel.h"
#include "jail/spec.h"
#include "languages/guests.h"

#define BYTECODE_MS   (10LL * 60 * 1000)
#define COMPILE_BYTES (2ULL << 30)
#define MANIFEST_MAX  (64 << 20)

/* ---- wheels ---- */

int env_trees_add(struct env_trees *trees, const char *folder, const char *file,
                  const char sha256[SHA256_HEX], struct err *err)
{
    struct str package, version;

    if (!wheel_name(str_from(file), &package, &version))
        return err_set(err, ERR_GUEST, "'%.100s' is not the name of a wheel", file);
    if (trees->count == trees->room)
        trees->at = mem_grow(trees->at, &trees->room, sizeof *trees->at);
    struct env_tree *tree = &trees->at[trees->count++];
    *tree = (struct env_tree){.file = xstrdup(file)};
    memcpy(tree->sha256, sha256, SHA256_HEX);
    AUTO_FREE char *place = env_path("wheels/%s", sha256);
    AUTO_FREE char *from = xasprintf("%s/%s", folder, file);
    AUTO_FREE char *to = xasprintf("%s/%s", place, file);
    if (env_folder(place, err) < 0)
        return -1;
    if (chmod(from, 0444) < 0)
        return err_sys(err, "find %s", from);
    return env_place(from, to, err);
}

static int by_file(const void *a, const void *b)
{
    return strcmp(((const struct env_tree *)a)->file, ((const struct env_tree *)b)->file);
}

void env_trees_sort(struct env_trees *trees)
{
    if (trees->count)
        qsort(trees->at, trees->count, sizeof *trees->at, by_file);
}

void env_trees_done(struct env_trees *trees)
{
    for (size_t i = 0; i < trees->count; i++) {
        free(trees->at[i].file);
        free(trees->at[i].path);
        manifest_done(&trees->at[i].manifest);
    }
    free(trees->at);
    *trees = (struct env_trees){0};
}

/* ---- unpacking ---- */

struct making {
    struct env_trees *trees;
    const struct env_stage *stage;
    const char *base, *tag;
    const struct env_watch *watch;
    struct host_view *views; /* the unpacked files, for the compiler */
    size_t view_count;
};

static bool is_made(const struct env_tree *tree, struct err *err)
{
    AUTO_BUF struct buf text = {0};
    AUTO_FREE char *path = xasprintf("%s/manifest", tree->path);

    buf_init(&text, MANIFEST_MAX);
    return access(path, F_OK) == 0 && fd_read_file(path, &text, err) == 0 &&
           manifest_read(buf_str(&text), (struct manifest *)&tree->manifest, err) == 0;
}

static bool is_damaged(const struct making *m, const struct env_tree *tree)
{
    AUTO_FREE char *files = xasprintf("%s/files", tree->path);
    AUTO_FREE char *line = xasprintf("repairing %s", tree->file);
    AUTO_CLOSE int folder = open(files, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    bool damaged = folder < 0;

    for (size_t i = 0; i < tree->manifest.count && !damaged; i++)
        damaged = !manifest_file_fits(folder, &tree->manifest.files[i]);
    if (damaged && m->watch->say)
        m->watch->say(m->watch->ctx, line);
    return damaged;
}

/* The store's file has no other writer, so it does not change while it is mapped. */
static int unpack(const struct env_tree *tree, const char *folder, struct manifest *ret,
                  struct err *err)
{
    AUTO_FREE char *path = env_path("wheels/%s/%s", tree->sha256, tree->file);
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    AUTO_CLOSE int to = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    char hash[SHA256_HEX];
    struct stat st;

    if (fd < 0 || to < 0 || fstat(fd, &st) < 0)
        return err_sys(err, "open %s", path);
    void *bytes = st.st_size ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    if (bytes == MAP_FAILED || !bytes)
        return err_sys(err, "read %s", path);
    sha256_of(bytes, (size_t)st.st_size, hash);
    int result = strcmp(hash, tree->sha256) != 0
                     ? err_set(err, ERR_SYSTEM, "its file in the store was changed")
                     : wheel_unpack((struct str){bytes, (size_t)st.st_size}, to, ret, err);
    (void)munmap(bytes, (size_t)st.st_size);
    return result;
}

/* The folder of a tree in the making. */
static char *stage_of(const struct making *m, size_t number)
{
    return xasprintf("%s/tree-%zu", m->stage->path, number);
}

static void show(struct making *m, size_t number, const char *folder)
{
    m->views = xrealloc_array(m->views, m->view_count + 1, sizeof *m->views);
    m->views[m->view_count++] =
        (struct host_view){.src = xstrdup(folder), .dst = xasprintf("/mnt/%zu", number)};
}

static int unpack_one(struct making *m, size_t number, struct err *err)
{
    struct env_tree *tree = &m->trees->at[number];

    tree->path = env_path("trees/%s-%s", tree->sha256, m->tag);
    if (is_made(tree, err) && !(m->trees->repairs && is_damaged(m, tree)))
        return 0;
    manifest_done(&tree->manifest);
    AUTO_FREE char *folder = stage_of(m, number);
    AUTO_FREE char *files = xasprintf("%s/files", folder);
    if (env_folder(folder, err) < 0 || env_folder(files, err) < 0)
        return -1;
    if (unpack(tree, files, &tree->manifest, err) < 0)
        return err_wrap(err, "%.100s", tree->file);
    show(m, number, files);
    return 0;
}

static int unpack_all(struct making *m, struct err *err)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < m->trees->count; i++) {
        if (unpack_one(m, i, err) < 0)
            return -1;
        bytes += manifest_bytes(&m->trees->at[i].manifest);
        if (bytes > ENV_CEILING)
            return err_set(err, ERR_LIMIT, "its packages are larger than %llu GiB",
                           (unsigned long long)(ENV_CEILING >> 30));
    }
    return 0;
}

static bool is_new(const struct making *m, size_t number)
{
    AUTO_FREE char *folder = stage_of(m, number);

    return access(folder, F_OK) == 0;
}

/* ---- compiling ---- */

/* Bytecode that no import needs at once: half of the files of large packages are their tests. */
static bool is_compiled(const struct manifest_file *file)
{
    struct str path = str_from(file->path);

    return str_ends(path, ".py") && str_find(path, STR("/tests/")) < 0 &&
           str_find(path, STR(".data/scripts/")) < 0;
}

/* Calls `each` for every file to compile, with numbers from 0. */
static int each_source(struct making *m,
                       int (*each)(struct making *m, size_t tree, size_t file, size_t number,
                                   void *ctx, struct err *err),
                       void *ctx, struct err *err)
{
    size_t number = 0;

    for (size_t i = 0; i < m->trees->count; i++) {
        size_t count = is_new(m, i) ? m->trees->at[i].manifest.count : 0;
        for (size_t j = 0; j < count; j++) {
            if (!is_compiled(&m->trees->at[i].manifest.files[j]))
                continue;
            if (each(m, i, j, number++, ctx, err) < 0)
                return -1;
        }
    }
    return 0;
}

static int list_source(struct making *m, size_t tree, size_t file, size_t number, void *ctx,
                       struct err *err)
{
    (void)err;
    return buf_addf(ctx, "%zu /mnt/%zu/%s\n", number, tree,
                    m->trees->at[tree].manifest.files[file].path);
}

/* "a/__pycache__/b.TAG.pyc" for "a/b.py" */
static char *bytecode_path(const char *source, const char *tag)
{
    const char *name = str_after_last(source, '/');

    return xasprintf("%.*s__pycache__/%.*s.%s.pyc", (int)(name - source), source,
                     (int)strlen(name) - 3, name, tag);
}

struct compiled {
    const char *folder;
    const struct file_set *files;
};

static const struct file_entry *compiled_find(const struct file_set *files, const char *name)
{
    size_t low = 0, high = files->count;

    while (low < high) {
        size_t mid = (low + high) / 2;
        int order = strcmp(files->entries[mid].path, name);
        if (order == 0)
            return &files->entries[mid];
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

/* True for another file at a folder's place, as a wheel may have it. */
static bool is_no_folder(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* Moves one compiled file to its place in its tree. */
static int take_bytecode(struct making *m, size_t tree, size_t file, size_t number, void *ctx,
                         struct err *err)
{
    const struct compiled *c = ctx;
    AUTO_FREE char *name = xasprintf("%zu.out", number);
    const struct file_entry *entry = compiled_find(c->files, name);
    struct manifest *manifest = &m->trees->at[tree].manifest;

    if (!entry)
        return 0;
    AUTO_FREE char *path = bytecode_path(manifest->files[file].path, m->tag);
    AUTO_FREE char *stage = stage_of(m, tree);
    AUTO_FREE char *to = xasprintf("%s/files/%s", stage, path);
    AUTO_FREE char *from = xasprintf("%s/%s", c->folder, name);
    if (access(to, F_OK) == 0)
        return 0; /* the wheel brought one */
    char *slash = strrchr(to, '/');
    *slash = '\0';
    if (is_no_folder(to))
        return 0; /* imports do without */
    if (env_folder(to, err) < 0)
        return -1;
    *slash = '/';
    if (chmod(from, 0444) < 0 || rename(from, to) < 0)
        return err_sys(err, "write %s", to);
    struct manifest_file *added = manifest_add(manifest, str_from(path));
    memcpy(added->sha256, entry->sha256, sizeof added->sha256);
    added->size = entry->size;
    return 0;
}

static int run_compiler(struct making *m, const char *folder, struct lay_list *laid,
                        struct file_set *ret, struct err *err)
{
    AUTO_CLOSE int out = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO_BUF struct buf said = {0};
    const struct env_step step = {
        .base = m->base,
        .program = guest_environment_compile_py,
        .views = m->views,
        .view_count = m->view_count,
        .laid = laid,
        .bytes = COMPILE_BYTES,
        .wall_ms = BYTECODE_MS,
        .out_dirfd = out,
        .watch = m->watch,
        .said = &said,
    };

    buf_init(&said, 64 << 10);
    if (out < 0)
        return err_sys(err, "open %s", folder);
    return env_step_run(&step, ret, err) < 0 ? err_wrap(err, "compiling the packages") : 0;
}

static int compile_all(struct making *m, struct err *err)
{
    AUTO_BUF struct buf list = {0};
    AUTO_FREE char *folder = xasprintf("%s/compiled", m->stage->path);
    struct file_set files = {0};
    struct compiled compiled = {folder, &files};

    buf_init(&list, MANIFEST_MAX);
    if (each_source(m, list_source, &list, err) < 0)
        return err_set(err, ERR_LIMIT, "the packages have too many files");
    if (!list.n)
        return 0;
    if (mkdir(folder, 0700) < 0)
        return err_sys(err, "make the folder %s", folder);
    if (m->watch->say)
        m->watch->say(m->watch->ctx, "compiling");
    struct lay_list *laid = lay_list_new(COMPILE_BYTES, 0);
    int result = lay_add_bytes(laid, STR("list"), buf_str(&list), 0644, err);
    if (result == 0)
        result = run_compiler(m, folder, laid, &files, err);
    if (result == 0)
        result = each_source(m, take_bytecode, &compiled, err);
    file_set_done(&files);
    lay_list_free(laid);
    return result;
}

/* ---- the store ---- */

/* Writes into the file that is there: the environments have hard links to it. */
static int rewrite(const char *from, const char *to, bool executable, struct err *err)
{
    AUTO_BUF struct buf bytes = {0};

    buf_init(&bytes, COMPILE_BYTES);
    if (fd_read_file(from, &bytes, err) < 0)
        return -1;
    (void)chmod(to, 0600);
    AUTO_CLOSE int fd = open(to, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT)
        return rename(from, to) < 0 ? err_sys(err, "write %s", to) : 0;
    if (fd < 0 || fd_write_all(fd, bytes.p, bytes.n) < 0 ||
        fchmod(fd, executable ? 0555 : 0444) < 0)
        return err_sys(err, "write %s", to);
    return 0;
}

static int repair_file(const char *stage, const char *tree, const struct manifest_file *file,
                       struct err *err)
{
    AUTO_FREE char *from = xasprintf("%s/files/%s", stage, file->path);
    AUTO_FREE char *to = xasprintf("%s/files/%s", tree, file->path);
    char *slash = strrchr(to, '/');

    *slash = '\0';
    if (env_folder(to, err) < 0)
        return -1;
    *slash = '/';
    return rewrite(from, to, file->executable, err);
}

/* Repairs a tree of the store by one that was made anew. */
static int repair_tree(const char *stage, const struct env_tree *tree, struct err *err)
{
    AUTO_FREE char *files = xasprintf("%s/files", tree->path);
    AUTO_FREE char *from = xasprintf("%s/manifest", stage);
    AUTO_FREE char *to = xasprintf("%s/manifest", tree->path);

    if (env_folder(files, err) < 0)
        return -1;
    AUTO_CLOSE int folder = open(files, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (folder < 0)
        return err_sys(err, "open %s", files);
    for (size_t i = 0; i < tree->manifest.count; i++)
        if (!manifest_file_fits(folder, &tree->manifest.files[i]) &&
            repair_file(stage, tree->path, &tree->manifest.files[i], err) < 0)
            return -1;
    return rename(from, to) < 0 ? err_sys(err, "write %s", to) : 0;
}

/* 0, or -1. The place may be taken: by another builder, or by a tree that is damaged. */
static int place_tree(const struct making *m, const char *folder, const struct env_tree *tree,
                      struct err *err)
{
    if (m->trees->repairs && access(tree->path, F_OK) == 0)
        return repair_tree(folder, tree, err);
    return env_place(folder, tree->path, err);
}

static int place_all(struct making *m, struct err *err)
{
    for (size_t i = 0; i < m->trees->count; i++) {
        struct env_tree *tree = &m->trees->at[i];
        AUTO_BUF struct buf text = {0};
        AUTO_FREE char *folder = stage_of(m, i);
        AUTO_FREE char *manifest = xasprintf("%s/manifest", folder);
        if (!is_new(m, i))
            continue;
        buf_init(&text, MANIFEST_MAX);
        manifest_sort(&tree->manifest);
        manifest_write(&tree->manifest, &text);
        if (text.overflow)
            return err_set(err, ERR_LIMIT, "%.100s has too many files", tree->file);
        if (env_write(manifest, text.p, text.n, 0444, err) < 0 ||
            place_tree(m, folder, tree, err) < 0)
            return -1;
    }
    return 0;
}

int env_trees_make(struct env_trees *trees, const struct env_stage *stage, const char *base,
                   const char *tag, const struct env_watch *watch, struct err *err)
{
    struct making m = {.trees = trees, .stage = stage, .base = base, .tag = tag, .watch = watch};
    int result = unpack_all(&m, err);

    if (result == 0)
        result = compile_all(&m, err);
    if (result == 0)
        result = place_all(&m, err);
    for (size_t i = 0; i < m.view_count; i++) {
        free(m.views[i].src);
        free(m.views[i].dst);
    }
    free(m.views);
    return result;
}
