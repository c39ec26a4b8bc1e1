/* SPDX-License-Identifier: Apache-2.0
 *
 * The upkeep of the store: what is removed first, and whether its files are as they were.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"
#include "environments/manifest.h"
#include "environments/parts.h"

#define MANIFEST_MAX (64 << 20)

/* ---- prune ---- */

static bool is_needed(const json_t *environments, const char *name)
{
    size_t i, j;
    json_t *one, *package;

    json_array_foreach(environments, i, one)
    {
        json_array_foreach(json_object_get(one, "packages"), j, package)
        {
            const char *hash = json_string_value(json_object_get(package, "sha256"));
            if (hash && strncmp(name, hash, strlen(hash)) == 0)
                return true;
        }
    }
    return false;
}

/* Removes wheels or trees that no environment has. */
static int prune_folder(const char *folder, const json_t *environments, struct err *err)
{
    AUTO_FREE char *path = env_path("%s", folder);
    DIR *dir = opendir(path);
    int result = 0;

    for (struct dirent *d; dir && result == 0 && (d = readdir(dir));) {
        if (d->d_name[0] == '.' || is_needed(environments, d->d_name))
            continue;
        AUTO_FREE char *whole = xasprintf("%s/%s", path, d->d_name);
        result = env_drop(whole, err);
    }
    if (dir)
        closedir(dir);
    return result;
}

/* Links to environments that are gone. */
static void prune_links(const char *folder)
{
    AUTO_FREE char *path = env_path("%s", folder);
    DIR *dir = opendir(path);
    char id[ENV_ID_MAX];

    for (struct dirent *d; dir && (d = readdir(dir));) {
        AUTO_FREE char *whole = xasprintf("%s/%s", path, d->d_name);
        if (d->d_name[0] != '.' && !env_link_get(whole, id))
            (void)unlink(whole);
    }
    if (dir)
        closedir(dir);
}

static uint64_t store_bytes(void)
{
    AUTO_FREE char *root = env_path("%s", "");

    return env_bytes(root);
}

static int prune_rest(struct err *err)
{
    json_t *left = env_list_all(err);
    int result = prune_folder("trees", left, err);

    if (result == 0)
        result = prune_folder("wheels", left, err);
    json_decref(left);
    prune_links("asked");
    prune_links("name");
    return result;
}

/* Called while nothing is being made: trees and wheels would belong to no environment yet. */
static int prune_to(uint64_t ceiling, json_t *removed, struct err *err)
{
    json_t *all = env_list_all(err);

    for (size_t i = json_array_size(all); i-- > 0 && store_bytes() > ceiling;) {
        const char *id = json_string_value(json_object_get(json_array_get(all, i), "id"));
        struct err used;
        if (env_remove_id(id, &used) < 0)
            continue;
        json_array_append_new(removed, json_string(id));
        (void)prune_rest(err);
    }
    json_decref(all);
    return store_bytes() > ceiling ? prune_rest(err) : 0;
}

int env_prune(uint64_t ceiling, json_t **ret_removed, struct err *err)
{
    AUTO_CLOSE int makers = env_store_make(err) < 0 ? -1 : env_lock("making", LOCK_EX, -1, err);
    json_t *removed = json_array();

    if (makers >= 0 && prune_to(ceiling, removed, err) == 0) {
        *ret_removed = removed;
        return 0;
    }
    json_decref(removed);
    return -1;
}

void env_hold_ceiling(void)
{
    struct err none;
    AUTO_CLOSE int makers =
        store_bytes() > ENV_CEILING ? env_lock("making", LOCK_EX | LOCK_NB, -1, &none) : -1;

    if (makers < 0)
        return; /* a maker that holds it comes here at its end */
    json_t *removed = json_array();
    (void)prune_to(ENV_CEILING, removed, &none);
    json_decref(removed);
}

/* ---- verify ---- */

/* The environment's files are these files: they are hard links. */
static int verify_tree(const char *hash, const char *tag, json_t *damaged, struct err *err)
{
    AUTO_FREE char *tree = env_path("trees/%s-%s", hash, tag);
    AUTO_FREE char *list = xasprintf("%s/manifest", tree);
    AUTO_FREE char *files = xasprintf("%s/files", tree);
    AUTO_CLOSE int folder = open(files, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    AUTO_BUF struct buf text = {0};
    struct manifest m = {0};

    buf_init(&text, MANIFEST_MAX);
    if (folder < 0 || fd_read_file(list, &text, err) < 0)
        return folder < 0 ? err_sys(err, "open %s", files) : -1;
    if (manifest_read(buf_str(&text), &m, err) < 0)
        return -1;
    for (size_t i = 0; i < m.count; i++)
        if (!manifest_file_fits(folder, &m.files[i]))
            json_array_append_new(damaged, json_sprintf("%s/%s", files, m.files[i].path));
    manifest_done(&m);
    return 0;
}

int env_verify(const char *name, json_t **ret_damaged, struct err *err)
{
    json_t *all = env_describe(name, err), *damaged = json_array(), *package;
    const char *tag = json_string_value(json_object_get(all, "tag"));
    int result = all ? 0 : -1;
    size_t i;

    json_array_foreach(json_object_get(all, "packages"), i, package)
    {
        const char *hash = json_string_value(json_object_get(package, "sha256"));
        if (result == 0 && hash && tag)
            result = verify_tree(hash, tag, damaged, err);
    }
    json_decref(all);
    if (result < 0)
        json_decref(damaged);
    else
        *ret_damaged = damaged;
    return result;
}

/* ---- export ---- */

int env_export(const char *name, struct buf *ret, struct err *err)
{
    json_t *all = env_describe(name, err), *package;
    size_t i;

    if (!all)
        return -1;
    (void)buf_addf(ret, "# Python %s\n", json_string_value(json_object_get(all, "python")));
    json_array_foreach(json_object_get(all, "packages"), i, package)(void) buf_addf(
        ret, "%s==%s --hash=sha256:%s\n", json_string_value(json_object_get(package, "name")),
        json_string_value(json_object_get(package, "version")),
        json_string_value(json_object_get(package, "sha256")));
    json_decref(all);
    return 0;
}
