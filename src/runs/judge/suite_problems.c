/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/suggestion.h"
#include "judge/suite.h"
#include "judge/suite_lines.h"

struct suite_problems {
    FILE *file;
    const char *path;
    json_t *places; /* [offset, length] by id */
};

static int keep(struct suite_problems *p, const struct suite_lines *lines, struct str line,
                struct err *err)
{
    AUTO_FREE char *id = suite_id_read(line, err);
    long at = ftell(p->file);

    if (!id || json_object_get(p->places, id)) {
        if (id)
            err_set(err, ERR_USAGE, "two problems have the id '%s'", id);
        AUTO_FREE char *where = xasprintf("line %zu", lines->number);
        return err_wrap(err, "%s", where);
    }
    if (at < 0 || fwrite(line.p, 1, line.n, p->file) < line.n)
        return err_sys(err, "write a temporary file");
    json_object_set_new(p->places, id, json_pack("[I, I]", (json_int_t)at, (json_int_t)line.n));
    return 0;
}

static int read_all(struct suite_problems *p, struct err *err)
{
    struct suite_lines lines;
    struct str line;
    int more = -1;

    if (suite_lines_open(&lines, p->path, err) == 0)
        while ((more = suite_lines_next(&lines, &line, err)) > 0)
            if (line.n && keep(p, &lines, line, err) < 0) {
                more = -1;
                break;
            }
    suite_lines_close(&lines);
    if (more == 0 && fflush(p->file) != 0)
        return err_sys(err, "write a temporary file");
    if (more == 0 && !suite_problems_count(p))
        return err_set(err, ERR_USAGE, "the file has no problems");
    return more;
}

struct suite_problems *suite_problems_open(const char *path, struct err *err)
{
    struct suite_problems *p = xcalloc(1, sizeof *p);

    *p = (struct suite_problems){.file = tmpfile(), .path = path, .places = json_object()};
    if (p->file && read_all(p, err) == 0)
        return p;
    if (!p->file)
        err_sys(err, "make a temporary file");
    err_wrap(err, "--problems %s", path);
    suite_problems_close(p);
    return NULL;
}

void suite_problems_close(struct suite_problems *p)
{
    if (!p)
        return;
    if (p->file)
        (void)fclose(p->file);
    json_decref(p->places);
    free(p);
}

const char *suite_problems_path(const struct suite_problems *p)
{
    return p->path;
}

size_t suite_problems_count(const struct suite_problems *p)
{
    return json_object_size(p->places);
}

static int refuse_unknown(const struct suite_problems *p, const char *id, struct err *err)
{
    struct suggestion near = {.word = str_from(id)};
    const char *key;
    json_t *place;

    json_object_foreach(p->places, key, place) suggestion_try(&near, key);
    return err_set(err, ERR_USAGE, "%s has no problem '%.80s'%s%s%s", p->path, id,
                   near.best ? "; did you mean '" : "", near.best ? near.best : "",
                   near.best ? "'?" : "");
}

int suite_problems_get(const struct suite_problems *p, const char *id, struct buf *ret,
                       struct err *err)
{
    const json_t *place = json_object_get(p->places, id);
    off_t at = json_integer_value(json_array_get(place, 0));
    size_t left = (size_t)json_integer_value(json_array_get(place, 1));
    char chunk[8192];

    if (!place)
        return refuse_unknown(p, id, err);
    while (left) {
        ssize_t n = pread(fileno(p->file), chunk, left < sizeof chunk ? left : sizeof chunk, at);
        if (n < 0)
            return err_sys(err, "read the problem");
        if (n == 0 || buf_add(ret, chunk, (size_t)n) < 0)
            return err_set(err, ERR_SYSTEM, "the problem cannot be read whole");
        at += n;
        left -= (size_t)n;
    }
    return 0;
}
