/* SPDX-License-Identifier: Apache-2.0
 *
 * What a cell did to the workspace; above all that nothing is missed because nothing was there.
 */
#include "workspace/workspace_changes.h"
#include "workspace_common.h"

static struct changes *changes;

/* Of all since the last look. */
static const char *look(void)
{
    struct file_set set;

    if (changes_collect(changes, ws, -1, &set, &err) < 0) {
        OK(0, "collected: %s", err.msg);
        return "";
    }
    const char *seen = listing(&set);
    file_set_done(&set);
    return seen;
}

static void begin(void)
{
    const struct changes_limits limits = {
        .max_bytes = 1 << 20, .max_entries = 1000, .max_files = 100};

    fresh();
    changes = changes_new(&limits);
    changes_begin(changes, ws, NULL, NULL);
}

static void come_and_go(void)
{
    put(ws, "a", "1");
    EQ_STR(look(), "new a");
    put(ws, "a", "2");
    EQ_STR(look(), "modified a");
    (void)unlinkat(ws, "a", 0);
    EQ_STR(look(), "deleted a");
    make_dir(ws, "d");
    EQ_STR(look(), "");
    put(ws, "d/b", "1");
    EQ_STR(look(), "new d/b");
    (void)unlinkat(ws, "d/b", 0);
    (void)unlinkat(ws, "d", AT_REMOVEDIR);
    EQ_STR(look(), "deleted d/b");
}

static void test_after_rest(void)
{
    begin();
    come_and_go();
    for (int rests = 0; rests < 2; rests++) {
        usleep(1200000);
        EQ_STR(look(), "");
        EQ_STR(look(), "");
        come_and_go();
    }
    changes_free(changes);
}

/* Guests can set a folder's other times back. */
static void test_time_set_back(void)
{
    struct stat st;

    begin();
    usleep(1200000);
    EQ_STR(look(), "");
    (void)fstat(ws, &st);
    put(ws, "a", "1");
    const struct timespec times[] = {st.st_atim, st.st_mtim};
    (void)futimens(ws, times);
    EQ_STR(look(), "new a");
    changes_free(changes);
}

/* A file that comes in the very tick of a look. */
static void test_hasty(void)
{
    unsigned missed = 0;

    for (unsigned round = 0; round < 50; round++) {
        begin();
        (void)look();
        put(ws, "a", "1");
        missed += strcmp(look(), "new a") != 0;
        changes_free(changes);
    }
    EQ_INT(missed, 0);
}

/* What a cell's guest writes again and again is read for one cell's worth. */
static void test_bounded(void)
{
    char name[16];
    struct file_set set;

    begin();
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 8; i++) {
            (void)snprintf(name, sizeof name, "f%u", i);
            if (!put_hole(ws, name, 300 << 10))
                OK(0, "made %s", name);
            (void)futimens(ws, NULL);
            (void)utimensat(ws, name, NULL, 0);
        }
        if (changes_collect(changes, ws, -1, &set, &err) < 0)
            OK(0, "collected: %s", err.msg);
        EQ_INT(set.count, round == 0 ? 3 : 0); /* a MiB has room for three */
        EQ_INT(set.skipped.count, 5);
        file_set_done(&set);
        usleep(20000);
    }
    changes_free(changes);
}

static void all(void)
{
    RUN(test_after_rest());
    RUN(test_time_set_back());
    RUN(test_hasty());
    RUN(test_bounded());
}

int main(void)
{
    return run_both(all);
}
