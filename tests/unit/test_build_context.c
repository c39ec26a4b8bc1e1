/* SPDX-License-Identifier: Apache-2.0
 *
 * The context of an image's build: what goes into it, and what never does.
 */
#include "docker/build_context.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "docker/ignore.h"
#include "docker/tar.h"
#include "jail/host_box.h"
#include "tap.h"

static char folder[] = "/tmp/glovebox-context-XXXXXX";

static const char *at(const char *name)
{
    static char path[5000];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put(const char *name, const char *text)
{
    int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    (void)!write(fd, text, strlen(text));
    close(fd);
}

/* ---- patterns ---- */

static void test_patterns(void)
{
    static const struct {
        const char *text, *path;
        bool out;
    } rows[] = {
        {"a", "a", true},
        {"a", "a/b", true},
        {"a", "ab", false},
        {"a", "b/a", false},
        {"/a/", "a/b", true},
        {"./a", "a", true},
        {"*.pyc", "x.pyc", true},
        {"*.pyc", "d/x.pyc", false},
        {"*/*.pyc", "d/x.pyc", true},
        {"**/*.pyc", "x.pyc", true},
        {"**/*.pyc", "a/b/x.pyc", true},
        {"**/b", "ab", false},
        {"**/b", "a/b/c", true},
        {"a/**", "a", false},
        {"a/**", "a/b", true},
        {"a/**/d", "a/d", true},
        {"a/**/d", "a/b/c/d", true},
        {"a/**/d", "ad", false},
        {"**", "anything/at all", true},
        {"x?", "xy", true},
        {"x?", "x/", false},
        {"[a-c]x", "bx", true},
        {"[^a-c]x", "bx", false},
        {"[]]", "]", true},
        {"\\*", "*", true},
        {"\\*", "a", false},
        {"# a", "a", false},
        {"  a  \r", "a", true},
        {"*\n!keep", "keep", false},
        {"*\n!keep", "other", true},
        {"a\n!a/b", "a/b", false},
        {"a\n!a/b", "a/c", true},
        {"!a\na", "a", true},
        {"", "a", false},
        {"/", "a", false},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct ignore ignore = {0};
        struct err err;
        EQ_INT(ignore_read(&ignore, str_from(rows[i].text), &err), 0);
        OK(ignore_matches(&ignore, str_from(rows[i].path)) == rows[i].out, "pattern %zu and %s", i,
           rows[i].path);
        ignore_done(&ignore);
    }
}

static void test_bad_patterns(void)
{
    static const char *const bad[] = {"[", "[a", "[^", "a\\", "[\\]"};

    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct ignore ignore = {0};
        struct err err;
        EQ_INT(ignore_read(&ignore, str_from(bad[i]), &err), -1);
        OK(strstr(err.msg, bad[i]), "the error has '%s'", bad[i]);
        ignore_done(&ignore);
    }
}

/* Many stars and a long path: no more steps than the product of both lengths. */
static void test_slow_pattern(void)
{
    struct ignore ignore = {0};
    struct err err;
    char pattern[IGNORE_LINE_MAX], path[4000];

    for (size_t i = 0; i + 2 < sizeof pattern; i += 2)
        memcpy(pattern + i, "*a", 2);
    pattern[sizeof pattern - 2] = '\0';
    memset(path, 'a', sizeof path - 2);
    memcpy(path + sizeof path - 2, "b", 2);
    EQ_INT(ignore_read(&ignore, str_from(pattern), &err), 0);
    OK(!ignore_matches(&ignore, str_from(path)), "a pattern of many stars ends");
    ignore_done(&ignore);
}

/* ---- the archive ---- */

/* Names and sizes of the archive's entries: "Dockerfile:7 a/:0 a/b:3 l->c". */
static char *listing(const struct build_context *c)
{
    AUTO_BUF struct buf bytes = {0}, out = {0};

    buf_init(&bytes, 64 << 20);
    buf_init(&out, 64 << 10);
    (void)fd_read_all(c->fd, &bytes);
    for (size_t i = 0; i + TAR_BLOCK <= bytes.n && bytes.p[i];) {
        const char *head = bytes.p + i;
        size_t size = strtoul(head + 124, NULL, 8);
        char kind = head[156];
        (void)buf_addf(&out, "%s%.100s%s%.100s:%zu", out.n ? " " : "", head,
                       kind == TAR_LINK     ? "->"
                       : kind == TAR_FOLDER ? "/"
                                            : "",
                       kind == TAR_LINK ? head + 157 : "", size);
        i += TAR_BLOCK + (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
    }
    EQ_INT(bytes.n % TAR_BLOCK, 0);
    return buf_take(&out);
}

static void check(const char *path, const char *want, char ret_sum[SHA256_HEX])
{
    struct build_context c;
    struct err err = {0};

    if (!OK(build_context_make(path, &c, &err) == 0, "a context of %s: %s", path, err.msg))
        return;
    AUTO_FREE char *got = listing(&c);
    EQ_STR(got, want);
    if (ret_sum)
        memcpy(ret_sum, c.sum, SHA256_HEX);
    build_context_done(&c);
}

static void test_folder(void)
{
    char first[SHA256_HEX], second[SHA256_HEX], third[SHA256_HEX];

    put("Dockerfile", "FROM x\nCOPY . /\n");
    (void)mkdir(at("b"), 0700);
    put("b/deep", "123");
    put("a.txt", "text");
    put("secret", "no");
    (void)mkfifo(at("pipe"), 0600);
    (void)!symlinkat("/etc/shadow", AT_FDCWD, at("shadow"));
    put(".dockerignore", "secret\n.dockerignore\nDockerfile\n");
    check(folder, "Dockerfile:16 a.txt:4 b/:0 b/deep:3 shadow->/etc/shadow:0", first);
    check(folder, "Dockerfile:16 a.txt:4 b/:0 b/deep:3 shadow->/etc/shadow:0", second);
    EQ_STR(first, second);
    put("b/deep", "124");
    check(folder, "Dockerfile:16 a.txt:4 b/:0 b/deep:3 shadow->/etc/shadow:0", third);
    OK(strcmp(first, third) != 0, "another byte, another sum");
    put(".dockerignore", "*\n!b/deep\n");
    check(at("Dockerfile"), "Dockerfile:16 b/deep:3", NULL);
}

static void test_alone(void)
{
    put("Alone", "FROM x\nRUN true\n");
    check(at("Alone"), "Alone:16", NULL);
    put("Alone", "FROM x\ncopy a.txt /\n");
    put("Alone.dockerignore", "*\n");
    check(at("Alone"), "Alone:20", NULL);
    put("Alone.dockerignore", "*\n!a.txt\n");
    check(at("Alone"), "Alone:20 a.txt:4", NULL);
}

static void check_text(const char *text, const struct named_bytes files[2], const char *want,
                       char ret_sum[SHA256_HEX])
{
    struct build_context c;
    struct err err = {0};

    if (!OK(build_context_of(str_from(text), files, 2, &c, &err) == 0, "a text: %s", err.msg))
        return;
    AUTO_FREE char *got = listing(&c);
    EQ_STR(got, want);
    memcpy(ret_sum, c.sum, SHA256_HEX);
    build_context_done(&c);
}

static void test_text(void)
{
    const struct named_bytes files[] = {{STR("b/c"), STR("123")}, {STR("a"), STR("1")}};
    const struct named_bytes turned[] = {files[1], files[0]};
    char first[SHA256_HEX], second[SHA256_HEX];

    check_text("FROM x\nRUN true\n", files, "Dockerfile:16", first);
    check_text("FROM x\nCOPY a /\n", files, "a:1 b/c:3 Dockerfile:16", first);
    check_text("FROM x\nCOPY a /\n", turned, "a:1 b/c:3 Dockerfile:16", second);
    EQ_STR(first, second);
}

static void test_long_name(void)
{
    char name[201] = "";
    struct build_context c;
    struct err err;

    memset(name, 'n', 200);
    (void)mkdir(at("long"), 0700);
    put("long/Dockerfile", "FROM x\n");
    AUTO_FREE char *path = xasprintf("long/%s", name);
    put(path, "text");
    EQ_INT(build_context_make(at("long"), &c, &err), 0);
    AUTO_FREE char *got = listing(&c);
    OK(strstr(got, "././@LongLink:201 nnn") && strstr(got, "nnn:4"), "a long name: %.100s", got);
    build_context_done(&c);
}

static void refused(const char *path, enum err_kind kind, const char *words)
{
    struct build_context c;
    struct err err = {0};

    EQ_INT(build_context_make(path, &c, &err), -1);
    EQ_INT(err.kind, kind);
    OK(strstr(err.msg, words), "the reason: %s", err.msg);
}

static void test_refused(void)
{
    refused(at("nothing"), ERR_USAGE, "No such file");
    refused(at("b"), ERR_USAGE, "there is no Dockerfile in this folder");
    put(".dockerignore", "[\n");
    refused(folder, ERR_USAGE, "'[' is not a pattern");
    (void)unlink(at(".dockerignore"));
    int fd = open(at("large"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    (void)!ftruncate(fd, (off_t)1 << 40);
    close(fd);
    refused(folder, ERR_LIMIT, "more than 1024 MiB");
    (void)unlink(at("large"));
    AUTO_FREE char *deep = xstrdup("");
    for (int i = 0; i <= CONTEXT_DEPTH_MAX; i++) {
        char *deeper = xasprintf("%s%sd", deep, i ? "/" : "");
        free(deep);
        deep = deeper;
        (void)mkdir(at(deep), 0700);
    }
    refused(folder, ERR_LIMIT, "folders inside each other");
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    RUN(test_patterns());
    RUN(test_bad_patterns());
    RUN(test_slow_pattern());
    RUN(test_folder());
    RUN(test_alone());
    RUN(test_text());
    RUN(test_long_name());
    RUN(test_refused());
    host_box_remove(folder);
    return tap_done();
}
