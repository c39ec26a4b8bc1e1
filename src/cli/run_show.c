/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_show.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "cli/report.h"
#include "cli/safe_text.h"
#include "session/json_write.h"
#include "session/workspace.h"
#include "text/encoded.h"

enum { PICTURE_MAX = 64 << 20, NAMES_MAX = 1000, DROPPED_SHOWN = 10 };

/* The best first. */
static const struct form {
    const char *mime, *end;
    enum { TEXT, BASE64, JSON } as;
    bool picture;
} forms[] = {
    {"image/png", "png", BASE64, true},   {"image/jpeg", "jpg", BASE64, true},
    {"image/gif", "gif", BASE64, true},   {"image/webp", "webp", BASE64, true},
    {"image/svg+xml", "svg", TEXT, true}, {"application/pdf", "pdf", BASE64, true},
    {"text/html", "html", TEXT, false},   {"text/latex", "tex", TEXT, false},
    {"text/markdown", "md", TEXT, false}, {"application/json", "json", JSON, false},
    {"text/plain", "txt", TEXT, false},
};

static struct str text_of(const json_t *v)
{
    return (struct str){json_string_value(v), json_string_length(v)};
}

/* -1 when it is not what its type says. */
static int bytes_of(const json_t *data, const struct form *form, struct buf *ret)
{
    const json_t *v = json_object_get(data, form->mime);
    struct err err;

    if (form->as == JSON && v) {
        AUTO_FREE char *text = json_write(v, true);
        buf_init(ret, strlen(text) + 2);
        return buf_addf(ret, "%s\n", text);
    }
    buf_init(ret, json_string_length(v) + 1);
    if (!json_is_string(v))
        return -1;
    return form->as == BASE64 ? encoded_read(text_of(v), STR("base64"), ret, &err)
                              : buf_add_str(ret, text_of(v));
}

static const struct form *best_of(const json_t *data, struct buf *ret)
{
    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        if (bytes_of(data, &forms[i], ret) == 0)
            return &forms[i];
        buf_done(ret);
    }
    return NULL;
}

/* ---- the terminal ---- */

static bool show_picture(struct run_show *show, struct str png)
{
    AUTO_BUF struct buf out = {0};
    struct err err;

    if (!show->asked)
        show_image_ask(STDIN_FILENO, STDOUT_FILENO, getenv, &show->terminal);
    show->asked = true;
    buf_init(&out, PICTURE_MAX);
    if (show->terminal.how == SHOW_NONE || show_image_put(&show->terminal, png, &out, &err) < 0)
        return false;
    printer_text(show->printer, buf_str(&out));
    return true;
}

static void print_text(struct run_show *show, struct str text)
{
    AUTO_BUF struct buf line = {0};

    buf_init(&line, 4 * text.n + 16);
    if (isatty(STDOUT_FILENO))
        safe_text_add(&line, text, true);
    else
        (void)buf_add_str(&line, text);
    if (!str_ends(buf_str(&line), "\n"))
        (void)buf_addc(&line, '\n');
    printer_text(show->printer, buf_str(&line));
}

static void say_dropped(const struct run_show *show, const json_t *list)
{
    json_t *v;
    size_t i;

    json_array_foreach(list, i, v)
    {
        const char *mime = json_string_value(json_object_get(v, "mime"));
        const char *why = json_string_value(json_object_get(v, "why"));
        bool any = !mime || strcmp(mime, "*/*") == 0;
        AUTO_FREE char *line =
            xasprintf("left out%s%s: %s", any ? "" : ": ", any ? "" : mime, why ? why : "");
        if (i < DROPPED_SHOWN)
            report_say(show->settings, line);
    }
}

void run_show_bundle(struct run_show *show, const json_t *bundle)
{
    const json_t *data = json_object_get(bundle, "data");
    const json_t *text = json_object_get(data, "text/plain");
    AUTO_BUF struct buf bytes = {0};

    if (show->printer->mode != PRINT_OUTPUT)
        return;
    const struct form *form = best_of(data, &bytes);
    bool png = form && strcmp(form->end, "png") == 0;
    bool shown = png && show_picture(show, buf_str(&bytes));
    if (form && form->picture && !shown)
        show->unseen++;
    if (!shown && json_is_string(text) && !(form && form->picture && !isatty(STDOUT_FILENO)))
        print_text(show, text_of(text));
    say_dropped(show, json_object_get(bundle, "dropped"));
}

/* ---- files ---- */

/* Never over something that is there. */
static int write_new(int folder, const char *name, struct str bytes)
{
    AUTO_CLOSE int fd =
        openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);

    if (fd < 0 || fd_write_all(fd, bytes.p, bytes.n) == 0)
        return fd < 0 ? -1 : 0;
    int why = errno;
    (void)unlinkat(folder, name, 0);
    errno = why;
    return -1;
}

static void save(const struct run_show *show, int folder, size_t number, const json_t *data)
{
    AUTO_BUF struct buf bytes = {0};
    const struct form *form = best_of(data, &bytes);
    char name[80];
    int saved = -1;

    if (!form)
        return;
    snprintf(name, sizeof name, "display-%zu.%s", number, form->end);
    for (int other = 2; other < NAMES_MAX; other++) {
        saved = write_new(folder, name, buf_str(&bytes));
        if (saved == 0 || errno != EEXIST)
            break;
        snprintf(name, sizeof name, "display-%zu-%d.%s", number, other, form->end);
    }
    const char *out = show->settings->common.out;
    AUTO_FREE char *line = saved < 0 ? xasprintf("write %s/%s: %s", out, name, strerror(errno))
                                     : xasprintf("saved %s/%s", out, name);
    report_say(show->settings, line);
}

static void save_all(const struct run_show *show, const json_t *results)
{
    struct err err;
    AUTO_CLOSE int folder = workspace_open_dir(show->settings->common.out, true, &err);
    json_t *bundle;
    size_t i;

    if (folder < 0) {
        report_say(show->settings, err.msg);
        return;
    }
    json_array_foreach(results, i, bundle)
        save(show, folder, i + 1, json_object_get(bundle, "data"));
}

void run_show_end(struct run_show *show, const json_t *results)
{
    if (show->settings->common.out && json_array_size(results)) {
        save_all(show, results);
    } else if (show->unseen) {
        AUTO_FREE char *line =
            show->unseen == 1
                ? xstrdup("a picture could not be shown here; --out FOLDER saves it")
                : xasprintf("%zu pictures could not be shown here; --out FOLDER saves them",
                            show->unseen);
        report_say(show->settings, line);
    }
}
