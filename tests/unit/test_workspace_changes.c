/* SPDX-License-Identifier: Apache-2.0
 *
 * What counts as new and as modified among files that were laid in.
 */
#include <sys/mman.h>

#include "workspace_common.h"

static struct lay_list *laid_three(void)
{
    struct lay_list *list = lay_list_new(0, 0);
    AUTO_FREE char *name = NULL;

    if (lay_add_bytes(list, STR("in/a.csv"), STR("1,2\n"), 0644, &err) < 0 ||
        lay_add_bytes(list, STR("in/b.csv"), STR("3,4\n"), 0644, &err) < 0 ||
        lay_add_program(list, STR("main.py"), STR("print(1)\n"), STR("print(1)\n"), &name, &err) <
            0)
        OK(0, "added: %s", err.msg);
    lay(list);
    return list;
}

static void test_changes(void)
{
    fresh();
    struct lay_list *list = laid_three();
    struct file_set set = collect(no_export(), list);
    EQ_STR(listing(&set), "");
    file_set_done(&set);

    /* Touched, locked, rewritten with the same bytes, or another file with them: not modified. */
    (void)!utimensat(ws, "main.py", NULL, 0);
    (void)!fchmodat(ws, "main.py", 0, 0);
    put(ws, "in/a.csv", "1,2\n");
    put(ws, "copy", "3,4\n");
    (void)!renameat(ws, "copy", ws, "in/b.csv");
    set = collect(no_export(), list);
    EQ_STR(listing(&set), "");
    file_set_done(&set);

    (void)!fchmodat(ws, "main.py", 0644, 0);
    put(ws, "in/a.csv", "1,3\n"); /* same size */
    put(ws, "main.py", "print(12)\n");
    put(ws, "in/c.csv", "");
    (void)!unlinkat(ws, "in/b.csv", 0);
    make_dir(ws, "in/b.csv"); /* a folder now */
    set = collect(no_export(), list);
    EQ_STR(listing(&set), "modified in/a.csv modified in/b.csv/ new in/c.csv modified main.py");
    file_set_done(&set);

    /* Gone is told of the work folder's files only; links in their places are not followed. */
    (void)!unlinkat(ws, "in/a.csv", 0);
    (void)!symlinkat("/etc/passwd", ws, "in/a.csv");
    (void)!unlinkat(ws, "main.py", 0);
    struct collect_options options = no_export();
    options.was_laid = true;
    set = collect(options, list);
    EQ_STR(listing(&set), "modified in/b.csv/ new in/c.csv");
    EQ_STR(skip_of(&set.skipped, "in/a.csv"), "symbolic link");
    file_set_done(&set);
    lay_list_free(list);
}

/* On tmpfs a mapping that is read before it is written leaves no trace in ctime. */
static void test_mapped_write(void)
{
    char path[] = "/dev/shm/test_workspace.XXXXXX";

    if (!fresh_tmpfs(path))
        return;
    struct lay_list *list = laid_three();
    AUTO_CLOSE int fd = openat(ws, "in/a.csv", O_RDWR | O_CLOEXEC);
    volatile char *p = mmap(NULL, 4, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    OK(p != MAP_FAILED && p[0] == '1', "read through a mapping");
    p[0] = '7';
    munmap((void *)p, 4);
    struct file_set set = collect(no_export(), list);
    EQ_STR(listing(&set), "modified in/a.csv");
    file_set_done(&set);
    lay_list_free(list);
    done_tmpfs(path);
}

static void all(void)
{
    RUN(test_changes());
    RUN(test_mapped_write());
}

int main(void)
{
    return run_both(all);
}
