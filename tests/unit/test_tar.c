/* SPDX-License-Identifier: Apache-2.0
 *
 * The archive that an engine gets, and the walk through a folder for one.
 */
#include "engine/tar.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "engine/folder.h"
#include "tap.h"

enum { BLOCK = 512 };

static char folder[] = "/tmp/glovebox-tar-XXXXXX";

static int add(struct tar *t, const char *name, struct str bytes, struct err *err)
{
    return tar_add(t, &(struct tar_entry){.name = name, .mode = 0644, .size = bytes.n}, bytes, err);
}

static void make(struct tar *t, const char *name, struct str bytes)
{
    struct err err;

    OK(tar_open(t, &err) == 0 && add(t, name, bytes, &err) == 0 && tar_end(t, &err) == 0,
       "an archive with %.20s", name);
}

static void test_bytes(void)
{
    char head[BLOCK], content[BLOCK];
    struct tar one, same, other;

    make(&one, "a", STR("content"));
    make(&same, "a", STR("content"));
    make(&other, "a", STR("contenT"));
    OK(strcmp(one.hash, same.hash) == 0 && strcmp(one.hash, other.hash) != 0,
       "equal content has one hash");
    OK(one.size == 4 * BLOCK && lseek(one.fd, 0, SEEK_CUR) == 0, "whole blocks, from the start");
    OK(read(one.fd, head, BLOCK) == BLOCK && read(one.fd, content, BLOCK) == BLOCK &&
           strcmp(head, "a") == 0 && strcmp(head + 257, "ustar") == 0 &&
           memcmp(content, "content\0", 8) == 0,
       "a head and the content");
    tar_done(&one);
    tar_done(&same);
    tar_done(&other);
}

static void test_long_name(void)
{
    char name[301], block[2 * BLOCK];
    struct tar t;

    memset(name, 'n', 300);
    name[300] = '\0';
    make(&t, name, STR(""));
    OK(read(t.fd, block, sizeof block) == sizeof block && block[156] == 'L' &&
           strcmp(block + BLOCK, name) == 0,
       "a name of 300 bytes is an entry before the entry");
    tar_done(&t);
}

static void test_refused(void)
{
    const struct tar_entry entry = {.name = "a", .size = 100};
    int file = fd_memory("short", "x", 1, &(struct err){0});
    struct tar t;
    struct err err;

    OK(tar_open(&t, &err) == 0 && tar_add_file(&t, &entry, file, &err) < 0 &&
           err.kind == ERR_SYSTEM,
       "a file that is shorter than its entry");
    t.size = TAR_BYTES_MAX - 600;
    OK(add(&t, "b", STR("x"), &err) < 0 && err.kind == ERR_LIMIT && strstr(err.msg, "1024 MiB"),
       "more than a gigabyte");
    fd_close(&file);
    tar_done(&t);
}

/* ---- the walk ---- */

static int note(void *ctx, const struct folder_entry *entry, struct err *err)
{
    (void)err;
    return buf_addf(ctx, "%s%s ", entry->path, S_ISDIR(entry->st->st_mode) ? "/" : "");
}

static void put(const char *name)
{
    AUTO_FREE char *path = xasprintf("%s/%s", folder, name);

    close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static void test_walk(void)
{
    OK(mkdtemp(folder) != NULL, "a folder");
    AUTO_FREE char *link = xasprintf("%s/deep/up", folder);
    AUTO_FREE char *deep = xasprintf("%s/deep", folder);
    AUTO_BUF struct buf seen = {0};
    struct err err;

    OK(mkdir(deep, 0700) == 0 && symlink("/etc", link) == 0, "with a link in it");
    put("deep/a");
    AUTO_CLOSE int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    buf_init(&seen, 1000);
    OK(folder_walk(fd, note, &seen, &err) == 0, "a walk");
    OK(strstr(seen.p, "deep/ ") == seen.p && strstr(seen.p, "deep/a ") &&
           strstr(seen.p, "deep/up ") && strlen(seen.p) == strlen("deep/ deep/a deep/up "),
       "no link is followed: %s", seen.p);
    AUTO_FREE char *all = xasprintf("rm -r '%s'", folder);
    OK(system(all) == 0, "removed"); /* NOLINT: a folder of this test's */
}

int main(void)
{
    RUN(test_bytes());
    RUN(test_long_name());
    RUN(test_refused());
    RUN(test_walk());
    return tap_done();
}
