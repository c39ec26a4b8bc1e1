/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "environments/maker.h"
#include "formats/printable.h"
#include "languages/interpreter.h"

enum { SHOWN_MAX = 400 };

/* In $PATH, or where its own installer puts it. */
static char *find_uv(void)
{
    const char *home = getenv("HOME");
    AUTO_FREE char *usual = xasprintf("%s/.local/bin/uv", home ? home : "");
    AUTO_FREE char *found = interpreter_search("uv");
    const char *path = found ? found : home && interpreter_is_program(usual) ? usual : NULL;

    return path ? realpath(path, NULL) : NULL;
}

/* uv's reason has several lines, which begin with a frame. */
static void join_reason(struct str said, struct buf *ret)
{
    struct str line;
    bool begun = false;

    while (str_next_line(&said, &line)) {
        line = str_trim(line);
        long cause = str_find(line, STR("Because ")), error = str_find(line, STR("error: "));
        if (!begun && cause >= 0)
            line = str_slice(line, (size_t)cause, line.n);
        else if (!begun && error >= 0)
            line = str_slice(line, (size_t)error + strlen("error: "), line.n);
        begun |= cause >= 0 || error >= 0;
        if (begun && line.n)
            (void)buf_addf(ret, "%s%.*s", ret->n ? " " : "", (int)line.n, line.p);
    }
}

static int uv_explain(const struct env_order *order, struct str said, int status, struct err *err)
{
    AUTO_BUF struct buf reason = {0}, shown = {0};
    const char *remedy = "";

    (void)order;
    buf_init(&reason, 8192);
    buf_init(&shown, 2 * SHOWN_MAX);
    join_reason(said, &reason);
    if (str_find(said, STR("error sending request")) >= 0 ||
        str_find(said, STR("Failed to fetch")) >= 0)
        remedy = "; the index of packages cannot be reached";
    else if (str_find(said, STR("no wheels")) >= 0 || str_find(said, STR("build")) >= 0)
        remedy = "; packages that must be built are not supported";
    printable_add_word(&shown, reason.n ? buf_str(&reason) : STR("uv failed without a reason"),
                       SHOWN_MAX);
    return err_set(err, ERR_UNSUPPORTED, "%s%s (uv, status %d)", shown.p, remedy, status);
}

static int uv_fetch(const struct env_order *order, const char *program, struct file_set *ret,
                    struct err *err)
{
    return env_fetch(order, program, ret, uv_explain, err);
}

const struct env_maker env_maker_uv = {.name = "uv", .find = find_uv, .fetch = uv_fetch};
