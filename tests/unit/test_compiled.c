/* SPDX-License-Identifier: Apache-2.0 */
#include "compiled/compiled.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "compiled/compiled_tree.h"
#include "tap.h"

static char home[] = "/tmp/glovebox-test-compiled-XXXXXX";

static void make_key(int n, char ret[SHA256_HEX])
{
    snprintf(ret, SHA256_HEX, "%064x", n);
}

/* Makes an entry with that many bytes; the product stays in use until compiled_done. */
static int make(int n, size_t bytes, struct compiled *ret)
{
    char key[SHA256_HEX];

    *ret = (struct compiled){.lock_fd = -1};
    struct compiled_making m;
    struct err err = {0};
    make_key(n, key);
    if (compiled_begin(key, -1, &m, &err) != 0)
        return -1;
    AUTO_FREE char *out = xasprintf("%s/" COMPILED_OUT, m.folder);
    AUTO_FREE char *path = xasprintf("%s/" COMPILED_PROGRAM, out);
    AUTO_FREE char *text = xcalloc(bytes + 1, 1);
    memset(text, 'x', bytes);
    (void)mkdir(out, 0755);
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
    (void)fd_write_all(fd, text, bytes);
    int status = compiled_end(&m, key, "a warning\n", 7, ret, &err);
    if (status < 0)
        printf("# %s\n", err.msg);
    return status;
}

static bool is_there(int n)
{
    char key[SHA256_HEX];
    struct compiled c;

    make_key(n, key);
    bool found = compiled_find(key, &c);
    compiled_done(&c);
    return found;
}

static void test_entry(void)
{
    char key[SHA256_HEX];
    struct compiled made, found;

    make_key(1, key);
    OK(!compiled_find(key, &found), "nothing is there at first");
    OK(make(1, 100, &made) == 0 && made.folder, "an entry is made");
    OK(compiled_find(key, &found), "and found");
    EQ_STR(found.folder, made.folder);
    EQ_STR(found.report, "a warning\n");
    EQ_INT(found.duration_ms, 7);
    AUTO_FREE char *path = xasprintf("%s/" COMPILED_PROGRAM, found.folder);
    struct stat st;
    OK(stat(path, &st) == 0 && (st.st_mode & 07777) == 0555 && st.st_size == 100, "read-only");
    compiled_done(&found);
    compiled_done(&made);
}

static void prune(uint64_t bytes, uint64_t entries)
{
    AUTO_FREE char *folder = compiled_folder();
    AUTO_CLOSE int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    compiled_prune(fd, bytes, entries);
}

static void test_prune(void)
{
    struct compiled used, other;
    char key[SHA256_HEX];

    for (int n = 10; n < 15; n++) {
        OK(make(n, 1000, &other) == 0, "entry %d", n);
        compiled_done(&other);
        usleep(20000);
    }
    make_key(10, key);
    OK(compiled_find(key, &used), "the oldest is in use");
    prune(1 << 20, 4);
    OK(is_there(10) && !is_there(1) && !is_there(11) && is_there(12) && is_there(14),
       "beyond the number, the least recently used go");
    prune(2500, 100);
    OK(is_there(10) && !is_there(12) && is_there(14), "beyond the size, too");
    prune(0, 0);
    OK(is_there(10) && !is_there(14), "what is in use stays");
    compiled_done(&used);
    prune(0, 0);
    OK(!is_there(10), "until it is not");
}

static void test_hostile(void)
{
    struct compiled_making m;
    struct compiled c;
    struct err err = {0};

    OK(compiled_begin(NULL, -1, &m, &err) == 0 && !m.kept, "a product that is not kept");
    AUTO_FREE char *out = xasprintf("%s/" COMPILED_OUT, m.folder);
    AUTO_FREE char *path = xasprintf("%s/" COMPILED_PROGRAM, out);
    AUTO_FREE char *folder = xstrdup(m.folder);
    OK(mkdir(out, 0755) == 0 && symlink("/etc/passwd", path) == 0, "a link in its place");
    OK(compiled_end(&m, NULL, "", 0, &c, &err) < 0 && err.kind == ERR_GUEST, "is refused: %s",
       err.msg);
    OK(access(folder, F_OK) < 0 && access("/etc/passwd", F_OK) == 0, "and removed, not its target");
    compiled_done(&c);

    OK(compiled_begin(NULL, -1, &m, &err) == 0, "another one");
    free(mem_take(&out));
    out = xasprintf("%s/" COMPILED_OUT, m.folder);
    OK(symlink("/etc", out) == 0, "a link in place of its folder");
    OK(compiled_end(&m, NULL, "", 0, &c, &err) < 0, "is refused: %s", err.msg);
    compiled_done(&c);
}

int main(void)
{
    if (!mkdtemp(home))
        return 1;
    setenv("XDG_CACHE_HOME", home, 1);
    RUN(test_entry());
    RUN(test_prune());
    RUN(test_hostile());
    compiled_remove(AT_FDCWD, home);
    return tap_done();
}
