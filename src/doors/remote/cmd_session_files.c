/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of a daemon's session: `glovebox session files|get|put`.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "formats/json_get.h"
#include "jail/lay.h"
#include "remote/cmd_session.h"
#include "remote/run_remote.h"
#include "report/print_json.h"
#include "terminal/safe_text.h"
#include "workspace/workspace_export.h"

static char *address(const struct session_call *call, struct str path)
{
    struct buf b = {0};

    buf_init(&b, 4 * LAY_PATH_MAX);
    (void)buf_addf(&b, "/v1/sessions/%s/files/", call->id);
    http_encode_path(&b, path);
    return buf_take(&b);
}

static void print_file(const json_t *file)
{
    AUTO_FREE char *path = safe_line(json_get_text(file, "path"));

    printf("%12" PRId64 "  %s\n", json_get_int(file, "size"), path);
}

int cmd_session_files(struct session_call *call, struct err *err)
{
    json_t *doc, *file;
    size_t i;

    if (cmd_session_ask_about(call, "GET", "/files", NULL, &doc, err) < 0)
        return -1;
    if (call->set->cli.json) {
        print_document(doc);
    } else {
        json_array_foreach(json_object_get(doc, "files"), i, file) print_file(file);
    }
    json_decref(doc);
    return 0;
}

/* ---- get ---- */

struct getting {
    struct export x;
    struct str name;
    int fd; /* standard output; -1: the file */
};

static int take_piece(void *ctx, struct str bytes, struct err *err)
{
    struct getting *g = ctx;

    if (g->fd < 0)
        return export_write(&g->x, g->name, bytes.p, bytes.n, err);
    return fd_write_all(g->fd, bytes.p, bytes.n) < 0 ? err_sys(err, "write to standard output") : 0;
}

static int fetch(struct session_call *call, struct getting *g, struct err *err)
{
    AUTO_FREE char *path = address(call, str_from(call->operands[1]));
    struct http_ask ask = {.method = "GET",
                           .path = path,
                           .timeout_ms = 60000,
                           .cancel_fd = -1,
                           .piece = take_piece,
                           .ctx = g};
    struct http_reply reply;
    int result = http_client_ask(&call->client, &ask, &reply, err);

    if (result == 0 && reply.status != 200)
        result = remote_refused(&reply, err);
    http_reply_done(&reply);
    return result;
}

static int in_the_way(const char *path, struct err *err)
{
    return err_set(err, ERR_USAGE, "%s: cannot be written, because it is not a regular file", path);
}

/* Writes the complete file or, after a failure, nothing. */
static int fetch_into(struct session_call *call, const char *target, struct err *err)
{
    struct str folder, name;
    enum skip_reason why;

    lay_path_split(str_from(target), &folder, &name);
    AUTO_FREE char *parent = folder.n           ? xstrndup(folder.p, folder.n)
                             : target[0] == '/' ? xstrdup("/")
                                                : xstrdup(".");
    AUTO_CLOSE int dir = workspace_open_dir(parent, false, err);
    if (dir < 0)
        return -1;
    if (!name.n)
        return err_set(err, ERR_USAGE, "'%s' is not a file name", target);
    struct getting g = {.name = name, .fd = -1};
    export_init(&g.x, dir, "target");
    int result = export_begin(&g.x, name, 0644, &why, err);
    if (result == 0)
        result = fetch(call, &g, err);
    if (result == 0)
        result = export_commit(&g.x, name, &why, err);
    export_done(&g.x);
    return result > 0 ? in_the_way(target, err) : result;
}

int cmd_session_get(struct session_call *call, struct err *err)
{
    struct str folder, name;

    lay_path_split(str_from(call->operands[1]), &folder, &name);
    AUTO_FREE char *own = xstrndup(name.p, name.n);
    const char *target = call->operand_n > 2 ? call->operands[2] : own;
    struct stat st;
    if (strcmp(target, "-") == 0) {
        struct getting g = {.fd = STDOUT_FILENO};
        return fetch(call, &g, err);
    }
    if (stat(target, &st) < 0 || !S_ISDIR(st.st_mode))
        return fetch_into(call, target, err);
    AUTO_FREE char *below = xasprintf("%s/%s", target, own);
    return fetch_into(call, below, err);
}

/* ---- put ---- */

static int send_session_file(struct session_call *call, int fd, uint64_t size, struct str name,
                             struct err *err)
{
    AUTO_FREE char *path = address(call, name);
    struct http_ask ask = {.method = "PUT",
                           .path = path,
                           .type = "application/octet-stream",
                           .has_file = true,
                           .body_fd = fd,
                           .body_size = size,
                           .timeout_ms = 60000,
                           .cancel_fd = -1};
    struct http_reply reply;
    int result = http_client_ask(&call->client, &ask, &reply, err);

    if (result == 0 && reply.status / 100 != 2)
        result = remote_refused(&reply, err);
    http_reply_done(&reply);
    return result;
}

/* Sends FILE[:NAME], as in --file. */
static int put_one(struct session_call *call, const char *spec, struct err *err)
{
    struct str name;
    struct stat st;
    AUTO_FREE char *src = file_spec_source(spec, &name);
    AUTO_CLOSE int fd = open(src, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &st) < 0) {
        err_sys(err, "read %s", src);
        err->kind = ERR_USAGE;
        return -1;
    }
    if (!S_ISREG(st.st_mode))
        return err_set(err, ERR_USAGE, "%s: is not a file; put the files of a folder one by one",
                       src);
    return send_session_file(call, fd, (uint64_t)st.st_size, name, err);
}

int cmd_session_put(struct session_call *call, struct err *err)
{
    for (size_t i = 1; i < call->operand_n; i++)
        if (put_one(call, call->operands[i], err) < 0)
            return -1;
    return 0;
}
