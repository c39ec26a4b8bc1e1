/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the files in a result to --out. Their names come from the guest.
 */
#include <string.h>

#include "formats/encoded.h"
#include "formats/json_get.h"
#include "jail/lay.h"
#include "remote/run_remote.h"
#include "result/result.h"
#include "workspace/workspace_export.h"

static void note_text(json_t *doc, struct str path, const char *why)
{
    json_array_append_new(json_object_get(doc, "skipped"), result_skipped(path, "out", why));
}

static void run_remote_files_note(json_t *doc, struct str path, enum skip_reason reason)
{
    struct file_skip skip = {.reason = reason};
    char why[256];

    note_text(doc, path, file_skip_describe(&skip, why, sizeof why));
}

static int export_one(json_t *doc, json_t *file, struct export *x, struct err *err)
{
    AUTO_BUF struct buf room = {0}, content = {0};
    struct str path = json_get_bytes(file, "path", &room);
    json_t *encoded = json_object_get(file, "content_base64");
    const char *skipped = json_string_value(json_object_get(file, "content_skipped"));
    enum skip_reason why;
    int result = 0;

    bool is_dir = path.n > 1 && path.p[path.n - 1] == '/';
    path.n -= is_dir;
    if (skipped || lay_path_problem(path)) {
        note_text(doc, path, skipped ? skipped : "its name leads out of the folder");
        return 0;
    }
    if (is_dir && !encoded) {
        result = export_folder(x, path, &why, err);
    } else if (encoded) {
        buf_init(&content, json_string_length(encoded) + 1);
        if (encoded_read(json_str(encoded), STR("base64"), &content, err) < 0)
            return -1;
        unsigned mode = (unsigned)json_integer_value(json_object_get(file, "content_mode"));
        result = export_file(x, path, mode ? mode & 0777 : 0644, buf_str(&content), &why, err);
    }
    if (result > 0)
        run_remote_files_note(doc, path, why);
    return result < 0 ? -1 : 0;
}

int remote_export(json_t *doc, int out_fd, struct err *err)
{
    json_t *file;
    size_t i;
    struct export x;
    int result = 0;

    export_init(&x, out_fd, "output");
    json_array_foreach(json_object_get(doc, "files"), i, file)
    {
        if (out_fd >= 0 && result == 0)
            result = export_one(doc, file, &x, err);
        json_object_del(file, "content_base64");
        json_object_del(file, "content_mode");
        json_object_del(file, "content_skipped");
    }
    export_done(&x);
    return result;
}
