/* SPDX-License-Identifier: Apache-2.0 */
#include "languages/pythons.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"

enum { LISTED_MAX = 300 };

/* ---- versions ---- */

/* "3.12" or "3". */
static bool read_version(struct str text, unsigned *ret_minor)
{
    int64_t minor = 0;

    if (text.n > 2 && text.n <= 4 && str_starts(text, "3.") &&
        num_int64(str_slice(text, 2, text.n), &minor) && minor > 0 && text.p[2] != '0') {
        *ret_minor = (unsigned)minor;
        return true;
    }
    *ret_minor = 0;
    return str_is(text, "3");
}

bool python_is_version(struct str text, unsigned *ret_minor)
{
    if (str_starts(text, "python"))
        text = str_slice(text, strlen("python"), text.n);
    return read_version(text, ret_minor);
}

bool python_is_language(struct str name)
{
    unsigned minor;

    return str_starts(name, "python") && python_is_version(name, &minor);
}

/* A patch release, or a Python that Glovebox does not run: better refused than taken for a path. */
static bool looks_like_version(struct str text)
{
    if (str_starts(text, "python"))
        text = str_slice(text, strlen("python"), text.n);
    for (size_t i = 0; i < text.n; i++)
        if (!strchr("0123456789.", text.p[i]))
            return false;
    return text.n && text.p[0] != '.';
}

unsigned python_of_shebang(struct str code)
{
    struct str line, word;
    unsigned minor = 0;

    if (!str_starts(code, "#!") || !str_next_line(&code, &line))
        return 0;
    line = str_trim(str_slice(line, 2, line.n));
    while (str_next(&line, ' ', &word)) {
        for (size_t i = word.n; i > 0; i--)
            if (word.p[i - 1] == '/') {
                word = str_slice(word, i, word.n);
                break;
            }
        if (word.n && !str_is(word, "env") && word.p[0] != '-')
            return str_starts(word, "python") && python_is_version(word, &minor) ? minor : 0;
    }
    return 0;
}

static char *parent_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && slash != path ? xstrndup(path, (size_t)(slash - path)) : xstrdup("/");
}

/* "version = 3.12.1" in the pyvenv.cfg of a virtual environment, whose Python may be a copy. */
static unsigned minor_of_venv(const char *path)
{
    AUTO_FREE char *folder = parent_of(path), *prefix = parent_of(folder);
    AUTO_FREE char *name = xasprintf("%s/pyvenv.cfg", prefix);
    struct str rest, line;
    char text[4096];
    unsigned minor;

    if (fd_read_file_at(AT_FDCWD, name, text, sizeof text) < 0)
        return 0;
    rest = str_from(text);
    while (str_next_line(&rest, &line)) {
        long equals = str_find(line, STR("="));
        struct str key = str_trim(str_slice(line, 0, equals < 0 ? 0 : (size_t)equals));
        if (!str_is(key, "version") && !str_is(key, "version_info"))
            continue;
        struct str value = str_trim(str_slice(line, (size_t)equals + 1, line.n));
        long dot = str_find(value, STR(".")), end = 0;
        if (dot > 0)
            end = str_find(str_slice(value, (size_t)dot + 1, value.n), STR("."));
        value.n = dot > 0 && end > 0 ? (size_t)(dot + 1 + end) : value.n;
        return read_version(value, &minor) ? minor : 0;
    }
    return 0;
}

unsigned python_minor(const char *path)
{
    AUTO_FREE char *real = path ? realpath(path, NULL) : NULL;
    const char *slash = real ? strrchr(real, '/') : NULL;
    unsigned minor = 0;

    if (!slash)
        return 0;
    if (python_is_version(str_from(slash + 1), &minor) && minor)
        return minor;
    return minor_of_venv(path);
}

unsigned interpreter_minor(const struct interpreter *interpreter)
{
    return interpreter->image ? interpreter->minor : python_minor(interpreter->path);
}

/* ---- by version ---- */

static bool is_program(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static bool is_of_version(const char *path, unsigned minor)
{
    return is_program(path) && python_minor(path) == minor;
}

/* FOLDER/NAME/bin/python3.N for the NAMEs that begin like this; the newest of them. */
static char *newest_in(const char *folder, const char *begin, unsigned minor)
{
    DIR *dir = opendir(folder);
    char *best = NULL;

    for (struct dirent *d; dir && (d = readdir(dir));) {
        if (strncmp(d->d_name, begin, strlen(begin)) != 0)
            continue;
        AUTO_FREE char *path = xasprintf("%s/%s/bin/python3.%u", folder, d->d_name, minor);
        if (is_of_version(path, minor) && (!best || strverscmp(path, best) > 0)) {
            free(best);
            best = mem_take(&path);
        }
    }
    if (dir)
        closedir(dir);
    return best;
}

static char *in_known_folders(unsigned minor)
{
    static const struct {
        const char *variable, *below, *fallback, *begin;
    } places[] = {
        {"PYENV_ROOT", "/versions", "/.pyenv/versions", "3."},
        {"UV_PYTHON_INSTALL_DIR", "", "/.local/share/uv/python", "cpython-3."},
        {NULL, "", "", "miniconda3"},
        {NULL, "", "", "miniforge3"},
        {NULL, "", "", "anaconda3"},
    };
    const char *home = getenv("HOME");
    char *found = NULL;

    for (size_t i = 0; i < ARRAY_LEN(places) && !found; i++) {
        const char *root = places[i].variable ? getenv(places[i].variable) : NULL;
        AUTO_FREE char *folder = NULL;
        if (root && root[0] == '/')
            folder = xasprintf("%s%s", root, places[i].below);
        else if (home && home[0] == '/')
            folder = xasprintf("%s%s", home, places[i].fallback);
        found = folder ? newest_in(folder, places[i].begin, minor) : NULL;
    }
    return found;
}

static char *path_of(unsigned minor)
{
    AUTO_FREE char *name = xasprintf("python3.%u", minor);
    AUTO_FREE char *found = interpreter_search(name);

    if (found && is_of_version(found, minor))
        return mem_take(&found);
    return in_known_folders(minor);
}

void pythons_each(void (*each)(void *ctx, unsigned minor, const char *path), void *ctx)
{
    for (unsigned minor = 1; minor <= PYTHONS_MINOR_MOST; minor++) {
        AUTO_FREE char *path = path_of(minor);
        if (path)
            each(ctx, minor, path);
    }
}

static void add_name(void *ctx, unsigned minor, const char *path)
{
    struct buf *names = ctx;

    (void)path;
    if (names->n < LISTED_MAX)
        (void)buf_addf(names, "%s3.%u", names->n ? ", " : "", minor);
}

static int no_such(const char *choice, struct err *err)
{
    AUTO_BUF struct buf names = {0};

    if (str_starts(str_from(choice), "python"))
        choice += strlen("python");
    buf_init(&names, 2 * LISTED_MAX);
    pythons_each(add_name, &names);
    return err_set(err, ERR_UNSUPPORTED,
                   "no Python %s on this machine, in $PATH or the folders of pyenv, uv and conda; "
                   "there is %s",
                   choice, names.n ? names.p : "none");
}

static char *newest(void)
{
    char *path = NULL;

    for (unsigned minor = PYTHONS_MINOR_MOST; minor && !path; minor--)
        path = path_of(minor);
    return path;
}

/* ---- by path ---- */

static bool is_binary(const char *path)
{
    char head[4] = "";
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    return fd >= 0 && read(fd, head, 4) == 4 && memcmp(head, "\177ELF", 4) == 0;
}

/* By the name of its real file; a virtual environment may have a copy, also of that name. It is not
 * started to find out: the guest's wall is not around it here. */
static int check_is_python(const char *path, struct err *err)
{
    AUTO_FREE char *real = realpath(path, NULL);
    const char *slash = real ? strrchr(real, '/') : NULL;

    if (!slash)
        return err_sys(err, "%s", path);
    bool named =
        str_starts(str_from(slash + 1), "python") || str_starts(str_from(slash + 1), "pypy");
    if (!named)
        return err_set(err, ERR_USAGE, "%s is not a Python: its file is %s", path, real);
    if (str_starts(str_from(slash + 1), "python2"))
        return err_set(err, ERR_USAGE, "%s is a Python 2; programs run with Python 3", path);
    return is_binary(real) ? 0
                           : err_set(err, ERR_USAGE,
                                     "%s is not a Python: it is a script or a data file; name the "
                                     "interpreter itself",
                                     path);
}

/* The program itself, or the one in a folder's bin. */
static char *program_at(const char *choice)
{
    AUTO_FREE char *path = NULL;
    struct str text = str_from(choice);
    struct stat st;

    while (text.n > 1 && text.p[text.n - 1] == '/')
        text.n--;
    if (stat(choice, &st) == 0 && S_ISDIR(st.st_mode)) {
        path = xasprintf("%.*s/bin/python3", (int)text.n, text.p);
        if (!is_program(path)) {
            free(path);
            path = xasprintf("%.*s/bin/python", (int)text.n, text.p);
        }
    } else {
        path = strchr(choice, '/') ? xstrdup(choice) : xasprintf("./%s", choice);
    }
    return interpreter_search(path);
}

static int find_at(const char *choice, struct interpreter *ret, struct err *err)
{
    AUTO_FREE char *path = NULL;
    struct stat st;

    if (!strchr(choice, '/') && looks_like_version(str_from(choice)))
        return err_set(err, ERR_USAGE,
                       "'%s' is not a version of Python 3 with one or two parts, as 3.12; name "
                       "another Python by its path",
                       choice);
    if (stat(choice, &st) < 0)
        return err_set(err, ERR_USAGE, "'%s' is neither a version, as 3.12, nor a file or folder",
                       choice);
    path = program_at(choice);
    if (!path)
        return err_set(err, ERR_USAGE, "%s %s", choice,
                       S_ISDIR(st.st_mode) ? "has no bin/python3" : "is not a program");
    return check_is_python(path, err) < 0 ? -1 : interpreter_at(path, ret, err);
}

bool python_find_minor(unsigned minor, struct interpreter *ret)
{
    AUTO_FREE char *path = path_of(minor);
    struct err none;

    return path && interpreter_at(path, ret, &none) == 0;
}

static int find(const char *choice, struct interpreter *ret, struct err *err)
{
    AUTO_FREE char *path = NULL;
    unsigned minor;

    *ret = (struct interpreter){0};
    if (!python_is_version(str_from(choice), &minor)) {
        if (find_at(choice, ret, err) == 0)
            return 0;
        return err_wrap(err, "--python");
    }
    if (minor)
        path = path_of(minor);
    else if (!(path = interpreter_search("python3")))
        path = newest();
    return path ? interpreter_at(path, ret, err) : no_such(choice, err);
}

/* A path in the current folder may be another one in a moment. */
static bool is_fixed(const char *choice)
{
    unsigned minor;

    return choice[0] == '/' || python_is_version(str_from(choice), &minor);
}

int python_find(const char *choice, struct interpreter *ret, struct err *err)
{
    const char *const names[] = {"--python", choice, NULL};
    AUTO_BUF struct buf asked = {0};

    if (!is_fixed(choice))
        return find(choice, ret, err);
    interpreter_ask(names, &asked);
    if (interpreter_recall(asked.p, ret))
        return 0;
    if (find(choice, ret, err) < 0)
        return -1;
    interpreter_remember(asked.p, ret);
    return 0;
}
