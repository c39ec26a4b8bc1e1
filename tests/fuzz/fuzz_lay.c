/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as the stream of input files. Whatever they say, it happens in one folder.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "jail/host_box.h"
#include "jail/lay.h"
#include "workspace/workspace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static bool has_only_work(int outer)
{
    struct collect_options options = {.out_dirfd = -1, .work_dirfd = -1};
    struct file_set set;
    struct err err;

    if (workspace_collect(&options, outer, NULL, &set, &err) < 0)
        return false;
    bool only = set.skipped.count == 0;
    for (size_t i = 0; i < set.count; i++)
        only &= str_starts(str_from(set.entries[i].path), "work/");
    file_set_done(&set);
    return only;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const char *tmp = getenv("TMPDIR");
    struct lay_limits limits = {.max_bytes = 1 << 16, .max_entries = 100};
    char path[512];
    struct err err;

    snprintf(path, sizeof path, "%s/fuzz_lay.XXXXXX", tmp ? tmp : "/tmp");
    assert(mkdtemp(path));
    int outer = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert(outer >= 0 && mkdirat(outer, "work", 0700) == 0);
    int work = openat(outer, "work", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int stream = fd_memory("stream", data, n, &err);
    assert(work >= 0 && stream >= 0);

    err.msg[0] = '\0';
    assert(lay_receive(stream, work, limits, &err) == 0 || err.msg[0]);
    assert(has_only_work(outer));
    assert(host_box_empty(outer) && rmdir(path) == 0);
    close(stream);
    close(work);
    close(outer);
    return 0;
}
