/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "environments/environments.h"
#include "environments/parts.h"

enum { DESCRIPTION_MAX = 4 << 20 };

/* ---- named sets ---- */

/* What several hosted interpreters have installed in common. */
static const struct {
    const char *name, *packages;
} sets[] = {
    {"data", "numpy pandas matplotlib scipy sympy scikit-learn statsmodels seaborn openpyxl pillow "
             "requests beautifulsoup4"},
};

const char *env_set(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(sets); i++)
        if (strcmp(sets[i].name, name) == 0)
            return sets[i].packages;
    return NULL;
}

/* ---- names ---- */

/* Calls `each` for each name and the ID it leads to, until it returns true. */
static bool each_name(bool (*each)(void *ctx, const char *name, const char *id), void *ctx)
{
    AUTO_FREE char *folder = env_path("name");
    DIR *dir = opendir(folder);
    bool done = false;

    for (struct dirent *d; dir && !done && (d = readdir(dir));) {
        AUTO_FREE char *path = xasprintf("%s/%s", folder, d->d_name);
        char id[ENV_ID_MAX];
        done =
            env_name_is_valid_here(d->d_name) && env_link_get(path, id) && each(ctx, d->d_name, id);
    }
    if (dir)
        closedir(dir);
    return done;
}

static bool list_name(void *ctx, const char *name, const char *id)
{
    struct buf *names = ctx;

    (void)id;
    (void)buf_addf(names, "%s%s", names->n ? ", " : "", name);
    return false;
}

static int no_such(const char *name, struct err *err)
{
    AUTO_BUF struct buf names = {0};

    buf_init(&names, 200);
    (void)each_name(list_name, &names);
    return err_set(err, ERR_USAGE,
                   "there is no environment '%.64s'%s%s; 'glovebox env create' makes one", name,
                   names.n ? "; there are: " : "", names.p);
}

static bool find_id(const char *name, char ret_id[ENV_ID_MAX])
{
    if (env_name_is_valid_here(name)) {
        AUTO_FREE char *path = env_path("name/%s", name);
        if (env_link_get(path, ret_id))
            return true;
        AUTO_FREE char *folder = env_path("env/%s/bin", name);
        if (strlen(name) < ENV_ID_MAX && access(folder, F_OK) == 0) {
            memcpy(ret_id, name, strlen(name) + 1);
            return true;
        }
    }
    return false;
}

int env_open(const char *name, struct env_used *ret, struct err *err)
{
    char id[ENV_ID_MAX];

    *ret = ENV_USED_NONE;
    if (!find_id(name, id))
        return no_such(name, err);
    ret->was_known = true;
    return env_use(id, ret, err);
}

int env_name(const char *name, const char *id, struct err *err)
{
    AUTO_FREE char *path = env_path("name/%s", name);

    if (!env_name_is_valid_here(name) || strcmp(name, "auto") == 0)
        return err_set(err, ERR_USAGE,
                       "'%.64s' cannot be an environment's name: use letters, digits, and '.', '_' "
                       "or '-' after the first one, at most %d characters, and not 'auto'",
                       name, ENV_NAME_MAX);
    return env_link_set(path, id, err);
}

/* ---- descriptions ---- */

static int64_t last_used_ms(const char *id)
{
    AUTO_FREE char *path = env_path("lock/%s", id);
    struct stat st;

    return stat(path, &st) < 0 ? 0
                               : (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
}

static json_t *describe_id(const char *id, struct err *err)
{
    AUTO_FREE char *folder = env_path("env/%s", id);
    AUTO_FREE char *path = xasprintf("%s/glovebox.json", folder);
    AUTO_BUF struct buf text = {0};

    buf_init(&text, DESCRIPTION_MAX);
    if (fd_read_file(path, &text, err) < 0)
        return NULL;
    json_t *all = json_loadb(text.p, text.n, 0, NULL);
    if (!json_is_object(all)) {
        json_decref(all);
        err_set(err, ERR_SYSTEM, "%s is damaged", path);
        return NULL;
    }
    json_object_del(all, "format");
    json_object_set_new(all, "id", json_string(id));
    json_object_set_new(all, "path", json_string(folder));
    json_object_set_new(all, "bytes", json_integer((json_int_t)env_bytes(folder)));
    json_object_set_new(all, "last_used_ms", json_integer(last_used_ms(id)));
    return all;
}

json_t *env_describe(const char *name, struct err *err)
{
    char id[ENV_ID_MAX];

    if (!find_id(name, id)) {
        (void)no_such(name, err);
        return NULL;
    }
    json_t *all = describe_id(id, err);
    if (all)
        json_object_set_new(all, "name", strcmp(name, id) == 0 ? json_null() : json_string(name));
    return all;
}

struct listing {
    json_t *names; /* an object: an array of names for each ID */
};

static bool note_name(void *ctx, const char *name, const char *id)
{
    const struct listing *l = ctx;
    json_t *of = json_object_get(l->names, id);

    if (!of) {
        of = json_array();
        json_object_set_new(l->names, id, of);
    }
    json_array_append_new(of, json_string(name));
    return false;
}

static int by_id_use(const void *a, const void *b)
{
    json_int_t x = json_integer_value(json_object_get(*(json_t *const *)a, "last_used_ms"));
    json_int_t y = json_integer_value(json_object_get(*(json_t *const *)b, "last_used_ms"));

    return x > y ? -1 : x < y;
}

static json_t *sorted(json_t *all)
{
    size_t n = json_array_size(all);
    AUTO_FREE json_t **items = xcalloc(n + 1, sizeof(json_t *));
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        items[i] = json_array_get(all, i);
    if (n)
        qsort(items, n, sizeof(json_t *), by_id_use);
    for (size_t i = 0; i < n; i++)
        json_array_append(list, items[i]);
    json_decref(all);
    return list;
}

json_t *env_list_all(struct err *err)
{
    struct listing l = {json_object()};
    AUTO_FREE char *folder = env_path("env");
    DIR *dir = opendir(folder);
    json_t *all = json_array();

    (void)each_name(note_name, &l);
    for (struct dirent *d; dir && (d = readdir(dir));) {
        json_t *one = d->d_name[0] == '.' ? NULL : describe_id(d->d_name, err);
        if (!one)
            continue;
        json_t *names = json_object_get(l.names, d->d_name);
        json_object_set_new(one, "names", names ? json_incref(names) : json_array());
        json_array_append_new(all, one);
    }
    if (dir)
        closedir(dir);
    json_decref(l.names);
    return sorted(all);
}

json_t *env_list(struct err *err)
{
    json_t *all = env_list_all(err), *one;
    size_t i;

    json_array_foreach(all, i, one) json_object_del(one, "packages");
    return all;
}

/* ---- removal ---- */

struct search {
    const char *id;
};

static bool leads_to(void *ctx, const char *name, const char *id)
{
    (void)name;
    return strcmp(((const struct search *)ctx)->id, id) == 0;
}

int env_remove_id(const char *id, struct err *err)
{
    AUTO_FREE char *folder = env_path("env/%s", id);
    AUTO_CLOSE int lock = env_lock(id, LOCK_EX | LOCK_NB, -1, err);

    return lock < 0 ? err_wrap(err, "%s", id) : env_drop(folder, err);
}

int env_remove(const char *name, struct err *err)
{
    char id[ENV_ID_MAX];
    AUTO_FREE char *path = env_path("name/%s", name);

    if (!find_id(name, id))
        return no_such(name, err);
    if (strcmp(name, id) != 0 && unlink(path) < 0)
        return err_sys(err, "remove %s", path);
    struct search s = {id};
    if (strcmp(name, id) != 0 && each_name(leads_to, &s))
        return 0;
    if (env_remove_id(id, err) == 0)
        return 0;
    if (strcmp(name, id) != 0)
        (void)env_link_set(path, id, &(struct err){0});
    return -1;
}
