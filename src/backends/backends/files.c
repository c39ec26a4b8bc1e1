/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a guest: a walk by descriptor if its workspace is a folder of this host, otherwise
 * the backend's own calls.
 */
#include "backends/backend.h"
#include "workspace/workspace.h"
#include "workspace/workspace_files.h"

int backend_folder(struct backend_guest *guest)
{
    const struct backend_files *files = guest ? guest->backend->files : NULL;

    return files && files->folder ? files->folder(guest) : -1;
}

int backend_view(struct backend_guest *guest)
{
    const struct backend_files *files = guest ? guest->backend->files : NULL;
    struct err err;

    return files && files->copy && backend_has_files(guest) ? files->copy(guest, &err)
                                                            : backend_folder(guest);
}

const char *backend_inside(struct backend_guest *guest)
{
    return guest && guest->backend->files ? guest->backend->files->inside(guest) : "";
}

bool backend_has_files(struct backend_guest *guest)
{
    const struct backend_files *files = guest ? guest->backend->files : NULL;

    if (!files || (files->gone && files->gone(guest)))
        return false;
    return !files->folder || files->folder(guest) >= 0;
}

static const struct backend_files *files_of(struct backend_guest *guest)
{
    return guest->backend->files;
}

int backend_list(struct backend_guest *guest, struct workspace_file **ret, size_t *ret_count,
                 struct err *err)
{
    return files_of(guest)->list ? files_of(guest)->list(guest, ret, ret_count, err)
                                 : workspace_files(backend_folder(guest), ret, ret_count, err);
}

int backend_read(struct backend_guest *guest, const char *path, uint64_t *ret_size, struct err *err)
{
    return files_of(guest)->read ? files_of(guest)->read(guest, path, ret_size, err)
                                 : workspace_file_open(backend_folder(guest), path, ret_size, err);
}

int backend_write(struct backend_guest *guest, const char *path, int from, uint64_t max,
                  struct err *err)
{
    return files_of(guest)->write ? files_of(guest)->write(guest, path, from, max, err)
                                  : workspace_file_put(backend_folder(guest), path, from, max, err);
}

int backend_remove(struct backend_guest *guest, const char *path, struct err *err)
{
    return files_of(guest)->remove ? files_of(guest)->remove(guest, path, err)
                                   : workspace_file_remove(backend_folder(guest), path, err);
}

int backend_collect(struct backend_guest *guest, const struct collect_options *options,
                    struct lay_list *laid, struct file_set *ret, struct err *err)
{
    return files_of(guest)->collect
               ? files_of(guest)->collect(guest, options, laid, ret, err)
               : workspace_collect(options, backend_folder(guest), laid, ret, err);
}
