/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds code in a model's reply, and writes results as text. The caller frees every returned
 * string.
 */
#include <string.h>

#include "api/handle.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "formats/encoded.h"
#include "text/format.h"
#include "text/reply.h"

enum { COMPLAINT_ROOM = 8 << 10, TEXT_ROOM = 64 << 10 };

static char *dump(json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);

    json_decref(value);
    return text;
}

/* Error messages quote the model's text, so they may be long and may contain any bytes. */
static void text_complain(glovebox *box, const struct buf *complaint)
{
    AUTO_BUF struct buf clean = {0};

    buf_init(&clean, 3 * complaint->n + 1);
    (void)utf8_add_clean(&clean, buf_str(complaint));
    err_set(&box->err, ERR_USAGE, "%s", clean.p);
    box->complaint = buf_take(&clean);
}

/* ---- replies ---- */

static const struct opt *const reply_tables[] = {reply_which_options, reply_how_options, NULL};

struct reading {
    struct reply_options options;
    struct opt_set set;
    struct reply_reader reader;
    struct buf complaint;
};

static int apply(struct opt_set *set, const char *const *options, struct err *err)
{
    static const struct opt_source source = {.from = OPT_FROM_COMMAND};

    for (; options && *options; options += 2) {
        if (!options[1])
            return err_set(err, ERR_USAGE, "option '%s' has no value", options[0]);
        if (opt_apply(set, &source, options[0], str_from(options[1]), err) < 0)
            return -1;
    }
    return 0;
}

static int reading_open(struct reading *r, glovebox *box, const char *const *options, size_t n)
{
    *r = (struct reading){.options = {.profile = REPLY_DEFAULT}};
    handle_begin(box);
    opt_init(&r->set, reply_tables, &r->options);
    buf_init(&r->complaint, n + COMPLAINT_ROOM);
    if (apply(&r->set, options, &box->err) < 0)
        return -1;
    return reply_open(&r->reader, &r->options, &box->err);
}

static void reading_done(struct reading *r)
{
    reply_done(&r->reader);
    buf_done(&r->complaint);
    opt_done(&r->set);
}

char *glovebox_blocks(glovebox *box, const char *reply, size_t n, const char *const *options)
{
    struct reading r;
    json_t *document = NULL;

    if (reading_open(&r, box, options, n) == 0) {
        document = reply_json(&r.reader, (struct str){reply, n}, &r.complaint);
        if (!document)
            text_complain(box, &r.complaint);
    }
    reading_done(&r);
    return document ? dump(document) : NULL;
}

char *glovebox_code(glovebox *box, const char *reply, size_t n, const char *const *options,
                    size_t *ret_n)
{
    AUTO_BUF struct buf code = {0};
    struct reading r;
    bool found = false;

    buf_init(&code, 32 * n + TEXT_ROOM);
    if (reading_open(&r, box, options, n) == 0) {
        found = reply_code(&r.reader, (struct str){reply, n}, &code, NULL, &r.complaint);
        if (!found)
            text_complain(box, &r.complaint);
    }
    reading_done(&r);
    if (ret_n)
        *ret_n = found ? code.n : 0;
    return found ? buf_take(&code) : NULL;
}

const char *glovebox_detect_language(const char *file, const char *code, size_t n)
{
    static const struct language_table no_more;

    return language_detect(&no_more, file, (struct str){code, n})->name;
}

/* ---- results ---- */

static int find_profile(const char *name, enum format_profile *ret, struct err *err)
{
    *ret = FORMAT_MARKDOWN;
    if (!name)
        return 0;
    for (int i = 0; i < FORMAT_COUNT; i++)
        if (strcmp(name, format_profile_names[i]) == 0) {
            *ret = (enum format_profile)i;
            return 0;
        }
    return err_set(err, ERR_USAGE, "unknown text profile '%s'", name);
}

/* For a document that the caller wrote: every profile needs at most three times its size (its
 * output between two fences of as many backticks). A result of ours has ceilings of its own. */
#define OWN_TEXT_MAX ((size_t)4 << 30)

static char *format(const json_t *document, enum format_profile profile, size_t max, size_t *ret_n,
                    struct err *err)
{
    AUTO_BUF struct buf text = {0};

    *ret_n = 0;
    buf_init(&text, max);
    if (format_check(document, err) < 0)
        return NULL;
    if (format_result(document, profile, &text) < 0) {
        err_set(err, ERR_LIMIT, "the text is larger than %zu bytes", text.limit);
        return NULL;
    }
    *ret_n = text.n;
    return buf_take(&text);
}

static int begin_format(glovebox *box, const char *profile, enum format_profile *ret, size_t *ret_n)
{
    *ret_n = 0;
    handle_begin(box);
    return find_profile(profile, ret, &box->err);
}

char *glovebox_format_json(glovebox *box, const char *json, size_t n, const char *profile,
                           size_t *ret_n)
{
    size_t ignored;
    enum format_profile which;
    json_error_t where;

    ret_n = ret_n ? ret_n : &ignored;
    if (begin_format(box, profile, &which, ret_n) < 0)
        return NULL;
    json_t *document = json_loadb(json, n, JSON_ALLOW_NUL, &where);
    if (!document) {
        err_set(&box->err, ERR_USAGE, "line %d: %s", where.line, where.text);
        return NULL;
    }
    char *text = format(document, which, 4 * n + TEXT_ROOM, ret_n, &box->err);
    json_decref(document);
    return text;
}

char *glovebox_format(glovebox *box, glovebox_result *result, const char *profile, size_t *ret_n)
{
    size_t ignored;
    enum format_profile which;

    ret_n = ret_n ? ret_n : &ignored;
    if (begin_format(box, profile, &which, ret_n) < 0)
        return NULL;
    json_t *document = handle_document(result);
    char *text = format(document, which, OWN_TEXT_MAX, ret_n, &box->err);
    json_decref(document);
    return text;
}

static void add_output(void *ctx, struct str output)
{
    json_array_append_new(ctx, json_text(output));
}

char *glovebox_extract(glovebox *box, const char *text, size_t n, const char *profile)
{
    enum format_profile which;

    handle_begin(box);
    if (find_profile(profile, &which, &box->err) < 0)
        return NULL;
    if (which != FORMAT_MARKDOWN && which != FORMAT_ADK) {
        err_set(&box->err, ERR_USAGE, "only the markdown and adk profiles can extract outputs");
        return NULL;
    }
    json_t *list = json_array();
    format_extract((struct str){text, n}, which, add_output, list);
    return dump(list);
}
