/* SPDX-License-Identifier: Apache-2.0 */
#include "report/check_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"

static void add(struct check_files *files, char *path, int sys)
{
    if (files->n == files->room)
        files->at = mem_grow(files->at, &files->room, sizeof *files->at);
    struct check_path *new = &files->at[files->n++];
    new->path = path;
    new->sys = sys;
}

/* ---- which files of a folder ---- */

struct ending {
    const char *of; /* ".py" */
    bool known;
};

static void compare_endings(void *ctx, const struct language *language)
{
    struct ending *ending = ctx;

    for (const char *const *e = language->extensions; e && *e; e++)
        ending->known |= str_is_nocase(str_from(*e), ending->of);
}

static bool is_program(const char *name, const struct language_table *languages)
{
    const char *dot = strrchr(name, '.');
    struct ending ending = {.of = dot};

    if (!dot || dot == name)
        return false;
    language_each(languages, compare_endings, &ending);
    return ending.known;
}

static bool is_skipped_folder(const char *name)
{
    return name[0] == '.' || strcmp(name, "__pycache__") == 0 || strcmp(name, "node_modules") == 0;
}

/* ---- walking ---- */

/* Not recursive: an attacker may have made the folders deep. */
struct walk {
    const struct language_table *languages;
    struct check_files *files;
    struct check_files folders; /* still to be read */
};

/* Not every file system returns the type of a file with its name. */
static unsigned check_files_type_of(const char *path, const struct dirent *entry)
{
    struct stat st;

    if (entry->d_type != DT_UNKNOWN && entry->d_type != DT_LNK)
        return entry->d_type;
    if (lstat(path, &st) < 0)
        return DT_UNKNOWN;
    if (!S_ISLNK(st.st_mode))
        return S_ISDIR(st.st_mode) ? DT_DIR : S_ISREG(st.st_mode) ? DT_REG : DT_UNKNOWN;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? DT_REG : DT_UNKNOWN;
}

static void check_files_take(struct walk *walk, const char *folder, const struct dirent *entry)
{
    bool here = strcmp(folder, ".") == 0;
    const char *slash = here || folder[strlen(folder) - 1] == '/' ? "" : "/";
    AUTO_FREE char *path = xasprintf("%s%s%s", here ? "" : folder, slash, entry->d_name);
    unsigned type = check_files_type_of(path, entry);

    if (type == DT_DIR && !is_skipped_folder(entry->d_name))
        add(&walk->folders, mem_take(&path), 0);
    else if (type == DT_REG && is_program(entry->d_name, walk->languages))
        add(walk->files, mem_take(&path), 0);
}

static void read_folder(struct walk *walk, const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;

    if (!dir) {
        add(walk->files, xstrdup(folder), errno);
        return;
    }
    while ((errno = 0, entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            check_files_take(walk, folder, entry);
    if (errno)
        add(walk->files, xstrdup(folder), errno);
    closedir(dir);
}

static int check_files_compare(const void *a, const void *b)
{
    return strcmp(((const struct check_path *)a)->path, ((const struct check_path *)b)->path);
}

static void walk_folder(struct check_files *files, const char *folder,
                        const struct language_table *languages)
{
    struct walk walk = {.languages = languages, .files = files};
    size_t first = files->n;

    add(&walk.folders, xstrdup(folder), 0);
    while (walk.folders.n) {
        AUTO_FREE char *next = walk.folders.at[--walk.folders.n].path;
        read_folder(&walk, next);
    }
    check_files_done(&walk.folders);
    if (files->n > first)
        qsort(files->at + first, files->n - first, sizeof *files->at, check_files_compare);
}

void check_files_add(struct check_files *files, const char *operand,
                     const struct language_table *languages)
{
    struct stat st;

    if (strcmp(operand, "-") != 0 && stat(operand, &st) == 0 && S_ISDIR(st.st_mode))
        walk_folder(files, operand, languages);
    else
        add(files, xstrdup(operand), 0);
}

void check_files_done(struct check_files *files)
{
    for (size_t i = 0; i < files->n; i++)
        free(files->at[i].path);
    free(files->at);
    *files = (struct check_files){0};
}
