/* SPDX-License-Identifier: Apache-2.0
 *
 * Laying in: which names are taken, what the stream carries, and what the receiver refuses.
 */
#include <signal.h>

#include "base/wire.h"
#include "workspace_common.h"

static const char *get_long(size_t n)
{
    static char text[5000];

    memset(text, 'n', n);
    text[n] = '\0';
    return text;
}

static void test_bad_names(void)
{
    const struct {
        struct str name;
        const char *says;
    } cases[] = {
        {STR(""), "is empty"},
        {STR("."), "is empty"},
        {STR("./"), "is empty"},
        {STR("/etc/passwd"), "is absolute"},
        {STR("/"), "is absolute"},
        {STR(".."), "contains '..'"},
        {STR("a/../b"), "contains '..'"},
        {STR("a/.."), "contains '..'"},
        {STR("a\0b"), "contains a NUL"},
        {str_from(get_long(4096)), "longer than 4095 bytes"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct lay_list *list = lay_list_new(0, 0);
        EQ_INT(lay_add_bytes(list, cases[i].name, STR("x"), 0644, &err), -1);
        EQ_INT(err.kind, ERR_USAGE);
        OK(strstr(err.msg, cases[i].says) != NULL, "%s: %s", cases[i].says, err.msg);
        lay_list_free(list);
    }
    struct lay_list *list = lay_list_new(0, 0);
    EQ_INT(lay_add_bytes(list, str_from(get_long(256)), STR("x"), 0644, &err), -1);
    OK(strstr(err.msg, "longer than 255 bytes") != NULL, "%s", err.msg);
    EQ_INT(lay_add_bytes(list, STR("a\n\x1b[2J/.."), STR("x"), 0644, &err), -1);
    OK(!strchr(err.msg, '\n') && !strchr(err.msg, 0x1b), "messages are one clean line");
    lay_list_free(list);
}

static void expect_clash(const char *first, const char *second, const char *says)
{
    struct lay_list *list = lay_list_new(0, 0);

    EQ_INT(lay_add_bytes(list, str_from(first), STR("x"), 0644, &err), 0);
    EQ_INT(lay_add_bytes(list, str_from(second), STR("x"), 0644, &err), -1);
    EQ_INT(err.kind, ERR_USAGE);
    OK(strstr(err.msg, says) && strstr(err.msg, "SRC:NAME"), "%s", err.msg);
    lay_list_free(list);
}

static void test_clashes(void)
{
    expect_clash("a.csv", "a.csv", "two inputs would both be 'a.csv'");
    expect_clash("a.csv", "./a.csv", "two inputs would both be 'a.csv'");
    expect_clash("d/a.csv", "d//a.csv", "two inputs would both be 'd/a.csv'");
    expect_clash("a", "a/b", "'a' would be both a file and a folder");
    expect_clash("a/b/c", "a/b", "'a/b' would be both a file and a folder");
}

/* Around the length at which messages cut a path, and with a cut in the middle of a character. */
static void test_long_messages(void)
{
    char name[256];

    for (size_t n = 190; n < 210; n++) {
        for (size_t i = 0; i < n; i++)
            name[i] = "\xc2\xa9"[i % 2];
        name[n] = '\0';
        expect_clash(name, name, "two inputs would both be");
    }
}

/* From SRC:NAME to what lies in the workspace, or to the message. */
static void expect_spec(const char *spec, const char *path, const char *content)
{
    struct lay_list *list = lay_list_new(0, 0);
    int added = lay_add_file(list, spec, &err);

    if (path) {
        OK(added == 0, "--file %s: %s", spec, added ? err.msg : "taken");
        lay(list);
        EQ_STR(get(ws, path), content);
    } else {
        EQ_INT(added, -1);
        EQ_INT(err.kind, ERR_USAGE);
        OK(strstr(err.msg, content) != NULL, "--file %s: %s", spec, err.msg);
    }
    lay_list_free(list);
}

static void test_specs(void)
{
    fresh();
    make_dir(here, "src");
    put(here, "src/a.csv", "1,2\n");
    put(here, "src/with:colon", "c");
    (void)!symlinkat("a.csv", here, "src/link");
    (void)!symlinkat("a.csv", here, "src-dangling");
    (void)!mkfifoat(here, "src/fifo", 0600);
    expect_spec("src/a.csv", "a.csv", "1,2\n");
    expect_spec("src/a.csv:in/b.csv", "in/b.csv", "1,2\n");
    expect_spec("src/link", "link", "1,2\n"); /* the user named it */
    expect_spec("src/with:colon:name", "name", "c");
    expect_spec("src/with:colon", NULL, "'src/with:colon:NAME'");
    expect_spec("src/a.csv:", NULL, "is empty");
    expect_spec("src/a.csv:/abs", NULL, "is absolute");
    expect_spec("src/a.csv:../up", NULL, "contains '..'");
    expect_spec("src/missing", NULL, "src/missing: no such file or folder");
    expect_spec("src-dangling", NULL, "no such file");
    expect_spec("src/fifo", NULL, "neither a file nor a folder");
    expect_spec(":name", NULL, "SRC:NAME");
    expect_spec("", NULL, "SRC:NAME");
    expect_spec(".", NULL, "is empty");
}

static void make_source_tree(void)
{
    make_dir(here, "tree");
    put(here, "tree/run.sh", "#!/bin/sh\n");
    (void)!fchmodat(here, "tree/run.sh", 0755, 0);
    make_dir(here, "tree/sub");
    put(here, "tree/sub/f", "deep");
    make_dir(here, "tree/hollow");
    (void)!symlinkat("run.sh", here, "tree/inside");
    (void)!symlinkat("/etc", here, "tree/outside");
    (void)!mkfifoat(here, "tree/fifo", 0600);
    put(here, "tree/locked", "x");
    (void)!fchmodat(here, "tree/locked", 0, 0);
}

static void test_folder(void)
{
    fresh();
    make_source_tree();
    struct lay_list *list = lay_list_new(0, 0);
    EQ_INT(lay_add_file(list, "tree/", &err), 0);
    EQ_INT(lay_add_file(list, "tree:copy/of", &err), 0);
    const struct skip_list *skipped = lay_list_skipped(list);
    EQ_STR(skip_of(skipped, "inside"), "symbolic link");
    EQ_STR(skip_of(skipped, "outside"), "symbolic link");
    EQ_STR(skip_of(skipped, "fifo"), "fifo");
    EQ_STR(skip_of(skipped, "locked"),
           geteuid() ? "unreadable: Permission denied" : "(not skipped)");
    EQ_INT(mode_of(here, "tree/locked"), S_IFREG); /* nothing of the host's was unlocked */
    mode_t before = umask(077);
    lay(list);
    umask(before);
    EQ_STR(get(ws, "tree/sub/f"), "deep");
    EQ_STR(get(ws, "copy/of/sub/f"), "deep");
    EQ_INT(mode_of(ws, "copy/of/run.sh"), S_IFREG | 0755);
    EQ_INT(mode_of(ws, "tree/hollow"), S_IFDIR | 0755);
    EQ_INT(mode_of(ws, "tree/inside"), 0);
    struct file_set set = collect(no_export(), list);
    EQ_STR(listing(&set), "");
    file_set_done(&set);
    lay_list_free(list);
}

static void test_hidden(void)
{
    fresh();
    make_dir(here, "work");
    put(here, "work/data", "theirs");
    AUTO_CLOSE int work = openat(here, "work", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct lay_list *list = lay_list_new(0, 0);
    EQ_INT(lay_add_bytes(list, STR("data"), STR("ours"), 0644, &err), 0);
    EQ_INT(lay_add_tree(list, work, &err), 0);
    EQ_STR(skip_of(lay_list_skipped(list), "data"), "hidden by an input of the same name");
    lay(list);
    EQ_STR(get(ws, "data"), "ours");
    lay_list_free(list);
}

/* The name that the program gets among files that are there, in the work folder or given. */
static void program(bool given, const char *file, const char *content, const char *want)
{
    AUTO_FREE char *name = NULL;

    fresh();
    make_dir(here, "work");
    put(here, "work/main.py", content);
    put(here, "work/main_1.py", "theirs");
    AUTO_CLOSE int work = openat(here, "work", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct lay_list *list = lay_list_new(0, 0);
    if (given)
        EQ_INT(lay_add_bytes(list, STR("main.py"), str_from(content), 0644, &err), 0);
    else
        EQ_INT(lay_add_tree(list, work, &err), 0);
    EQ_INT(lay_add_program(list, str_from(file), STR("prelude; own"), STR("own"), &name, &err), 0);
    EQ_STR(name, want);
    lay(list);
    EQ_STR(get(ws, want), "prelude; own");
    if (strcmp(want, "main.py") != 0)
        EQ_STR(get(ws, "main.py"), content);
    lay_list_free(list);
}

static void test_program(void)
{
    program(false, "main.py", "other", "main_2.py");
    program(false, "main.py", "owl", "main_2.py");
    program(false, "main.py", "own", "main.py");
    program(false, "job", "own", "job");
    program(true, "main.py", "other", "main_1.py");
    program(true, "main.py", "own", "main.py");
    program(true, ".py", "own", ".py");
}

static void test_ceilings(void)
{
    fresh();
    put_hole(here, "large", (256 << 20) + 1);
    struct lay_list *list = lay_list_new(256 << 20, 0);
    EQ_INT(lay_add_file(list, "large", &err), -1);
    EQ_INT(err.kind, ERR_LIMIT);
    EQ_STR(err.msg, "the input files take 257m, more than the disk limit of 256m; raise --disk");
    lay_list_free(list);

    make_dir(here, "many");
    for (unsigned i = 0; i < 20; i++) {
        char name[32];
        snprintf(name, sizeof name, "many/%u", i);
        put(here, name, "x");
    }
    list = lay_list_new(0, 10);
    EQ_INT(lay_add_file(list, "many", &err), -1);
    EQ_INT(err.kind, ERR_LIMIT);
    EQ_STR(err.msg, "there are more than 10 input files and folders");
    lay_list_free(list);

    list = lay_list_new(64 << 10, 0); /* 20 pages do not fit into 16 */
    EQ_INT(lay_add_file(list, "many", &err), -1);
    EQ_STR(err.msg, "the input files take 80k, more than the disk limit of 64k; raise --disk");
    lay_list_free(list);
}

static void send_changed(off_t size)
{
    struct lay_list *list = lay_list_new(0, 0);
    AUTO_CLOSE int stream = fd_memory("stream", "", 0, &err);

    put(here, "moving", "12345");
    EQ_INT(lay_add_file(list, "moving", &err), 0);
    (void)!truncate("moving", size);
    EQ_INT(lay_send(list, stream, &err), -1);
    EQ_INT(err.kind, ERR_SYSTEM);
    EQ_STR(err.msg, "input file 'moving' changed while it was read; try again");
    lay_list_free(list);
}

static void test_changing_source(void)
{
    fresh();
    send_changed(0);
    send_changed(3);
    send_changed(8);

    struct lay_list *list = lay_list_new(0, 0);
    AUTO_CLOSE int stream = fd_memory("stream", "", 0, &err);
    EQ_INT(lay_add_file(list, "moving", &err), 0);
    (void)!unlinkat(here, "moving", 0);
    EQ_INT(lay_send(list, stream, &err), -1);
    EQ_STR(err.msg, "cannot read input file 'moving': No such file or directory");
    lay_list_free(list);
}

/* More than a pipe holds, between two processes; and a reader that goes away. */
static void test_pipe(void)
{
    int ends[2];
    char *big = xmalloc(3000000);

    fresh();
    for (size_t i = 0; i < 3000000; i++)
        big[i] = (char)(i * 31 >> 3);
    struct lay_list *list = lay_list_new(0, 0);
    EQ_INT(lay_add_bytes(list, STR("big"), (struct str){big, 3000000}, 0644, &err), 0);
    EQ_INT(lay_add_bytes(list, STR("d/e/small"), STR("x"), 0600, &err), 0);
    EQ_INT(fd_pipe(ends, &err), 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        int got = lay_receive(ends[0], ws, (struct lay_limits){3000001, 4}, &err);
        _exit(got < 0 ? 1 : 0);
    }
    close(ends[0]);
    EQ_INT(lay_send(list, ends[1], &err), 0);
    close(ends[1]);
    int status = 1;
    waitpid(child, &status, 0);
    EQ_INT(status, 0);
    struct file_set set = collect(no_export(), list);
    EQ_STR(listing(&set), "");
    file_set_done(&set);

    signal(SIGPIPE, SIG_IGN);
    EQ_INT(fd_pipe(ends, &err), 0);
    close(ends[0]);
    EQ_INT(lay_send(list, ends[1], &err), -1);
    EQ_INT(err.kind, ERR_SYSTEM);
    EQ_INT(err.sys, EPIPE);
    close(ends[1]);
    lay_list_free(list);
    free(big);
}

static void record(struct buf *b, uint32_t kind, struct str path, uint64_t size, struct str content)
{
    wire_put_u32(b, kind);
    wire_put_u32(b, (uint32_t)path.n);
    wire_put_u32(b, 06777);
    wire_put_u64(b, size);
    (void)buf_add_str(b, path);
    (void)buf_add_str(b, content);
}

/* 0, or the kind of the error. Nothing appears outside ws, whatever comes. */
static enum err_kind receive(struct str bytes, struct lay_limits limits)
{
    AUTO_CLOSE int stream = fd_memory("stream", bytes.p, bytes.n, &err);

    return lay_receive(stream, ws, limits, &err) < 0 ? err.kind : ERR_NONE;
}

static enum err_kind receive_one(uint32_t kind, struct str path, uint64_t size, struct str content,
                                 uint64_t end)
{
    struct buf b;

    buf_init(&b, 1 << 20);
    record(&b, kind, path, size, content);
    record(&b, LAY_END, STR(""), end, STR(""));
    enum err_kind got = receive(buf_str(&b), (struct lay_limits){1 << 20, 10});
    buf_done(&b);
    return got;
}

static void test_refusals(void)
{
    fresh();
    EQ_INT(receive_one(LAY_FILE, STR("ok"), 2, STR("hi"), 1), ERR_NONE);
    EQ_STR(get(ws, "ok"), "hi");
    EQ_INT(mode_of(ws, "ok"), S_IFREG | 0777); /* no setuid, no sticky */
    EQ_INT(receive_one(LAY_FILE, STR("a/b/c"), 2, STR("hi"), 1), ERR_NONE);
    EQ_STR(get(ws, "a/b/c"), "hi");
    EQ_INT(receive_one(LAY_DIR, STR("a/b"), 0, STR(""), 1), ERR_NONE);

    EQ_INT(receive_one(LAY_FILE, STR("../up"), 1, STR("x"), 1), ERR_GUEST);
    EQ_INT(receive_one(LAY_FILE, STR("a/../../up"), 1, STR("x"), 1), ERR_GUEST);
    EQ_INT(receive_one(LAY_DIR, STR(".."), 0, STR(""), 1), ERR_GUEST);
    EQ_INT(receive_one(LAY_FILE, STR("/tmp/abs"), 1, STR("x"), 1), ERR_GUEST);
    EQ_INT(receive_one(LAY_FILE, STR(""), 1, STR("x"), 1), ERR_GUEST);
    EQ_INT(receive_one(LAY_FILE, STR("a//c"), 1, STR("x"), 1), ERR_GUEST);
    EQ_INT(receive_one(LAY_FILE, STR("c/"), 1, STR("x"), 1), ERR_GUEST);
    EQ_INT(receive_one(LAY_FILE, STR("n\0ul"), 1, STR("x"), 1), ERR_GUEST);
    EQ_INT(receive_one(LAY_FILE, str_from(get_long(256)), 1, STR("x"), 1), ERR_GUEST);
    EQ_INT(receive_one(LAY_FILE, str_from(get_long(4096)), 1, STR("x"), 1), ERR_GUEST);
    EQ_INT(receive_one(0x12345678, STR("odd"), 1, STR("x"), 1), ERR_GUEST);
    EQ_INT(receive_one(LAY_DIR, STR("d"), 1, STR("x"), 1), ERR_GUEST);
    EQ_INT(receive_one(LAY_FILE, STR("miscounted"), 1, STR("x"), 2), ERR_GUEST);
    EQ_INT(receive_one(LAY_FILE, STR("short"), 500, STR("x"), 1), ERR_GUEST);
    EQ_INT(receive_one(LAY_FILE, STR("large"), (1 << 20) + 1, STR("x"), 1), ERR_LIMIT);
    EQ_INT(receive_one(LAY_FILE, STR("huge"), UINT64_MAX, STR("x"), 1), ERR_LIMIT);
    EQ_INT(receive_one(LAY_FILE, STR("ok"), 1, STR("x"), 1), ERR_SYSTEM); /* there already */
    EQ_STR(get(ws, "ok"), "hi");
    EQ_INT(receive_one(LAY_DIR, STR("ok"), 0, STR(""), 1), ERR_GUEST);
    EQ_INT(receive_one(LAY_FILE, STR("ok/below"), 1, STR("x"), 1), ERR_SYSTEM);
    EQ_INT(receive(STR(""), (struct lay_limits){0}), ERR_GUEST);
}

static void test_links_inside(void)
{
    fresh();
    make_dir(here, "victim");
    (void)!symlinkat("../victim", ws, "folder");
    (void)!symlinkat("../victim/made", ws, "dangling");
    EQ_INT(receive_one(LAY_FILE, STR("folder/f"), 1, STR("x"), 1), ERR_SYSTEM);
    EQ_INT(receive_one(LAY_FILE, STR("folder/sub/f"), 1, STR("x"), 1), ERR_SYSTEM);
    EQ_INT(receive_one(LAY_DIR, STR("folder/sub"), 0, STR(""), 1), ERR_SYSTEM);
    EQ_INT(receive_one(LAY_DIR, STR("folder"), 0, STR(""), 1), ERR_GUEST);
    EQ_INT(receive_one(LAY_FILE, STR("dangling"), 1, STR("x"), 1), ERR_SYSTEM);
    EQ_INT(unlinkat(here, "victim", AT_REMOVEDIR), 0); /* still empty */
}

static void test_truncated(void)
{
    struct buf b;
    unsigned wrong = 0;

    buf_init(&b, 1 << 20);
    record(&b, LAY_DIR, STR("d"), 0, STR(""));
    record(&b, LAY_FILE, STR("d/f"), 5, STR("hello"));
    record(&b, LAY_END, STR(""), 2, STR(""));
    for (size_t n = 0; n < b.n; n++) {
        fresh();
        wrong += receive((struct str){b.p, n}, (struct lay_limits){0}) != ERR_GUEST;
    }
    EQ_INT(wrong, 0);
    fresh();
    EQ_INT(receive(buf_str(&b), (struct lay_limits){0}), ERR_NONE);
    fresh();
    EQ_INT(receive(buf_str(&b), (struct lay_limits){4, 0}), ERR_LIMIT);
    EQ_INT(receive(buf_str(&b), (struct lay_limits){5, 1}), ERR_LIMIT);
    buf_done(&b);
}

/* A valid stream with a few bytes changed. What is accepted lies inside; what is not is an error.
 */
static void test_mutated(void)
{
    struct buf b;
    unsigned seed = 1, outside = 0;

    buf_init(&b, 1 << 20);
    record(&b, LAY_DIR, STR("d"), 0, STR(""));
    record(&b, LAY_FILE, STR("d/../f"), 5, STR("hello"));
    record(&b, LAY_FILE, STR("./g"), 5, STR("hello"));
    record(&b, LAY_END, STR(""), 3, STR(""));
    fresh();
    make_dir(ws, "inner");
    AUTO_CLOSE int inner = openat(ws, "inner", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (unsigned round = 0; round < 2000; round++) {
        AUTO_FREE char *bytes = xstrndup(b.p, b.n);
        for (unsigned i = 0; i < 1 + round % 5; i++) {
            seed = seed * 1103515245 + 12345;
            bytes[(seed >> 8) % b.n] = "\0\1./abd\xff"[seed >> 28 & 7];
        }
        AUTO_CLOSE int stream = fd_memory("stream", bytes, b.n, &err);
        (void)lay_receive(stream, inner, (struct lay_limits){1000, 10}, &err);
        outside += mode_of(ws, "f") || mode_of(ws, "g") || mode_of(ws, "d");
        if (round % 50 == 0 && !host_box_empty(inner))
            outside++;
    }
    EQ_INT(outside, 0);
    buf_done(&b);
}

static void all(void)
{
    RUN(test_bad_names());
    RUN(test_clashes());
    RUN(test_long_messages());
    RUN(test_specs());
    RUN(test_folder());
    RUN(test_hidden());
    RUN(test_program());
    RUN(test_ceilings());
    RUN(test_changing_source());
    RUN(test_pipe());
    RUN(test_refusals());
    RUN(test_links_inside());
    RUN(test_truncated());
    RUN(test_mutated());
}

int main(void)
{
    return run_both(all);
}
