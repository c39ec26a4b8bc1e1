/* SPDX-License-Identifier: Apache-2.0 */
#include "e2b_api/json.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "formats/json_shape.h"
#include "formats/printable.h"

enum { DEPTH_MAX = 400, VALUES_MAX = 1 << 20 };

json_t *e2b_json_read(struct str text, size_t flags, const char *what, struct err *err)
{
    json_t *value = NULL;

    if (json_check_shape(text, DEPTH_MAX, VALUES_MAX, err) < 0) {
        (void)err_wrap(err, "%s", what);
        return NULL;
    }
    value = json_loadb(text.p ? text.p : "", text.n, flags, NULL);
    if (!value)
        (void)err_set(err, ERR_GUEST, "%s is not JSON", what);
    return value;
}

int e2b_json_check(const char *what, const char *text, struct err *err)
{
    AUTO_BUF struct buf shown = {0};

    if (utf8_valid(str_from(text)))
        return 0;
    buf_init(&shown, 400);
    printable_add_word(&shown, str_from(text), 100);
    return err_set(err, ERR_USAGE, "%s '%s' is not UTF-8, which E2B's protocol needs", what,
                   shown.p);
}

int e2b_json_check_all(const char *what, const char *const *texts, struct err *err)
{
    for (; *texts; texts++)
        if (e2b_json_check(what, *texts, err) < 0)
            return -1;
    return 0;
}
