/* SPDX-License-Identifier: Apache-2.0
 *
 * Collecting from a workspace that a hostile guest has left.
 */
#include <signal.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "workspace_common.h"

static void test_plain(void)
{
    fresh();
    put(ws, "b.txt", "abc");
    make_dir(ws, "a");
    put(ws, "a/plot.png", "");
    put(ws, "a.csv", "1,2\n");
    make_dir(ws, "empty");
    make_dir(ws, "full");
    put(ws, "full/.hidden", "x");
    if (fchmodat(ws, "b.txt", 04751, 0) < 0)
        OK(0, "chmod");
    struct file_set set = collect(no_export(), NULL);

    EQ_STR(listing(&set), "new a.csv new a/plot.png new b.txt new empty/ new full/.hidden");
    const struct file_entry *b = entry_of(&set, "b.txt"), *empty = entry_of(&set, "empty/");
    if (b && empty) {
        EQ_INT(b->size, 3);
        EQ_INT(b->path_len, 5);
        EQ_INT(b->mode, 0751);
        EQ_STR(b->mime, "text/plain");
        EQ_STR(b->sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        OK(!b->is_dir && empty->is_dir, "folders are told from files");
        EQ_STR(empty->mime, "inode/directory");
        EQ_STR(empty->sha256, "");
    }
    EQ_INT(set.bytes, 3 + 4 + 1);
    EQ_INT(set.skipped.count, 0);
    OK(set.complete, "complete");
    file_set_done(&set);
}

static void test_caches(void)
{
    fresh();
    make_dir(ws, "__pycache__");
    put(ws, "__pycache__/m.cpython-311.pyc", "x");
    put(ws, "__pycache__/other", "x");
    put(ws, "m.pyc", "x");
    put(ws, "m.pyc.txt", "x");
    make_dir(ws, "dir.pyc");
    struct file_set set = collect(no_export(), NULL);

    EQ_STR(listing(&set), "new dir.pyc/ new m.pyc new m.pyc.txt");
    EQ_STR(skip_of(&set.skipped, "__pycache__"), "a cache, which Python makes again");
    file_set_done(&set);
}

static void make_socket(void)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX, .sun_path = "ws/socket"};
    AUTO_CLOSE int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (bind(s, (struct sockaddr *)&addr, sizeof addr) < 0)
        OK(0, "bound a socket");
}

static void test_not_files(void)
{
    fresh();
    make_socket();
    (void)!mkfifoat(ws, "fifo", 0666);
    (void)!symlinkat("/etc/passwd", ws, "to-host");
    (void)!symlinkat("/etc", ws, "to-folder");
    (void)!symlinkat("nowhere", ws, "dangling");
    (void)!symlinkat("loop", ws, "loop");
    (void)!symlinkat("..", ws, "up");
    bool device = mknodat(ws, "device", S_IFCHR | 0666, makedev(1, 5)) == 0; /* zero: endless */
    struct file_set set = collect(no_export(), NULL);

    EQ_STR(listing(&set), "");
    EQ_STR(skip_of(&set.skipped, "fifo"), "fifo");
    EQ_STR(skip_of(&set.skipped, "socket"), "socket");
    EQ_STR(skip_of(&set.skipped, "to-host"), "symbolic link");
    EQ_STR(skip_of(&set.skipped, "to-folder"), "symbolic link");
    EQ_STR(skip_of(&set.skipped, "dangling"), "symbolic link");
    EQ_STR(skip_of(&set.skipped, "loop"), "symbolic link");
    EQ_STR(skip_of(&set.skipped, "up"), "symbolic link");
    EQ_STR(skip_of(&set.skipped, "device"), device ? "device" : "(not skipped)");
    EQ_INT(set.skipped.count, 7 + device);
    OK(set.complete, "links and devices are not content");
    file_set_done(&set);
}

static void test_names(void)
{
    static const char *const names[] = {"new\nline",   "\x1b[31mred", "\xff\xfe", "-rf", " ",
                                        "caf\xc3\xa9", "a\\b",        "\"q\"",    "...", "\x01"};
    char longest[256];

    fresh();
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        put(ws, names[i], "x");
    memset(longest, 'n', 255);
    longest[255] = '\0';
    put(ws, longest, "x");
    struct collect_options options = no_export();
    options.out_dirfd = out;
    struct file_set set = collect(options, NULL);

    EQ_INT(set.count, ARRAY_LEN(names) + 1);
    unsigned wrong = 0;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        wrong += !entry_of(&set, names[i]) || !tap_same(get(out, names[i]), "x");
    EQ_INT(wrong, 0);
    OK(entry_of(&set, longest) && tap_same(get(out, longest), "x"), "255 bytes of name");
    for (size_t i = 1; i < set.count; i++)
        wrong += strcmp(set.entries[i - 1].path, set.entries[i].path) >= 0;
    EQ_INT(wrong, 0);
    file_set_done(&set);
}

static void test_depth(void)
{
    char path[] = "/dev/shm/test_workspace.XXXXXX";

    if (!fresh_tmpfs(path))
        return;
    dig(1000);
    put(ws, "top", "x");
    struct file_set set = collect(no_export(), NULL);
    EQ_STR(listing(&set), "new top");
    EQ_INT(set.skipped.count, 1);
    EQ_INT(set.skipped.count ? set.skipped.items[0].path_len : 0, 2 * 129 - 1);
    EQ_INT(set.skipped.count ? set.skipped.items[0].reason : 0, SKIP_TOO_DEEP);
    OK(!set.complete, "not complete");
    file_set_done(&set);

    OK(host_box_empty(ws), "emptied the workspace");
    dig(128);
    set = collect(no_export(), NULL);
    EQ_INT(set.count, 1);
    EQ_INT(set.skipped.count, 0);
    file_set_done(&set);

    /* The ceiling on descriptors holds whatever is asked for. */
    OK(host_box_empty(ws), "emptied the workspace");
    dig(520);
    struct collect_options options = no_export();
    options.max_depth = 100000;
    set = collect(options, NULL);
    EQ_INT(set.count, 0);
    EQ_INT(set.skipped.count, 1);
    file_set_done(&set);
    done_tmpfs(path);
}

/* 40 folders with names of 255 bytes make a path of 10 kB. */
static void test_long_paths(void)
{
    char name[256];
    int fd;

    fresh();
    fd = dup(ws);
    memset(name, 'n', 255);
    name[255] = '\0';
    for (unsigned i = 0; i < 40; i++) {
        (void)mkdirat(fd, name, 0755);
        int next = openat(fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = next;
        put(fd, "f", "x");
    }
    close(fd);
    struct file_set set = collect(no_export(), NULL);
    /* 15 names and their slashes are 3840 bytes; a 16th makes a folder of 4095, whose file is 2
     * more. */
    EQ_INT(set.count, 15);
    EQ_INT(set.skipped.count, 2);
    EQ_INT(set.skipped.count ? set.skipped.items[0].reason : 0, SKIP_LONG_PATH);
    file_set_done(&set);
}

static void test_sparse(void)
{
    fresh();
    bool giant = put_hole(ws, "giant", 1LL << 40);
    OK(put_hole(ws, "small", 3 << 20), "a small hole");
    put(ws, "z", "x");
    struct collect_options options = no_export();
    options.max_total_bytes = 4 << 20;
    int64_t start = clock_mono_ms();
    struct file_set set = collect(options, NULL);

    EQ_STR(listing(&set), "new small new z");
    EQ_STR(skip_of(&set.skipped, "giant"),
           giant ? "larger than the limit (1024g)" : "(not skipped)");
    OK(clock_mono_ms() - start < 30000, "giants are not read");
    OK(!set.complete, "not complete");
    file_set_done(&set);
}

static void test_hard_links(void)
{
    char name[32];

    fresh();
    put_hole(ws, "bomb", 1 << 20);
    for (unsigned i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "bomb%u", i);
        (void)!linkat(ws, "bomb", ws, name, 0);
    }
    struct collect_options options = no_export();
    options.max_total_bytes = (10 << 20) + 1;
    options.out_dirfd = out;
    struct file_set set = collect(options, NULL);

    EQ_INT(set.count, 10);
    EQ_INT(set.bytes, 10 << 20);
    EQ_INT(set.skipped.count, SKIP_MAX);
    EQ_INT(set.skipped.more, 191 - SKIP_MAX);
    file_set_done(&set);
}

static void test_counts(void)
{
    char name[32];

    fresh();
    for (unsigned i = 0; i < 50; i++) {
        snprintf(name, sizeof name, "%s%u", i % 2 ? "f" : "d", i);
        if (i % 2)
            put(ws, name, "x");
        else
            make_dir(ws, name);
    }
    struct collect_options options = no_export();
    options.max_files = 20;
    struct file_set set = collect(options, NULL);
    EQ_INT(set.count, 20);
    EQ_INT(set.skipped.count, 30);
    EQ_INT(set.skipped.count ? set.skipped.items[0].reason : 0, SKIP_TOO_MANY);
    file_set_done(&set);

    options.max_visited = 7;
    set = collect(options, NULL);
    OK(set.count <= 7 && !set.complete, "looks at no more than it may");
    EQ_INT(set.skipped.count, 1);
    file_set_done(&set);
}

static void test_locked(void)
{
    fresh();
    make_dir(ws, "locked");
    put(ws, "locked/f", "x");
    make_dir(ws, "locked/deeper");
    put(ws, "locked/deeper/g", "x");
    put(ws, "secret", "x");
    make_dir(ws, "listable");
    put(ws, "listable/h", "x");
    (void)!fchmodat(ws, "secret", 0, 0);
    (void)!fchmodat(ws, "locked/deeper", 0, 0);
    (void)!fchmodat(ws, "locked", 0, 0);
    (void)!fchmodat(ws, "listable", 0400, 0);
    (void)!fchmod(ws, 0);
    struct file_set set = collect(no_export(), NULL);

    EQ_STR(listing(&set), "new listable/h new locked/deeper/g new locked/f new secret");
    EQ_INT(set.skipped.count, 0);
    const struct file_entry *secret = entry_of(&set, "secret");
    EQ_INT(secret ? secret->mode : 1, 0);
    file_set_done(&set);
    (void)!fchmodat(ws, "locked", 0, 0);
    (void)!fchmod(ws, 0);
    OK(host_box_empty(ws), "emptied the workspace");
}

static void test_exabytes(void)
{
    char path[] = "/dev/shm/test_workspace.XXXXXX";

    if (!fresh_tmpfs(path))
        return;
    OK(put_hole(ws, "a", INT64_MAX), "8 EiB less a byte");
    OK(put_hole(ws, "b", INT64_MAX), "and again");
    put(ws, "c", "x");
    struct collect_options options = no_export();
    options.max_total_bytes = 1 << 30;
    struct file_set set = collect(options, NULL);
    EQ_STR(listing(&set), "new c");
    OK(strstr(skip_of(&set.skipped, "a"), "larger than the limit (92") != NULL, "said");
    file_set_done(&set);
    done_tmpfs(path);
}

/* A process that survived (no pid namespace) goes on writing. It ends itself after a while. */
static pid_t start_writer(void)
{
    pid_t child = fork();

    if (child)
        return child;
    int fd = openat(ws, "growing", O_WRONLY | O_APPEND | O_CLOEXEC);
    while (getppid() != 1 && write(fd, "x", 1) > 0)
        ;
    _exit(0);
}

static struct file_set collect_growing(void)
{
    struct collect_options options;

    fresh();
    put_hole(ws, "growing", 64 << 20);
    put(ws, "still", "x");
    pid_t writer = start_writer();
    usleep(50000);
    options = no_export();
    options.out_dirfd = out;
    struct file_set set = collect(options, NULL);
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
    return set;
}

static void test_growing(void)
{
    struct file_set set = collect_growing();

    /* On a busy machine the writer may not have had its turn meanwhile. */
    for (int i = 0; i < 50 && !set.skipped.count; i++) {
        file_set_done(&set);
        set = collect_growing();
    }
    EQ_STR(listing(&set), "new still");
    EQ_STR(skip_of(&set.skipped, "growing"), "changed while it was read");
    EQ_INT(mode_of(out, "growing"), 0);
    EQ_STR(get(out, "still"), "x");
    file_set_done(&set);
}

static void fill(int dirfd)
{
    char name[32];

    for (unsigned d = 0; d < 100; d++) {
        snprintf(name, sizeof name, "d%u", d);
        make_dir(dirfd, name);
        for (unsigned f = 0; f < 100; f++) {
            snprintf(name, sizeof name, "d%u/f%u.txt", d, f);
            put(dirfd, name, name);
        }
    }
}

static double time_collecting(int from, int to)
{
    struct collect_options options = {.out_dirfd = to, .work_dirfd = -1};
    struct file_set set = {0};
    int64_t start = clock_mono_ns();

    EQ_INT(workspace_collect(&options, from, NULL, &set, &err), 0);
    int64_t end = clock_mono_ns();
    EQ_INT(set.count, 10000);
    file_set_done(&set);
    return (double)(end - start) / 1e6;
}

/* In memory, as a jail's workspace is; a disk that has just deleted thousands of files is slow to
 * make new ones. */
#define SPEED_NEEDS ((uint64_t)100 << 20)

static void test_speed(void)
{
    char path[] = "/dev/shm/test_workspace.XXXXXX";
    struct statvfs space;

    if (!fresh_tmpfs(path))
        return;
    if (fstatvfs(ws, &space) == 0 && space.f_bavail * space.f_bsize < SPEED_NEEDS) {
        SKIP("/dev/shm has not the 100 MiB that 20 000 files need");
        done_tmpfs(path);
        return;
    }
    make_dir(ws, "from");
    make_dir(ws, "to");
    AUTO_CLOSE int from = openat(ws, "from", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO_CLOSE int to = openat(ws, "to", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    fill(from);
    double collected = time_collecting(from, -1);
    double exported = time_collecting(from, to);
    EQ_STR(get(to, "d99/f99.txt"), "d99/f99.txt");
    printf("# 10 000 small files: collected in %.1f ms, collected and exported in %.1f ms\n",
           collected, exported);
    done_tmpfs(path);
}

static void all(void)
{
    RUN(test_plain());
    RUN(test_caches());
    RUN(test_not_files());
    RUN(test_names());
    RUN(test_depth());
    RUN(test_long_paths());
    RUN(test_sparse());
    RUN(test_hard_links());
    RUN(test_counts());
    RUN(test_locked());
    RUN(test_exabytes());
    RUN(test_growing());
    RUN(test_speed());
}

int main(void)
{
    return run_both(all);
}
