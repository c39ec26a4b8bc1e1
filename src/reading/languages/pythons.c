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

/* True for a patch release, or a Python that Glovebox does not run: such a choice is refused rather
 * than taken for a path. */
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

/* Reads "version = 3.12.1" from a virtual environment's pyvenv.cfg: its Python may be a copy. */
static unsigned minor_of_venv(const char *path)
{
    AUTO_FREE char *folder = interpreter_parent(path), *prefix = interpreter_parent(folder);
    char text[INTERPRETER_VENV_MAX];
    struct str value = interpreter_venv(prefix, "version", text), major, minor;
    unsigned found;

    if (!value.p)
        value = interpreter_venv(prefix, "version_info", text);
    struct str rest = value;
    if (!str_next(&rest, '.', &major) || !str_next(&rest, '.', &minor))
        return 0;
    value.n = (size_t)(minor.p + minor.n - value.p);
    return read_version(value, &found) ? found : 0;
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

static bool is_of_version(const char *path, unsigned minor)
{
    return interpreter_is_program(path) && python_minor(path) == minor;
}

/* The newest FOLDER/NAME/bin/python3.N of all NAMEs with this prefix. */
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

static char *pythons_path_of(unsigned minor)
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
        AUTO_FREE char *path = pythons_path_of(minor);
        if (path)
            each(ctx, minor, path);
    }
}

static void pythons_add_name(void *ctx, unsigned minor, const char *path)
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
    pythons_each(pythons_add_name, &names);
    return err_set(err, ERR_UNSUPPORTED,
                   "no Python %s on this machine, in $PATH or the folders of pyenv, uv and conda; "
                   "there is %s",
                   choice, names.n ? names.p : "none");
}

static char *newest(void)
{
    char *path = NULL;

    for (unsigned minor = PYTHONS_MINOR_MOST; minor && !path; minor--)
        path = pythons_path_of(minor);
    return path;
}

/* ---- by path ---- */

static bool is_binary(const char *path)
{
    char head[4] = "";
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    return fd >= 0 && read(fd, head, 4) == 4 && memcmp(head, "\177ELF", 4) == 0;
}

/* Checks the name of the real file; in a virtual environment that may be a copy, with the same
 * name. The program is not started, because no wall would be around it here. */
static int check_is_python(const char *path, struct err *err)
{
    AUTO_FREE char *real = realpath(path, NULL);
    const char *slash = real ? strrchr(real, '/') : NULL;

    if (!slash)
        return err_sys(err, "find %s", path);
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

/* The program itself; for a folder, the program in its bin. */
static char *program_at(const char *choice)
{
    AUTO_FREE char *path = NULL;
    struct str text = str_from(choice);
    struct stat st;

    while (text.n > 1 && text.p[text.n - 1] == '/')
        text.n--;
    if (stat(choice, &st) == 0 && S_ISDIR(st.st_mode)) {
        path = xasprintf("%.*s/bin/python3", (int)text.n, text.p);
        if (!interpreter_is_program(path)) {
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
    AUTO_FREE char *path = pythons_path_of(minor);
    struct err none;

    return path && interpreter_at(path, ret, &none) == 0;
}

static int pythons_find(const char *choice, struct interpreter *ret, struct err *err)
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
        path = pythons_path_of(minor);
    else if (!(path = interpreter_search("python3")))
        path = newest();
    return path ? interpreter_at(path, ret, err) : no_such(choice, err);
}

/* False for a relative path: its meaning changes with the current folder, so it is not cached. */
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
        return pythons_find(choice, ret, err);
    interpreter_ask(names, &asked);
    if (interpreter_recall(asked.p, ret))
        return 0;
    if (pythons_find(choice, ret, err) < 0)
        return -1;
    interpreter_remember(asked.p, ret);
    return 0;
}
