/* SPDX-License-Identifier: Apache-2.0 */
#include "report/show_bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "formats/encoded.h"
#include "formats/json_write.h"
#include "report/report.h"
#include "terminal/safe_text.h"

enum { PICTURE_MAX = 64 << 20, NAMES_MAX = 1000, DROPPED_SHOWN = 10 };

const struct bundle_form bundle_forms[] = {
    {"image/png", "png", FORM_BASE64, true, true},
    {"image/jpeg", "jpg", FORM_BASE64, true, true},
    {"image/gif", "gif", FORM_BASE64, true, true},
    {"image/webp", "webp", FORM_BASE64, true, true},
    {"image/svg+xml", "svg", FORM_TEXT, true, true},
    {"application/pdf", "pdf", FORM_BASE64, true, true},
    {"text/html", "html", FORM_TEXT, false, true},
    {"text/latex", "tex", FORM_TEXT, false, true},
    {"text/markdown", "md", FORM_TEXT, false, true},
    {"application/json", "json", FORM_JSON, false, false},
    {"text/plain", "txt", FORM_TEXT, false, false},
    {0},
};

int bundle_bytes(const json_t *data, const struct bundle_form *form, struct buf *ret)
{
    const json_t *v = json_object_get(data, form->mime);
    struct str text = {json_string_value(v), json_string_length(v)};
    struct err err;

    if (form->as == FORM_JSON && v) {
        AUTO_FREE char *json = json_write(v, true);
        buf_init(ret, strlen(json) + 2);
        return buf_addf(ret, "%s\n", json);
    }
    buf_init(ret, text.n + 1);
    if (!json_is_string(v))
        return -1;
    return form->as == FORM_BASE64 ? encoded_read(text, STR("base64"), ret, &err)
                                   : buf_add_str(ret, text);
}

const struct bundle_form *bundle_best(const json_t *data, struct buf *ret)
{
    for (const struct bundle_form *form = bundle_forms; form->mime; form++) {
        if (bundle_bytes(data, form, ret) == 0)
            return form;
        buf_done(ret);
    }
    return NULL;
}

/* ---- the terminal ---- */

bool show_picture(struct show_place *place, struct str png)
{
    AUTO_BUF struct buf out = {0};
    struct err err;

    if (!place->asked)
        show_image_ask(STDIN_FILENO, STDOUT_FILENO, getenv, &place->terminal);
    place->asked = true;
    buf_init(&out, PICTURE_MAX);
    if (place->terminal.how == SHOW_NONE || show_image_put(&place->terminal, png, &out, &err) < 0)
        return false;
    printer_text(place->printer, buf_str(&out));
    return true;
}

void show_text(struct show_place *place, struct str text)
{
    AUTO_BUF struct buf line = {0};

    buf_init(&line, 4 * text.n + 16);
    if (isatty(STDOUT_FILENO))
        safe_text_add(&line, text, true);
    else
        (void)buf_add_str(&line, text);
    if (!str_ends(buf_str(&line), "\n"))
        (void)buf_addc(&line, '\n');
    printer_text(place->printer, buf_str(&line));
}

void show_dropped(const struct show_place *place, const json_t *bundle)
{
    json_t *v;
    size_t i;

    json_array_foreach(json_object_get(bundle, "dropped"), i, v)
    {
        const char *mime = json_string_value(json_object_get(v, "mime"));
        const char *why = json_string_value(json_object_get(v, "why"));
        bool any = !mime || strcmp(mime, "*/*") == 0;
        AUTO_FREE char *line =
            xasprintf("left out%s%s: %s", any ? "" : ": ", any ? "" : mime, why ? why : "");
        if (i < DROPPED_SHOWN)
            report_say(place->settings, line);
    }
}

/* ---- files ---- */

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

void show_save(const struct show_place *place, int folder, const char *stem, const char *end,
               struct str bytes)
{
    const char *out = place->settings->common.out;
    char name[120];
    int saved = -1;

    snprintf(name, sizeof name, "%s.%s", stem, end);
    for (int other = 2; other < NAMES_MAX; other++) {
        saved = write_new(folder, name, bytes);
        if (saved == 0 || errno != EEXIST)
            break;
        snprintf(name, sizeof name, "%s-%d.%s", stem, other, end);
    }
    AUTO_FREE char *line = saved < 0 ? xasprintf("write %s/%s: %s", out, name, strerror(errno))
                                     : xasprintf("saved %s/%s", out, name);
    if (saved < 0)
        report_complain(line);
    else
        report_say(place->settings, line);
}
