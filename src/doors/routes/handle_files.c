/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of a session. The functions session_file_* make sure that a path stays in the workspace.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "formats/encoded.h"
#include "routes/routes.h"
#include "server/session_parts.h"

struct file_job {
    char *path;
    int fd; /* an upload */
    uint64_t max;
};

static void handle_files_release(struct job *job)
{
    struct file_job *f = job->own;

    fd_close(&f->fd);
    free(f->path);
    free(f);
}

static void submit(struct call *call, void (*work)(struct job *), int fd)
{
    struct session_entry *e = session_of(call);

    if (!e) {
        fd_close(&fd);
        return;
    }
    struct job *job = job_bare(call->server, call);
    struct file_job *f = xcalloc(1, sizeof *f);
    *f = (struct file_job){
        .path = xstrdup(call->rest.p), .fd = fd, .max = call->server->config->settings.max_upload};
    job->own = f;
    job->release = handle_files_release;
    job->work = work;
    session_submit(e, job);
}

/* 400 for an invalid path; other errors depend on the file at that path. */
static void handle_files_fail(struct job *job, const struct err *err)
{
    job_fail(job, err);
    if (err->kind == ERR_USAGE && err->sys)
        job->status = err->sys == ENOENT ? 404 : 409;
}

void files_list_work(struct job *job)
{
    struct workspace_file *files;
    size_t n;
    struct err err;

    if (session_files(job->turn.entry->session, &files, &n, &err) < 0) {
        job_fail(job, &err);
        return;
    }
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(
            list, json_pack("{s:o, s:I, s:I}", "path", json_text(str_from(files[i].path)), "size",
                            (json_int_t)files[i].size, "mtime_ms", (json_int_t)files[i].mtime_ms));
    workspace_files_done(files, n);
    job_answer_json(job, 200, json_pack("{s:o}", "files", list));
}

static void get_work(struct job *job)
{
    const struct file_job *f = job->own;
    struct err err;

    job->file_fd = session_file_open(job->turn.entry->session, f->path, &job->file_size, &err);
    if (job->file_fd < 0) {
        handle_files_fail(job, &err);
        return;
    }
    job->status = 200;
    job->type = "application/octet-stream";
}

static void put_work(struct job *job)
{
    const struct file_job *f = job->own;
    struct err err;

    if (session_file_put(job->turn.entry->session, f->path, f->fd, f->max, &err) < 0)
        handle_files_fail(job, &err);
    else
        job_answer(job, 201, xasprintf("{\"id\":\"%s\",\"done\":true}", job->turn.entry->id));
}

static void delete_work(struct job *job)
{
    const struct file_job *f = job->own;
    struct err err;

    if (session_file_remove(job->turn.entry->session, f->path, &err) < 0)
        handle_files_fail(job, &err);
    else
        job_answer(job, 200, xasprintf("{\"id\":\"%s\",\"done\":true}", job->turn.entry->id));
}

void handle_file_get(struct call *call)
{
    submit(call, get_work, -1);
}

void handle_file_delete(struct call *call)
{
    submit(call, delete_work, -1);
}

/* The body is in a file of its own, which the connection closes when the client has disconnected.
 */
void handle_file_put(struct call *call)
{
    submit(call, put_work, fcntl(call->x->body_fd, F_DUPFD_CLOEXEC, 0));
}
