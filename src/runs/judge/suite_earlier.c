/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/suite_earlier.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "judge/suite_lines.h"

static char *sample_of(const struct suite_earlier *e, const char *suite, const char *id,
                       size_t sample)
{
    return xasprintf("%s\t%s\t%zu", e->one_suite || !suite ? "" : suite, id, sample);
}

static char *key_of(const char *sample, const char *hash)
{
    return xasprintf("%s\t%s", sample, hash);
}

/* ---- reading ---- */

/* Keeps a verdict, and takes *r then. A sample without a verdict is repeated. */
static void keep_verdict(struct suite_earlier *e, struct suite_result *r)
{
    if (!r->id || r->error)
        return;
    AUTO_FREE char *sample = sample_of(e, r->suite, r->id, r->sample);
    AUTO_FREE char *key = key_of(sample, r->hash);
    const size_t known = e->keys.n;

    (void)tally_task(&e->samples, sample);
    (void)tally_task(&e->keys, key);
    if (e->keys.n == known)
        return;
    if (!e->rows || known == e->room)
        e->rows = mem_grow(e->rows, &e->room, sizeof *e->rows);
    e->rows[known] = *r;
    *r = (struct suite_result){0};
}

/* True for other lines of our own: the sums of --json, and a line that was cut off. */
static bool is_ours(struct str line)
{
    const struct str head = STR("{\"id\":");
    json_t *object = json_loadb(line.p, line.n, 0, NULL);
    bool is_sum = json_is_object(json_object_get(object, "summary"));
    bool is_torn = !object && (str_starts(line, head.p) ||
                               (line.n < head.n && memcmp(line.p, head.p, line.n) == 0));

    json_decref(object);
    return !line.n || is_sum || is_torn;
}

static int refuse_line(const struct suite_lines *lines, struct err *err)
{
    return err_set(err, ERR_USAGE,
                   "%s: line %zu is no result of a test; --resume adds to a file that --results "
                   "wrote",
                   lines->path, lines->number ? lines->number : 1);
}

static int take_line(struct suite_earlier *e, const struct suite_lines *lines, struct str line,
                     struct err *err)
{
    struct suite_result r = {0};
    bool good = suite_result_read(line, &r);

    if (good)
        keep_verdict(e, &r);
    suite_result_done(&r);
    return good || is_ours(line) ? 0 : refuse_line(lines, err);
}

static int read_results(struct suite_earlier *e, const char *path, struct err *err)
{
    struct suite_lines lines;
    struct str line;
    int more;

    if (suite_lines_open(&lines, path, err) < 0)
        return -1;
    while ((more = suite_lines_next(&lines, &line, err)) > 0 && !lines.is_array)
        if (take_line(e, &lines, line, err) < 0) {
            more = -1;
            break;
        }
    if (more >= 0 && lines.is_array)
        more = refuse_line(&lines, err);
    if (more == 0 && !gzdirect(lines.in))
        more = err_set(err, ERR_USAGE, "%s: is compressed; unpack it, results are added as text",
                       path);
    suite_lines_close(&lines);
    return more;
}

/* ---- the file ---- */

/* Ends a line that was cut off, so that the next result is on its own line. */
static int end_torn_line(int fd, const char *path, struct err *err)
{
    char last = '\n';
    off_t size = lseek(fd, 0, SEEK_END);

    if (size > 0 && pread(fd, &last, 1, size - 1) < 0)
        return err_sys(err, "write %s", path);
    return last != '\n' && fd_write_all(fd, "\n", 1) < 0 ? err_sys(err, "write %s", path) : 0;
}

int suite_earlier_open(struct suite_earlier *e, const struct suite_request *q, struct err *err)
{
    const char *path = q->results;
    const int flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | (q->resume ? 0 : O_EXCL);
    AUTO_CLOSE int fd = open(path, flags, 0666);

    e->one_suite = q->path_n == 1;
    if (fd < 0 && errno == EEXIST)
        return err_set(err, ERR_USAGE, "%s exists already: add --resume, or remove it", path);
    if (fd < 0)
        return err_sys(err, "write %s", path);
    if (flock(fd, LOCK_EX | LOCK_NB) < 0)
        return err_set(err, ERR_USAGE, "%s is being written by another run", path);
    if ((q->resume && read_results(e, path, err) < 0) || end_torn_line(fd, path, err) < 0)
        return -1;
    return fd_take(&fd);
}

/* ---- a sample ---- */

const struct suite_result *suite_earlier_find(const struct suite_earlier *e, const char *suite,
                                              const struct suite_task *task, bool *ret_changed)
{
    AUTO_FREE char *sample = sample_of(e, suite, task->id, task->sample);
    AUTO_FREE char *key = key_of(sample, task->hash);
    const struct tally_task *found = tally_find(&e->keys, key);

    *ret_changed = !found && tally_find(&e->samples, sample);
    return found ? &e->rows[found - e->keys.at] : NULL;
}

void suite_earlier_done(struct suite_earlier *e)
{
    for (size_t i = 0; i < e->keys.n; i++)
        suite_result_done(&e->rows[i]);
    free(e->rows);
    tally_done(&e->keys);
    tally_done(&e->samples);
}
