/* SPDX-License-Identifier: Apache-2.0 */
#include "languages/interpreter.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"

/* True if the jail's root always shows the path (backends/plan.c). */
static bool is_system_path(const char *path)
{
    static const char *const roots[] = {
        "/usr/",   "/bin/",       "/sbin/",      "/lib/",
        "/lib64/", "/nix/store/", "/gnu/store/", "/etc/alternatives/",
        NULL};

    return str_starts_one_of(str_from(path), roots);
}

bool interpreter_is_program(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static bool exists(const char *folder, const char *name)
{
    AUTO_FREE char *path = xasprintf("%s/%s", folder, name);

    return access(path, F_OK) == 0;
}

char *interpreter_parent(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash || slash == path)
        return xstrdup("/");
    return xstrndup(path, (size_t)(slash - path));
}

static bool is_script(const char *path)
{
    char head[2] = "";
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

    return fd >= 0 && read(fd, head, 2) == 2 && head[0] == '#' && head[1] == '!';
}

/* ---- pyenv: $root/shims/NAME is a shell script that looks up a version ---- */

static char *first_word_of(const char *folder, const char *name)
{
    char text[256];
    AUTO_FREE char *path = xasprintf("%s/%s", folder, name);

    if (fd_read_file_at(AT_FDCWD, path, text, sizeof text) < 0)
        return NULL;
    struct str word = str_trim(str_from(text));
    word.n = strcspn(text + (word.p - text), " \t\r\n");
    return word.n ? xstrndup(word.p, word.n) : NULL;
}

/* Searches in pyenv's order: the variable, .python-version in this folder or above, the global
 * choice. */
static char *pyenv_version(const char *root)
{
    const char *named = getenv("PYENV_VERSION");
    char here[4096];

    if (named && *named) {
        const char *colon = strchr(named, ':');
        return colon ? xstrndup(named, (size_t)(colon - named)) : xstrdup(named);
    }
    char *folder = getcwd(here, sizeof here) ? xstrdup(here) : xstrdup("/");
    for (;;) {
        char *version = first_word_of(folder, ".python-version");
        bool top = strcmp(folder, "/") == 0;
        char *up = interpreter_parent(folder);
        free(folder);
        folder = up;
        if (version || top) {
            free(folder);
            return version ? version : first_word_of(root, "version");
        }
    }
}

/* ---- rustup: ~/.cargo/bin/rustc is a link to rustup, which looks up a toolchain ---- */

/* The toolchain of the variable, or rustup's usual one; the caller frees. */
static char *rust_toolchain(const char *root)
{
    const char *named = getenv("RUSTUP_TOOLCHAIN");
    AUTO_FREE char *path = xasprintf("%s/settings.toml", root);
    char text[4096];
    struct str rest = {0}, line;

    if (named && *named)
        return xstrdup(named);
    if (fd_read_file_at(AT_FDCWD, path, text, sizeof text) >= 0)
        rest = str_from(text);
    while (str_next_line(&rest, &line)) {
        long open = str_find(line, STR("= \""));
        if (open < 0 || !str_starts(line, "default_toolchain"))
            continue;
        struct str name = str_slice(line, (size_t)open + 3, line.n);
        long close = str_find(name, STR("\""));
        return close > 0 ? xstrndup(name.p, (size_t)close) : NULL;
    }
    return NULL;
}

static bool is_rustup(const char *link)
{
    AUTO_FREE char *real = realpath(link, NULL);

    return real && str_ends(str_from(real), "/rustup");
}

/* The program of the toolchain; NULL if it is missing. */
static char *behind_rustup(const char *name)
{
    const char *home = getenv("RUSTUP_HOME"), *user = getenv("HOME");

    if (!home && !user)
        return NULL;
    AUTO_FREE char *root = home ? xstrdup(home) : xasprintf("%s/.rustup", user);
    AUTO_FREE char *version = rust_toolchain(root);
    if (!version || strchr(version, '/'))
        return NULL;
    char *path = xasprintf("%s/toolchains/%s/bin/%s", root, version, name);
    if (interpreter_is_program(path))
        return path;
    free(path);
    return NULL;
}

/* The program that a shim runs; NULL if it is missing: the search then continues. */
static char *behind_shim(const char *shim, const char *name)
{
    AUTO_FREE char *shims = interpreter_parent(shim);
    AUTO_FREE char *root = interpreter_parent(shims);
    AUTO_FREE char *version = pyenv_version(root);

    if (!version || strchr(version, '/'))
        return NULL;
    char *path = xasprintf("%s/versions/%s/bin/%s", root, version, name);
    if (interpreter_is_program(path))
        return path;
    free(path);
    return NULL;
}

/* ---- the search ---- */

static char *at(struct str folder, const char *name)
{
    if (!folder.n || folder.p[0] != '/') /* a relative $PATH entry depends on the current folder */
        return NULL;
    char *path = xasprintf("%.*s/%s", (int)folder.n, folder.p, name);
    if (interpreter_is_program(path)) {
        struct str dir = folder;
        while (dir.n > 1 && dir.p[dir.n - 1] == '/')
            dir.n--;
        bool rustup = is_rustup(path);
        if (!rustup && (!str_ends(dir, "/shims") || !is_script(path)))
            return path;
        char *real = rustup ? behind_rustup(name) : behind_shim(path, name);
        free(path);
        return real;
    }
    free(path);
    return NULL;
}

/* An absolute path, with the last link kept: a virtual environment is recognised by it. */
static char *absolute(const char *path)
{
    char here[4096];

    if (path[0] == '/' || !getcwd(here, sizeof here))
        return xstrdup(path);
    return xasprintf("%s/%s", here, path);
}

char *interpreter_search(const char *name)
{
    const char *path = getenv("PATH");
    struct str rest = str_from(path && *path ? path : "/usr/local/bin:/usr/bin:/bin"), folder;

    if (strchr(name, '/'))
        return interpreter_is_program(name) ? absolute(name) : NULL;
    while (str_next(&rest, ':', &folder)) {
        char *found = at(folder, name);
        if (found)
            return found;
    }
    return NULL;
}

/* ---- the folders that it needs ---- */

static void add_any(struct interpreter *in, const char *src, const char *dst, bool is_link)
{
    for (size_t i = 0; i < in->view_count; i++)
        if (strcmp(in->views[i].dst, dst) == 0)
            return;
    in->views = xrealloc_array(in->views, in->view_count + 1, sizeof *in->views);
    in->views[in->view_count++] = (struct host_view){xstrdup(src), xstrdup(dst), is_link, true};
}

static void add_view(struct interpreter *in, const char *path)
{
    add_any(in, path, path, false);
}

/* True if the folder is a prefix. /home/me/bin/python3 does not make /home/me one, nor does
 * ~/.local: a prefix must look like one, and must not be a home folder. */
static bool is_prefix(const char *folder)
{
    const char *home = getenv("HOME");

    if (strcmp(folder, "/") == 0 || (home && strcmp(folder, home) == 0) || exists(folder, ".ssh") ||
        exists(folder, ".bashrc") || exists(folder, ".profile"))
        return false;
    struct str name = str_from(strrchr(folder, '/'));
    if (str_is(name, "/.local"))
        return false;
    return exists(folder, "pyvenv.cfg") || exists(folder, "conda-meta") ||
           (exists(folder, "bin") && (exists(folder, "lib") || exists(folder, "lib64")));
}

/* Adds a view of PREFIX for a program in PREFIX/bin, and of the program alone for any other. */
static void add_program(struct interpreter *in, const char *path)
{
    if (is_system_path(path))
        return;
    AUTO_FREE char *folder = interpreter_parent(path);
    AUTO_FREE char *prefix = interpreter_parent(folder);
    add_view(in, str_ends(str_from(folder), "/bin") && is_prefix(prefix) ? prefix : path);
}

struct str interpreter_venv(const char *prefix, const char *key, char text[INTERPRETER_VENV_MAX])
{
    AUTO_FREE char *path = xasprintf("%s/pyvenv.cfg", prefix);
    struct str rest = {0}, line;

    if (fd_read_file_at(AT_FDCWD, path, text, INTERPRETER_VENV_MAX) >= 0)
        rest = str_from(text);
    while (str_next_line(&rest, &line)) {
        long equals = str_find(line, STR("="));
        if (equals >= 0 && str_is(str_trim(str_slice(line, 0, (size_t)equals)), key))
            return str_trim(str_slice(line, (size_t)equals + 1, line.n));
    }
    return (struct str){0};
}

/* pyvenv.cfg's `home` is the bin folder of the Python that the environment was made from. */
static void add_venv(struct interpreter *in, const char *prefix)
{
    char text[INTERPRETER_VENV_MAX];
    struct str home = interpreter_venv(prefix, "home", text);
    AUTO_FREE char *program = xasprintf("%.*s/python3", (int)home.n, home.p ? home.p : "");

    add_view(in, prefix);
    if (program[0] == '/' && home.n && interpreter_is_program(program))
        add_program(in, program);
}

/* True if exactly this path exists inside, with the views so far. */
static bool is_visible(const struct interpreter *in, const char *path)
{
    for (size_t i = 0; i < in->view_count; i++) {
        size_t n = strlen(in->views[i].src);
        if (strncmp(path, in->views[i].src, n) == 0 && (path[n] == '/' || path[n] == '\0'))
            return true;
    }
    return is_system_path(path);
}

/* The target of a link; NULL if it dangles. "." and ".." are resolved, because only paths without
 * them can be compared. */
static char *interpreter_target_of(const char *link, const char *text)
{
    AUTO_FREE char *folder = interpreter_parent(link);
    AUTO_FREE char *path = text[0] == '/' ? xstrdup(text) : xasprintf("%s/%s", folder, text);

    if (!strstr(path, "/./") && !strstr(path, "/../"))
        return mem_take(&path);
    AUTO_FREE char *above = interpreter_parent(path);
    AUTO_FREE char *real = realpath(above, NULL);
    return real ? xasprintf("%s%s", real, strrchr(path, '/')) : NULL;
}

/* Follows the links from PATH to the real file one by one, since each of them must exist inside. A
 * link outside every view is made as the same link inside, not as a file, because a program may
 * look for its libraries in the folder of its real file. */
static void add_hops(struct interpreter *in, const char *path, const char *real)
{
    char target[4096];
    AUTO_FREE char *at_path = xstrdup(path);

    for (int hop = 0; hop < 16 && at_path && strcmp(at_path, real) != 0; hop++) {
        ssize_t n = readlink(at_path, target, sizeof target - 1);
        bool visible = is_visible(in, at_path);
        if (n <= 0) { /* the real file, reached through a folder that is a link */
            if (!visible)
                add_program(in, at_path);
            return;
        }
        target[n] = '\0';
        if (!visible)
            add_any(in, target, at_path, true);
        char *next = interpreter_target_of(at_path, target);
        free(at_path);
        at_path = next;
    }
}

/* Calls an interpreter by the name under which it was found, if possible, because it may read that
 * name, as a virtual environment's Python and busybox do. */
static int resolve(const char *found, struct interpreter *ret, struct err *err)
{
    AUTO_FREE char *real = realpath(found, NULL);

    if (!real)
        return err_sys(err, "find %s", found);
    AUTO_FREE char *folder = interpreter_parent(found);
    AUTO_FREE char *real_folder = realpath(folder, NULL);
    if (!real_folder)
        return err_sys(err, "find %s", folder);
    AUTO_FREE char *prefix = interpreter_parent(real_folder);
    AUTO_FREE char *name = xasprintf("%s%s", real_folder, strrchr(found, '/'));
    if (exists(prefix, "pyvenv.cfg"))
        add_venv(ret, prefix);
    add_program(ret, real);
    bool by_name = is_visible(ret, found);
    if (by_name || is_visible(ret, name)) {
        ret->path = xstrdup(by_name ? found : name);
        add_hops(ret, ret->path, real);
    } else {
        ret->path = xstrdup(real);
    }
    return 0;
}

int interpreter_at(const char *path, struct interpreter *ret, struct err *err)
{
    *ret = (struct interpreter){0};
    return resolve(path, ret, err);
}

void interpreter_show(struct interpreter *in, const char *path)
{
    AUTO_FREE char *real = realpath(path, NULL);

    if (!real || is_visible(in, real))
        return;
    add_view(in, real);
    in->views[in->view_count - 1].is_interpreters = false;
    if (strcmp(real, path) != 0)
        add_hops(in, path, real);
}

void interpreter_add(struct interpreter *in, const struct interpreter *other)
{
    for (size_t i = 0; i < other->view_count; i++)
        add_any(in, other->views[i].src, other->views[i].dst, other->views[i].is_link);
}

static int resolve_with_needs(const struct language *language, const char *found,
                              struct interpreter *ret, struct err *err)
{
    if (resolve(found, ret, err) < 0)
        return -1;
    for (const char *const *path = language->needs; path && *path; path++)
        interpreter_show(ret, *path);
    return 0;
}

int interpreter_find(const struct language *language, struct interpreter *ret, struct err *err)
{
    *ret = (struct interpreter){0};
    for (const char *const *name = language->programs; *name; name++) {
        AUTO_FREE char *found = interpreter_search(*name);
        if (found)
            return resolve_with_needs(language, found, ret, err);
    }
    return err_set(err, ERR_UNSUPPORTED, "no %s on this machine (looked for %s in $PATH); %s",
                   language->name, language->programs[0], language->install);
}

/* ---- a cache of recent results: a daemon may look up a hundred times a second ---- */

#define KNOWN_MS    1000
#define KNOWN_COUNT 8

static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;
static struct known {
    char *asked; /* everything on which the answer depends, except the disk */
    int64_t until_ms;
    struct interpreter found;
} known[KNOWN_COUNT];
static size_t known_next;

static struct interpreter copy_of(const struct interpreter *in)
{
    struct interpreter copy = {.path = xstrdup(in->path)};

    interpreter_add(&copy, in);
    return copy;
}

bool interpreter_recall(const char *asked, struct interpreter *ret)
{
    int64_t now = clock_mono_ms();
    bool found = false;

    pthread_mutex_lock(&known_lock);
    for (size_t i = 0; i < KNOWN_COUNT && !found; i++) {
        const struct known *k = &known[i];
        if (!k->asked || k->until_ms < now || strcmp(k->asked, asked) != 0)
            continue;
        *ret = copy_of(&k->found);
        found = true;
    }
    pthread_mutex_unlock(&known_lock);
    return found;
}

void interpreter_remember(const char *asked, const struct interpreter *found)
{
    pthread_mutex_lock(&known_lock);
    struct known *k = &known[known_next++ % KNOWN_COUNT];
    free(k->asked);
    interpreter_done(&k->found);
    *k = (struct known){
        .asked = xstrdup(asked), .until_ms = clock_mono_ms() + KNOWN_MS, .found = copy_of(found)};
    pthread_mutex_unlock(&known_lock);
}

void interpreter_ask(const char *const *names, struct buf *ret)
{
    static const char *const variables[] = {"PATH", "HOME", "PYENV_VERSION"};

    buf_init(ret, 1 << 20);
    for (; *names; names++)
        (void)buf_addf(ret, "%s\n", *names);
    for (size_t i = 0; i < ARRAY_LEN(variables); i++) {
        const char *value = getenv(variables[i]);
        (void)buf_addf(ret, "%s\n", value ? value : "");
    }
}

int interpreter_find_recent(const struct language *language, struct interpreter *ret,
                            struct err *err)
{
    AUTO_BUF struct buf asked = {0};

    interpreter_ask(language->programs, &asked);
    for (const char *const *path = language->needs; path && *path; path++)
        (void)buf_addf(&asked, "%s\n", *path);
    if (interpreter_recall(asked.p, ret))
        return 0;
    if (interpreter_find(language, ret, err) < 0)
        return -1;
    interpreter_remember(asked.p, ret);
    return 0;
}

void interpreter_done(struct interpreter *interpreter)
{
    for (size_t i = 0; i < interpreter->view_count; i++) {
        free(interpreter->views[i].src);
        free(interpreter->views[i].dst);
    }
    free(interpreter->views);
    free(interpreter->path);
    free(interpreter->image);
    *interpreter = (struct interpreter){0};
}
