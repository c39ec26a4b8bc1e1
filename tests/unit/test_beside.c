/* SPDX-License-Identifier: Apache-2.0
 *
 * What reading the files of a workspace may cost.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/beside.h"
#include "tap.h"

enum { MIB = 1 << 20, ARCHIVES = 40 };

static char folder[] = "/tmp/test-beside-XXXXXX";
static int root = -1;

/* A sparse file whose end is that of an archive with a list of so many bytes. */
static void write_archive(const char *name, off_t size, unsigned list, const char *before)
{
    unsigned char end[22] = "PK\x05\x06";
    int fd = openat(root, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    for (unsigned i = 0; i < 4; i++)
        end[12 + i] = (unsigned char)(list >> (8 * i));
    OK(fd >= 0 && ftruncate(fd, size) == 0 &&
           pwrite(fd, before, strlen(before), size - 22 - (off_t)list) >= 0 &&
           pwrite(fd, end, sizeof end, size - 22) == sizeof end,
       "%s is written", name);
    close(fd);
}

static void write_archives(unsigned list)
{
    char name[32];

    for (int i = 0; i < ARCHIVES; i++) {
        snprintf(name, sizeof name, "data-%d", i);
        write_archive(name, 16 * MIB, list, "");
    }
}

static int look(const struct beside_stop *stop, uint64_t *ret_read, size_t *ret_found,
                struct err *err)
{
    struct beside b = {.stop = stop};
    int result = beside_add_folder(&b, root, NULL, err);

    *ret_read = b.read;
    *ret_found = b.n;
    beside_done(&b);
    return result;
}

static void test_lists(void)
{
    struct err err = {0};
    uint64_t read;
    size_t found;

    write_archives(1000);
    OK(look(NULL, &read, &found, &err) == 0 && found == 0, "archives of data: %s", err.msg);
    OK(read < (uint64_t)ARCHIVES * 150000, "of each, its end and its list are read: %llu",
       (unsigned long long)read);
    write_archives(15 * MIB);
    OK(look(NULL, &read, &found, &err) < 0 && err.kind == ERR_LIMIT && strstr(err.msg, "256 MiB"),
       "there is a limit for all of them together: %s", err.msg);
    OK(read < 257 * MIB, "it holds: %llu", (unsigned long long)read);
}

static void test_stop(void)
{
    int ends[2];
    struct err err = {0};
    uint64_t read;
    size_t found;

    OK(pipe(ends) == 0 && write(ends[1], "x", 1) == 1, "a pipe");
    OK(look(&(struct beside_stop){.cancel_fd = ends[0]}, &read, &found, &err) < 0 &&
           err.kind == ERR_TIMEOUT && read == 0,
       "cancelled: %s", err.msg);
    OK(look(&(struct beside_stop){.cancel_fd = -1, .until_ms = clock_mono_ms()}, &read, &found,
            &err) < 0 &&
           err.kind == ERR_TIMEOUT && read == 0,
       "the time is over: %s", err.msg);
    close(ends[0]);
    close(ends[1]);
}

static void remove_archives(void)
{
    char name[32];

    for (int i = 0; i < ARCHIVES; i++) {
        snprintf(name, sizeof name, "data-%d", i);
        (void)unlinkat(root, name, 0);
    }
}

/* A member of a list that names a module. */
static void test_module(void)
{
    static const char zip_64[] = "PK\x06\x06";
    char member[] = "PK\x01\x02........................\x04.................m.py";
    struct err err = {0};
    uint64_t read;
    size_t found;

    member[29] = '\0';
    int fd = openat(root, "m", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    OK(write(fd, member, 50) == 50 &&
           write(fd, "PK\x05\x06\0\0\0\0\0\0\0\0\x32\0\0\0\0\0\0\0\0\0", 22) == 22,
       "an archive");
    close(fd);
    OK(look(NULL, &read, &found, &err) == 0 && found == 1, "one with a module is found");
    (void)unlinkat(root, "m", 0);
    write_archive("z", 1000, 76, zip_64);
    OK(look(NULL, &read, &found, &err) == 0 && found == 1, "and one in the ZIP64 format");
    (void)unlinkat(root, "z", 0);
}

static struct beside_known known;

static void learn(struct beside *b)
{
    struct err err = {0};

    OK(beside_add_folder(b, root, &known, &err) == 0, "the folder is looked at: %s", err.msg);
    beside_learn(&known, b);
    beside_done(b);
}

static void test_known(void)
{
    char name[32];
    enum { MODULES = 50 };

    for (int i = 0; i < MODULES; i++) {
        snprintf(name, sizeof name, "m%d.py", i);
        close(openat(root, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
        struct beside b = {0};
        learn(&b);
    }
    EQ_INT(known.n, MODULES);
    struct beside b = {0};
    learn(&b);
    EQ_INT(known.n, MODULES);
    for (int i = 0; i < MODULES; i++) {
        snprintf(name, sizeof name, "m%d.py", i);
        (void)unlinkat(root, name, 0);
    }
    beside_known_done(&known);
}

int main(void)
{
    root = mkdtemp(folder) ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    OK(root >= 0, "a folder");
    RUN(test_lists());
    RUN(test_stop());
    remove_archives();
    RUN(test_module());
    RUN(test_known());
    close(root);
    OK(rmdir(folder) == 0, "nothing is left in it");
    return tap_done();
}
