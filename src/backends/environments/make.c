/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "environments/environments.h"
#include "environments/lay.h"
#include "environments/maker.h"
#include "environments/parts.h"
#include "environments/wheel.h"
#include "environments/zip.h"
#include "languages/pythons.h"

enum { KEY_DIGITS = 32, FACTS_MAX = 4096 };

/* Changes when the same wheels would be laid out in another way. */
#define FORMAT "1"

struct make {
    const struct env_want *want;
    const struct env_watch *watch;
    char *base;
    struct env_index index;
    const struct env_maker *maker;
    char asked[KEY_DIGITS + 1];
    struct env_stage stage;
    struct env_trees trees;
    char *version, *tag, *kind, *purelib; /* facts about the base */
    char id[ENV_ID_MAX];
};

static void hash_word(struct sha256 *hash, const char *word)
{
    sha256_add(hash, word, strlen(word) + 1);
}

/* ---- the base ---- */

/* The real interpreter: an environment made from a virtual one would need that as well. */
static int find_base(struct make *m, struct err *err)
{
    struct interpreter in = {0};
    char text[INTERPRETER_VENV_MAX];

    if (python_find(m->want->python ? m->want->python : "3", &in, err) < 0)
        return -1;
    AUTO_FREE char *folder = interpreter_parent(in.path);
    AUTO_FREE char *prefix = interpreter_parent(folder);
    struct str home = interpreter_venv(prefix, "home", text);
    unsigned minor = interpreter_minor(&in);
    if (home.n) {
        m->base = xasprintf("%.*s/python3.%u", (int)home.n, home.p, minor);
        if (access(m->base, X_OK) < 0) {
            free(m->base);
            m->base = xasprintf("%.*s/python3", (int)home.n, home.p);
        }
    } else {
        m->base = realpath(in.path, NULL);
    }
    interpreter_done(&in);
    return m->base && access(m->base, X_OK) == 0
               ? 0
               : err_set(err, ERR_UNSUPPORTED,
                         "the Python that the virtual environment was made "
                         "from is missing");
}

/* The key of what was asked for: an upgraded interpreter or another index is another question. */
static int hash_question(struct make *m, struct err *err)
{
    struct sha256 hash;
    char hex[SHA256_HEX];
    struct stat st;

    if (stat(m->base, &st) < 0)
        return err_sys(err, "find %s", m->base);
    AUTO_FREE char *file = xasprintf("%lld %lld", (long long)st.st_size, (long long)st.st_mtime);
    sha256_init(&hash);
    hash_word(&hash, FORMAT);
    hash_word(&hash, m->base);
    hash_word(&hash, file);
    hash_word(&hash, m->index.identity);
    for (char *const *p = m->want->requirements; p && *p; p++)
        hash_word(&hash, *p);
    for (char *const *p = m->want->hashes; p && *p; p++)
        hash_word(&hash, *p);
    sha256_hex(&hash, hex);
    snprintf(m->asked, sizeof m->asked, "%.*s", KEY_DIGITS, hex);
    return 0;
}

/* ---- what the first jail brought ---- */

static char *take_fact(json_t *facts, const char *key)
{
    const char *value = json_string_value(json_object_get(facts, key));

    return value && zip_is_plain(str_from(value)) && strlen(value) < 200 && !strchr(value, ' ')
               ? xstrdup(value)
               : NULL;
}

/* The interpreter's word about itself becomes a part of paths and of pyvenv.cfg. */
static int read_facts(struct make *m, const char *folder, struct err *err)
{
    AUTO_FREE char *path = xasprintf("%s/facts.json", folder);
    AUTO_BUF struct buf text = {0};

    buf_init(&text, FACTS_MAX);
    if (fd_read_file(path, &text, err) < 0)
        return -1;
    json_t *facts = json_loadb(text.p, text.n, 0, NULL);
    m->version = take_fact(facts, "version");
    m->tag = take_fact(facts, "tag");
    m->kind = take_fact(facts, "kind");
    m->purelib = take_fact(facts, "purelib");
    json_decref(facts);
    if (m->version && m->tag && m->kind && m->purelib && strncmp(m->version, "3.", 2) == 0 &&
        !strchr(m->version, '/') && !strchr(m->tag, '/') && strncmp(m->purelib, "lib/", 4) == 0)
        return 0;
    return err_set(err, ERR_GUEST, "%s does not say what it is", m->base);
}

static bool is_expected(const struct env_want *want, const char *sha256)
{
    char *const *p = want->hashes;

    while (p && *p && strcmp(*p, sha256) != 0)
        p++;
    return !p || *p;
}

static int take_files(struct make *m, const struct file_set *files, const char *folder,
                      struct err *err)
{
    if (read_facts(m, folder, err) < 0)
        return -1;
    for (size_t i = 0; i < files->count; i++) {
        const struct file_entry *f = &files->entries[i];
        if (f->is_dir || !str_ends(str_from(f->path), ".whl"))
            continue;
        if (!is_expected(m->want, f->sha256))
            return err_set(err, ERR_GUEST, "'%.100s' has another SHA-256 than the list says: %s",
                           f->path, f->sha256);
        if (env_trees_add(&m->trees, folder, f->path, f->sha256, err) < 0)
            return -1;
    }
    env_trees_sort(&m->trees);
    return 0;
}

/* The first whose program is here. uv does not read the page that lists the store's wheels. */
static const struct env_maker *choose_maker(const struct make *m, char **ret_program)
{
    static const struct env_maker *const makers[] = {&env_maker_uv, &env_maker_pip};
    size_t i = m->want->offline;

    while (makers[i]->find && !(*ret_program = makers[i]->find()))
        i++;
    return makers[i];
}

static int fetch(struct make *m, struct err *err)
{
    AUTO_FREE char *folder = xasprintf("%s/fetched", m->stage.path);
    struct file_set files = {0};
    const struct env_order order = {
        .requirements = m->want->requirements,
        .base = m->base,
        .index = &m->index,
        .folder = folder,
        .offline = m->want->offline,
        .watch = m->watch,
    };

    if (mkdir(folder, 0700) < 0)
        return err_sys(err, "make the folder %s", folder);
    if (m->watch->say)
        m->watch->say(m->watch->ctx, "looking for the packages");
    AUTO_FREE char *program = NULL;
    m->maker = choose_maker(m, &program);
    if (m->maker->fetch(&order, program, &files, err) < 0)
        return -1;
    int result = take_files(m, &files, folder, err);
    file_set_done(&files);
    return result;
}

/* ---- the environment ---- */

/* The key of what it is: the same wheels for the same Python are the same environment. */
static void hash_content(const struct make *m, char ret[KEY_DIGITS + 1])
{
    struct sha256 hash;
    char hex[SHA256_HEX];

    sha256_init(&hash);
    hash_word(&hash, FORMAT);
    hash_word(&hash, m->base);
    hash_word(&hash, m->version);
    hash_word(&hash, m->kind);
    for (size_t i = 0; i < m->trees.count; i++)
        hash_word(&hash, m->trees.at[i].sha256);
    sha256_hex(&hash, hex);
    snprintf(ret, KEY_DIGITS + 1, "%.*s", KEY_DIGITS, hex);
}

/* One that was made for another question. */
static bool find_same(struct make *m, const char *key)
{
    AUTO_FREE char *pattern = env_path("env/%s.*", key);
    glob_t found = {.gl_offs = 0};

    bool any = glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 0;
    if (any)
        snprintf(m->id, sizeof m->id, "%s", str_after_last(found.gl_pathv[0], '/'));
    globfree(&found);
    return any;
}

static json_t *describe_packages(const struct make *m)
{
    json_t *packages = json_array();
    struct str name, version;

    for (size_t i = 0; i < m->trees.count; i++) {
        const struct env_tree *tree = &m->trees.at[i];
        if (!wheel_name(str_from(tree->file), &name, &version))
            continue;
        json_array_append_new(packages, json_pack("{s:s%, s:s%, s:s, s:s, s:I}", "name", name.p,
                                                  name.n, "version", version.p, version.n, "file",
                                                  tree->file, "sha256", tree->sha256, "bytes",
                                                  (json_int_t)manifest_bytes(&tree->manifest)));
    }
    return packages;
}

static int put_description(const struct make *m, const char *folder, struct err *err)
{
    json_t *wanted = json_array();
    AUTO_FREE char *path = xasprintf("%s/glovebox.json", folder);

    for (char *const *p = m->want->requirements; p && *p; p++)
        json_array_append_new(wanted, json_string(*p));
    json_t *all = json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:I}", "format", 1, "python",
                            m->version, "base", m->base, "kind", m->kind, "tag", m->tag, "maker",
                            m->maker->name, "requirements", wanted, "packages",
                            describe_packages(m), "created_ms", clock_wall_ms());
    AUTO_FREE char *text = mem_must(json_dumps(all, JSON_INDENT(1)));
    json_decref(all);
    return env_write(path, text, strlen(text), 0444, err);
}

static int lay_out(struct make *m, const char *key, struct err *err)
{
    AUTO_FREE char *folder = xasprintf("%s/env", m->stage.path);

    snprintf(m->id, sizeof m->id, "%s.%s", key, str_after_last(m->stage.path, '/'));
    AUTO_FREE char *final = env_path("env/%s", m->id);
    const struct env_plan plan = {folder, final, m->base, m->version, m->purelib, &m->trees};

    if (env_lay(&plan, err) < 0 || put_description(m, folder, err) < 0)
        return -1;
    return env_place(folder, final, err);
}

static int build(struct make *m, struct err *err)
{
    char key[KEY_DIGITS + 1];

    m->trees.repairs = m->want->fresh;
    AUTO_CLOSE int making = env_lock("making", LOCK_SH, m->watch->cancel_fd, err);

    if (making < 0 || env_stage_open(&m->stage, err) < 0 || fetch(m, err) < 0 ||
        env_trees_make(&m->trees, &m->stage, m->base, m->tag, m->watch, err) < 0)
        return -1;
    hash_content(m, key);
    AUTO_CLOSE int lock = env_lock(key, LOCK_EX, m->watch->cancel_fd, err);
    if (lock < 0)
        return -1;
    return find_same(m, key) ? 0 : lay_out(m, key, err);
}

/* ---- use ---- */

/* A pruner that holds the lock has removed the environment before it lets go. */
static int use(const char *id, struct env_used *ret, struct err *err)
{
    AUTO_CLOSE int lock = env_lock(id, LOCK_SH, -1, err);
    AUTO_FREE char *python = env_path("env/%s/bin/python3", id);

    if (lock < 0)
        return -1;
    if (access(python, F_OK) < 0)
        return err_sys(err, "find %s", python);
    snprintf(ret->id, sizeof ret->id, "%s", id);
    ret->python = mem_take(&python);
    ret->lock = fd_take(&lock);
    return 0;
}

static bool is_known(const struct make *m, struct env_used *ret)
{
    AUTO_FREE char *path = env_path("asked/%s", m->asked);
    char id[ENV_ID_MAX];
    struct err none;

    return env_link_get(path, id) && use(id, ret, &none) == 0;
}

static int make_new(struct make *m, struct env_used *ret, struct err *err)
{
    AUTO_FREE char *path = env_path("asked/%s", m->asked);
    AUTO_CLOSE int lock =
        env_store_make(err) < 0 ? -1 : env_lock(m->asked, LOCK_EX, m->watch->cancel_fd, err);

    if (lock < 0)
        return -1;
    /* Another builder may have made it while this one waited. */
    if (!m->want->fresh && is_known(m, ret))
        return 0;
    if (build(m, err) < 0 || env_link_set(path, m->id, err) < 0 || use(m->id, ret, err) < 0)
        return -1;
    env_hold_ceiling();
    return 0;
}

static int find_or_make(struct make *m, struct env_used *ret, struct err *err)
{
    if (find_base(m, err) < 0 || env_index_read(&m->index, err) < 0 || hash_question(m, err) < 0)
        return -1;
    ret->was_known = !m->want->fresh && is_known(m, ret);
    if (!ret->was_known && m->want->only_known)
        return err_set(err, ERR_POLICY,
                       "it was not made yet, and only the operator of this daemon can let clients "
                       "fetch packages, with --allow packages (and never with --lock-policy or "
                       "--review)");
    return ret->was_known ? 0 : make_new(m, ret, err);
}

int env_check_named(char *const *requirements, struct err *err)
{
    if (requirements && requirements[0])
        return 0;
    return err_set(err, ERR_USAGE,
                   "no packages are named: give them with --pip; only a set, such as 'data', needs "
                   "none");
}

int env_make(const struct env_want *want, const struct env_watch *watch, struct env_used *ret,
             struct err *err)
{
    struct make m = {.want = want, .watch = watch, .stage = {.fd = -1}};

    *ret = ENV_USED_NONE;
    int result = find_or_make(&m, ret, err);
    env_stage_close(&m.stage);
    env_trees_done(&m.trees);
    env_index_done(&m.index);
    free(m.base);
    free(m.version);
    free(m.tag);
    free(m.kind);
    free(m.purelib);
    return result;
}

int env_use(const char *id, struct env_used *ret, struct err *err)
{
    *ret = ENV_USED_NONE;
    return use(id, ret, err);
}

void env_close(struct env_used *used)
{
    free(used->python);
    fd_close(&used->lock);
    *used = ENV_USED_NONE;
}
