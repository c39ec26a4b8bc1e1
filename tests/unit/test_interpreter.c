/* SPDX-License-Identifier: Apache-2.0
 *
 * Made-up installations in a temporary folder: what is found, and how little of the host is shown
 * for it.
 */
#include "languages/interpreter.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "languages/pythons.h"
#include "tap.h"

static char *root; /* the temporary folder, its links resolved */

static const char *const programs[] = {"glove-python", "glove-python3", NULL};
static const struct language language = {
    .name = "glove", .programs = programs, .install = "install it from nowhere"};

static char *under(const char *path)
{
    return xasprintf("%s/%s", root, path);
}

static void make_parents(char *path)
{
    for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        (void)mkdir(path, 0755);
        *p = '/';
    }
}

static void put(const char *name, const char *text, mode_t mode)
{
    AUTO_FREE char *path = under(name);

    make_parents(path);
    AUTO_CLOSE int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, mode);
    (void)fd_write_all(fd, text, strlen(text));
}

static void put_program(const char *name)
{
    put(name,
        "\x7f"
        "ELF",
        0755);
}

static void put_link(const char *name, const char *target)
{
    AUTO_FREE char *path = under(name);

    make_parents(path);
    (void)!symlink(target, path);
}

/* $PATH from folders below the root, separated by colons. */
static void set_path(const char *folders)
{
    AUTO_BUF struct buf b = {0};
    struct str rest = str_from(folders), one;

    buf_init(&b, 4096);
    while (str_next(&rest, ':', &one))
        (void)buf_addf(&b, "%s%s/%.*s", b.n ? ":" : "", root, (int)one.n, one.p);
    setenv("PATH", b.p, 1);
}

/* Paths below the root; NULL for what is not to be. */
static void finds(const char *what, const char *path, const char *view1, const char *view2)
{
    struct interpreter in;
    struct err err = {0};
    AUTO_FREE char *want = under(path);

    if (!OK(interpreter_find(&language, &in, &err) == 0, "%s: found", what)) {
        printf("# %s\n", err.msg);
        return;
    }
    EQ_STR(in.path, want);
    const char *const views[] = {view1, view2};
    size_t n = view2 ? 2 : view1 ? 1 : 0;
    EQ_INT(in.view_count, n);
    for (size_t i = 0; i < n && i < in.view_count; i++) {
        AUTO_FREE char *view = under(views[i]);
        EQ_STR(in.views[i].src, view);
        EQ_STR(in.views[i].dst, view); /* an environment knows itself by its path */
    }
    interpreter_done(&in);
}

static void test_plain(void)
{
    struct interpreter in;
    struct err err = {0};

    set_path("none");
    OK(interpreter_find(&language, &in, &err) < 0 && err.kind == ERR_UNSUPPORTED, "%s", err.msg);
    OK(strstr(err.msg, "install it from nowhere") != NULL, "it says how to get it");

    put("text/glove-python", "not a program", 0644);
    put_program("lone/glove-python3");
    set_path("text:lone");
    finds("a lone program, behind one that cannot be executed", "lone/glove-python3",
          "lone/glove-python3", NULL);
    put_program("first/glove-python");
    set_path("lone:first");
    finds("the better name, also later in $PATH", "first/glove-python", "first/glove-python", NULL);
}

static void test_prefix(void)
{
    put_program("conda/bin/glove-python");
    put("conda/lib/libglove.so", "", 0644);
    set_path("conda/bin");
    finds("a prefix with bin and lib", "conda/bin/glove-python", "conda", NULL);

    put_program("home/bin/glove-python");
    put("home/lib/x", "", 0644);
    put("home/.bashrc", "", 0644);
    set_path("home/bin");
    finds("a home is no prefix", "home/bin/glove-python", "home/bin/glove-python", NULL);

    put_program("other/bin/glove-python");
    put("other/lib/x", "", 0644);
    AUTO_FREE char *other = under("other");
    setenv("HOME", other, 1);
    set_path("other/bin");
    finds("nor is $HOME", "other/bin/glove-python", "other/bin/glove-python", NULL);
    setenv("HOME", "/nonexistent", 1);

    put_program("u/.local/bin/glove-python");
    put("u/.local/lib/x", "", 0644);
    set_path("u/.local/bin");
    finds("nor is ~/.local", "u/.local/bin/glove-python", "u/.local/bin/glove-python", NULL);
}

/* That a link on the way is the same link inside: $ORIGIN is where the real file lies. */
static void finds_hop(const char *path, const char *text)
{
    struct interpreter in;
    struct err err = {0};
    AUTO_FREE char *want = under(path);
    const struct host_view *hop = NULL;

    OK(interpreter_find(&language, &in, &err) == 0, "by a link in the middle");
    for (size_t i = 0; i < in.view_count; i++)
        if (in.views[i].is_link)
            hop = &in.views[i];
    EQ_STR(hop ? hop->dst : NULL, want);
    EQ_STR(hop ? hop->src : NULL, text);
    interpreter_done(&in);
}

static void test_links(void)
{
    put_program("nvm/v20/bin/glove-python");
    put("nvm/v20/lib/x", "", 0644);
    put_link("links/glove-python", "../nvm/v20/bin/glove-python");
    set_path("links");
    finds("a link to a prefix", "nvm/v20/bin/glove-python", "nvm/v20", NULL);
    put_link("shown/bin/glove-python", "../../hops/glove-python");
    put("shown/lib/x", "", 0644);
    put_link("hops/glove-python", "../nvm/v20/bin/glove-python");
    put("shown/pyvenv.cfg", "", 0644);
    set_path("shown/bin");
    finds_hop("hops/glove-python", "../nvm/v20/bin/glove-python");
    put_link("loop/glove-python", "glove-python");
    set_path("loop:links");
    finds("a link to itself is passed over", "nvm/v20/bin/glove-python", "nvm/v20", NULL);
}

static void test_venv(void)
{
    put_program("base/bin/glove-python");
    put_link("base/bin/python3", "glove-python");
    put("base/lib/x", "", 0644);
    put_link("venv/bin/glove-python", "../../base/bin/glove-python");
    put("venv/pyvenv.cfg", "include-system-site-packages = false\n", 0644);
    set_path("venv/bin");
    finds("a virtual environment, called by its own path", "venv/bin/glove-python", "venv", "base");

    AUTO_FREE char *home = under("base/bin");
    AUTO_FREE char *cfg = xasprintf("# made by hand\nhome = %s \nversion = 3\n", home);
    put("venv/pyvenv.cfg", cfg, 0644);
    finds("and its home", "venv/bin/glove-python", "venv", "base");

    put_link("short/glove-python", "../venv/bin/glove-python");
    put("venv/pyvenv.cfg", "home = relative\nhome\n= \n", 0644);
    set_path("venv/bin");
    finds("a pyvenv.cfg that makes no sense", "venv/bin/glove-python", "venv", "base");
}

static void test_pyenv(void)
{
    put_program("pyenv/versions/3.12.1/bin/glove-python");
    put("pyenv/versions/3.12.1/lib/x", "", 0644);
    put_program("pyenv/versions/3.9/bin/glove-python");
    put("pyenv/versions/3.9/lib/x", "", 0644);
    put("pyenv/shims/glove-python", "#!/usr/bin/env bash\nexec pyenv\n", 0755);
    put("pyenv/version", "3.9\n", 0644);
    unsetenv("PYENV_VERSION");
    set_path("pyenv/shims:first");
    finds("pyenv's global choice", "pyenv/versions/3.9/bin/glove-python", "pyenv/versions/3.9",
          NULL);

    put(".python-version", "\n", 0644);
    finds("an empty local one does not count", "pyenv/versions/3.9/bin/glove-python",
          "pyenv/versions/3.9", NULL);
    put(".python-version", "  3.12.1 \t3.9\n3.9\n", 0644);
    finds("a local one does", "pyenv/versions/3.12.1/bin/glove-python", "pyenv/versions/3.12.1",
          NULL);
    setenv("PYENV_VERSION", "3.9:3.12.1", 1);
    finds("the variable before all", "pyenv/versions/3.9/bin/glove-python", "pyenv/versions/3.9",
          NULL);
    setenv("PYENV_VERSION", "../../first", 1);
    finds("a version with a slash is none: the next in $PATH", "first/glove-python",
          "first/glove-python", NULL);
    setenv("PYENV_VERSION", "2.0", 1);
    finds("nor is one that is not there", "first/glove-python", "first/glove-python", NULL);
    unsetenv("PYENV_VERSION");
}

/* "." or "" in $PATH would take a program from the folder the user happens to be in. */
static void test_relative_path(void)
{
    struct interpreter in;
    struct err err = {0};
    AUTO_FREE char *folder = under("first");

    OK(chdir(folder) == 0, "in a folder with a program of that name");
    setenv("PATH", ":.:../first", 1);
    OK(interpreter_find(&language, &in, &err) < 0, "a relative $PATH finds nothing");
    OK(chdir(root) == 0, "back");
}

static void test_named(void)
{
    static const char *named[] = {"first/glove-python", NULL};
    const struct language by_path = {.name = "glove", .programs = named, .install = "-"};
    struct interpreter in;
    struct err err = {0};
    AUTO_FREE char *want = under("first/glove-python");

    OK(interpreter_find(&by_path, &in, &err) == 0, "a configured path is taken as it is");
    EQ_STR(in.path, want);
    interpreter_done(&in);
}

/* The system's own folders are inside anyway. */
static void test_system(void)
{
    static const char *const names[] = {"sh", NULL};
    const struct language sh = {.name = "sh", .programs = names, .install = "-"};
    struct interpreter in;
    struct err err = {0};

    setenv("PATH", "/usr/bin:/bin", 1);
    OK(interpreter_find(&sh, &in, &err) == 0 && in.view_count == 0, "sh needs nothing shown");
    interpreter_done(&in);

    static const char *const chosen[] = {"awk", NULL};
    const struct language awk = {.name = "awk", .programs = chosen, .install = "-"};
    if (access("/etc/alternatives/awk", X_OK) < 0) {
        SKIP("no awk in /etc/alternatives");
        return;
    }
    OK(interpreter_find(&awk, &in, &err) == 0 && in.view_count == 0,
       "nor does what /etc/alternatives leads to");
    interpreter_done(&in);
}

static bool can_choose(const char *choice)
{
    struct interpreter found = {0};
    struct err err;
    bool good = python_find(choice, &found, &err) == 0 && found.path && *found.path;

    interpreter_done(&found);
    return good;
}

/* A chosen Python is remembered for a second, for a daemon asks again with each run. */
static void test_chosen_recently(void)
{
    AUTO_FREE char *path = under("recent/python3");

    put_program("opt/python3");
    OK(!can_choose(path), "no Python yet");
    put_link("recent/python3", "../opt/python3");
    OK(can_choose(path), "that was not remembered");
    OK(unlink(path) == 0 && can_choose(path), "an answer is good for a second");
    OK(chdir("recent") == 0 && !can_choose("./python3"),
       "not that for a path in the current folder");
    OK(chdir(root) == 0, "back");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

int main(void)
{
    char folder[] = "/tmp/test_interpreter.XXXXXX";

    if (!mkdtemp(folder) || chdir(folder) < 0)
        return 1;
    root = realpath(folder, NULL);
    setenv("HOME", "/nonexistent", 1);
    RUN(test_plain());
    RUN(test_prefix());
    RUN(test_links());
    RUN(test_venv());
    RUN(test_pyenv());
    RUN(test_relative_path());
    RUN(test_named());
    RUN(test_system());
    RUN(test_chosen_recently());
    (void)nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(root);
    return tap_done();
}
