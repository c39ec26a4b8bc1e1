/* SPDX-License-Identifier: Apache-2.0
 *
 * The fake again, as a backend whose guests have no folder on this host: its files can be reached
 * by calls alone, as those of a container or a cloud.
 */
#include "fake.h"
#include "workspace/workspace.h"
#include "workspace/workspace_files.h"

static int hidden(struct backend_guest *guest)
{
    return fake_backend.files->folder(guest);
}

static int list_files(struct backend_guest *guest, struct workspace_file **ret, size_t *ret_count,
                      struct err *err)
{
    return workspace_files(hidden(guest), ret, ret_count, err);
}

static int read_file(struct backend_guest *guest, const char *path, uint64_t *ret_size,
                     struct err *err)
{
    return workspace_file_open(hidden(guest), path, ret_size, err);
}

static int write_file(struct backend_guest *guest, const char *path, int from, uint64_t max,
                      struct err *err)
{
    return workspace_file_put(hidden(guest), path, from, max, err);
}

static int remove_file(struct backend_guest *guest, const char *path, struct err *err)
{
    return workspace_file_remove(hidden(guest), path, err);
}

static int collect(struct backend_guest *guest, const struct collect_options *options,
                   struct lay_list *laid, struct file_set *ret, struct err *err)
{
    return workspace_collect(options, hidden(guest), laid, ret, err);
}

static const char *inside(struct backend_guest *guest)
{
    return fake_backend.files->inside(guest);
}

struct backend fake_remote_backend(void)
{
    static const struct backend_files calls = {.inside = inside,
                                               .list = list_files,
                                               .read = read_file,
                                               .write = write_file,
                                               .remove = remove_file,
                                               .collect = collect};
    struct backend backend = fake_backend;

    backend.name = "fake-remote";
    backend.files = &calls;
    return backend;
}
