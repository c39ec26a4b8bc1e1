/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "cli/cmd_session.h"
#include "cli/report.h"
#include "cli/safe_text.h"
#include "text/encoded.h"

enum { PICTURE_MAX = 64 << 20, FILES_PER_CELL_MAX = 1000 };

/* What can be a file of its own, and its name's end. */
static const struct {
    const char *mime, *end;
    bool base64;
} kinds[] = {
    {"image/png", "png", true},   {"image/jpeg", "jpg", true},     {"image/gif", "gif", true},
    {"image/webp", "webp", true}, {"image/svg+xml", "svg", false}, {"application/pdf", "pdf", true},
    {"text/html", "html", false}, {"text/latex", "tex", false},    {"text/markdown", "md", false},
};

static struct str text_of(const json_t *v)
{
    return (struct str){json_string_value(v), json_string_length(v)};
}

static int bytes_of(const json_t *v, bool base64, struct buf *ret)
{
    struct err err;

    buf_init(ret, json_string_length(v) + 1);
    if (!json_is_string(v))
        return -1;
    return base64 ? encoded_read(text_of(v), STR("base64"), ret, &err)
                  : buf_add_str(ret, text_of(v));
}

/* ---- files ---- */

/* Never over something that is there. */
static int write_new(const struct cell_show *show, const char *name, struct str bytes)
{
    AUTO_CLOSE int fd =
        openat(show->out_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);

    return fd < 0 ? -1 : fd_write_all(fd, bytes.p, bytes.n);
}

static void save(struct cell_show *show, const char *end, struct str bytes)
{
    char name[80];
    int saved = -1;

    do {
        if (++show->shown > FILES_PER_CELL_MAX)
            return;
        snprintf(name, sizeof name, "cell%u-%u.%s", show->cell, show->shown, end);
        saved = write_new(show, name, bytes);
    } while (saved < 0 && errno == EEXIST);
    if (saved < 0)
        fprintf(stderr, "glovebox: write %s/%s: %s\n", show->out_name, name, strerror(errno));
    else if (!show->quiet)
        fprintf(stderr, "glovebox: saved %s/%s\n", show->out_name, name);
}

static void save_all(struct cell_show *show, const json_t *data)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        AUTO_BUF struct buf bytes = {0};
        const json_t *v = json_object_get(data, kinds[i].mime);
        if (v && bytes_of(v, kinds[i].base64, &bytes) == 0)
            save(show, kinds[i].end, buf_str(&bytes));
    }
}

/* ---- the terminal ---- */

static bool show_picture(struct cell_show *show, const json_t *data)
{
    const json_t *png = json_object_get(data, "image/png");
    AUTO_BUF struct buf bytes = {0}, out = {0};
    struct err err;

    if (!png || show->plain)
        return false;
    if (!show->asked) {
        show_image_ask(STDIN_FILENO, STDOUT_FILENO, getenv, &show->terminal);
        show->asked = true;
    }
    buf_init(&out, PICTURE_MAX);
    if (show->terminal.how == SHOW_NONE || bytes_of(png, true, &bytes) < 0 ||
        show_image_put(&show->terminal, buf_str(&bytes), &out, &err) < 0)
        return false;
    fwrite(out.p, 1, out.n, stdout);
    return true;
}

static void print_text(struct str text)
{
    AUTO_BUF struct buf safe = {0};

    if (isatty(STDOUT_FILENO)) {
        buf_init(&safe, 4 * text.n + 16);
        safe_text_add(&safe, text, true);
        text = buf_str(&safe);
    }
    fwrite(text.p, 1, text.n, stdout);
    if (!text.n || text.p[text.n - 1] != '\n')
        putchar('\n');
}

static void say_dropped(const struct cell_show *show, const json_t *list)
{
    json_t *v;
    size_t i;

    json_array_foreach(list, i, v)
    {
        const char *mime = json_string_value(json_object_get(v, "mime"));
        const char *why = json_string_value(json_object_get(v, "why"));
        AUTO_BUF struct buf line = {0};
        buf_init(&line, 2048);
        safe_text_add(&line, str_from(mime), false);
        (void)buf_adds(&line, " was left out: ");
        safe_text_add(&line, str_from(why), false);
        if (!show->quiet && i < 10)
            fprintf(stderr, "glovebox: %s\n", line.p);
    }
}

void cell_show_bundle(struct cell_show *show, const json_t *bundle)
{
    const json_t *data = json_object_get(bundle, "data");
    const json_t *text = json_object_get(data, "text/plain");

    if (show->out_fd >= 0)
        save_all(show, data);
    if (show->plain)
        return;
    if (!show_picture(show, data) && json_is_string(text))
        print_text(text_of(text));
    say_dropped(show, json_object_get(bundle, "dropped"));
    fflush(stdout);
}

void cell_show_value(struct cell_show *show, const json_t *results)
{
    json_t *bundle;
    size_t i;

    json_array_foreach(results, i, bundle)
    {
        const char *kind = json_string_value(json_object_get(bundle, "kind"));
        if (kind && strcmp(kind, "value") == 0)
            cell_show_bundle(show, bundle);
    }
}

void cell_limits(const struct result *r, struct jail_limits *ret)
{
    ret->wall_ms = r->duration_ms / 100 * 100;
    ret->cpu_ms = r->cpu_ms / 100 * 100;
    ret->memory_bytes = r->memory_peak >> 20 << 20;
}

void cell_say_attempt(const struct cli_settings *settings, const struct result *r)
{
    if (r->cell.attempt == CELL_DROPPED && !settings->json && !settings->events)
        report_say(settings, "nothing of the cell is kept: the session is as it was before");
}
