/* SPDX-License-Identifier: Apache-2.0
 *
 * The text for the model that wrote the program. sdk/python/src/glovebox_sandbox/for_model.py makes
 * the same one; the package's tests compare both.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "formats/json_get.h"
#include "text/format_profiles.h"
#include "text/model_text.h"

enum { FILES_SHOWN = 20, PATH_SHOWN = 255, MESSAGE_SHOWN = 1000 };

/* A part with text of the program's, which may be too long. */
struct model_part {
    const char *title;
    struct str text, note; /* about the rest of a longer text (model_add_cut) */
    uint64_t total;        /* of an output that was not kept as a whole, else 0 */
};

enum { PARTS_MAX = 4, PART_FRAME = 80 }; /* bytes of a title, two lines of a fence, blank lines */

static void add_part(struct buf *out, const struct model_part *part, size_t most)
{
    AUTO_BUF struct buf text = {0};
    size_t room = most;

    buf_init(&text, part->text.n + 1000);
    do { /* a fence is longer than any in the text */
        buf_clear(&text);
        model_add_cut(&text, part->text, room, part->note, part->total);
        room /= 2;
    } while (room && text.n + 2 * format_longest_run(buf_str(&text), '`') > most);
    (void)buf_addf(out, "%s%s\n\n", out->n ? "\n" : "", part->title);
    format_fenced(out, str_ends(buf_str(&text), "\n") ? STR("text") : STR(FORMAT_UNENDED),
                  buf_str(&text));
}

/* Returns the most bytes that a part may have: the room is divided evenly, and a short part leaves
 * the rest of its share to the others. */
static size_t fair_share(const struct model_part *parts, size_t n, size_t room)
{
    size_t share = n ? room / n : 0;

    for (size_t round = 1; round < n; round++) {
        size_t left = room, longer = 0;
        for (size_t i = 0; i < n; i++)
            if (parts[i].text.n <= share)
                left -= parts[i].text.n;
            else
                longer++;
        share = longer ? left / longer : share;
    }
    return share;
}

/* Appends a text of the program on one line: with lines of its own, it could look like ours. */
static void add_one_line(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        (void)buf_addc(out, c < 0x20 || c == 0x7f ? ' ' : text.p[i]);
    }
}

/* Appends a name in backticks, with one backtick more than it contains in a row. */
static void add_code_span(struct buf *out, struct str text)
{
    size_t n = format_longest_run(text, '`') + 1;
    const char *space = n > 1 ? " " : "";

    format_add_run(out, '`', n);
    (void)buf_adds(out, space);
    add_one_line(out, text);
    (void)buf_adds(out, space);
    format_add_run(out, '`', n);
}

static void add_file(struct buf *out, const json_t *file)
{
    struct str path = json_get_str(file, "path"), mime = json_get_str(file, "mime");
    int64_t size = json_get_int(file, "size");

    (void)buf_adds(out, "- ");
    add_code_span(out, str_slice(path, 0, utf8_cut(path, PATH_SHOWN)));
    (void)buf_addf(out, " (%" PRId64 " byte%s%s%.*s)\n", size, size == 1 ? "" : "s",
                   mime.n ? ", " : "", (int)mime.n, mime.p);
}

static void format_add_files(struct buf *out, const json_t *files)
{
    size_t all = 0, i;
    const json_t *file;

    json_array_foreach(files, i, file)
    {
        if (str_is(json_get_str(file, "change"), "deleted"))
            continue;
        if (!all)
            (void)buf_adds(out, out->n ? "\nFiles:\n\n" : "Files:\n\n");
        if (all++ < FILES_SHOWN)
            add_file(out, file);
    }
    if (all > FILES_SHOWN)
        (void)buf_addf(out, "(%zu more files)\n", all - FILES_SHOWN);
}

static void add_place(struct buf *out, const json_t *run)
{
    struct str file = format_exception(run, "file");

    (void)buf_addf(out, " (line %" PRId64, json_get_int(json_object_get(run, "exception"), "line"));
    if (file.n) {
        (void)buf_adds(out, " of ");
        add_one_line(out, file);
    }
    (void)buf_addc(out, ')');
}

static void add_exception(struct buf *out, const json_t *run)
{
    struct str message = format_exception(run, "message");

    add_one_line(out, format_exception(run, "type"));
    if (message.n) {
        size_t shown = utf8_cut(message, MESSAGE_SHOWN);
        (void)buf_adds(out, ": ");
        add_one_line(out, str_slice(message, 0, shown));
        (void)buf_adds(out, shown < message.n ? " [cut]" : "");
    }
    if (json_get_int(json_object_get(run, "exception"), "line"))
        add_place(out, run);
}

void format_advice(const json_t *run, struct buf *out)
{
    const json_t *text;
    size_t i;

    model_add_advice(out, format_exception(run, "hint"));
    json_array_foreach(json_object_get(run, "feedback"), i, text)
    {
        if (!out->n)
            model_add_advice(out, json_str(text));
    }
}

/* A result has its advice in "advice"; for a result of an earlier version, the advice is made
 * here. */
static void add_advice(struct buf *out, const json_t *run)
{
    AUTO_BUF struct buf advice = {0};

    buf_init(&advice, 16 << 10);
    (void)buf_add_str(&advice, json_get_str(run, "advice"));
    if (!advice.n)
        format_advice(run, &advice);
    bool said = format_error(run).n && str_find(buf_str(&advice), format_error(run)) == 0;
    if (advice.n && !said)
        (void)buf_addf(out, "Hint: %.*s\n", (int)utf8_cut(buf_str(&advice), MESSAGE_SHOWN),
                       advice.p);
}

/* True if the program ended, and what came after it failed. */
static bool is_incomplete(const json_t *run)
{
    return json_is_integer(json_object_get(run, "exit_code")) &&
           json_get_int(run, "exit_code") >= 0;
}

bool format_machine_failed(const json_t *run)
{
    static const char *const kinds[] = {"system", "unsupported", "bug", NULL};

    return str_one_of(json_get_str(json_object_get(run, "error"), "kind"), kinds);
}

/* "The program failed: NameError: name 'x' is not defined (line 3)." */
static void add_verdict(struct buf *out, const json_t *run)
{
    (void)buf_addf(out, "%s: ",
                   format_refused(run)                         ? "The program was refused"
                   : format_error(run).n && is_incomplete(run) ? "The program ran, but its result "
                                                                 "is incomplete"
                   : format_error(run).n                       ? "The program could not be run"
                                                               : "The program failed");
    if (format_raised(run))
        add_exception(out, run);
    else
        format_reason(run, out);
    (void)buf_adds(out, format_machine_failed(run) ? ".\n" FORMAT_MACHINE "\n" : ".\n");
    add_advice(out, run);
}

static bool is_picture(const json_t *bundle)
{
    json_t *data = json_object_get(bundle, "data"), *content;
    const char *mime;

    json_object_foreach(data, mime, content)
    {
        if (str_starts(str_from(mime), "image/"))
            return true;
    }
    return false;
}

static size_t count_figures(const json_t *run)
{
    const json_t *bundle;
    size_t i, n = 0;

    json_array_foreach(json_object_get(run, "results"), i, bundle) n += is_picture(bundle);
    return n;
}

/* Appends the plain texts of the displays of a kind, with a line end between two of them. A display
 * with a picture is left out: its text only describes the picture. */
static void add_displays(struct buf *out, const json_t *run, struct str kind)
{
    const json_t *bundle;
    size_t i;

    json_array_foreach(json_object_get(run, "results"), i, bundle)
    {
        struct str text = json_get_str(json_object_get(bundle, "data"), "text/plain");
        if (!text.n || !str_eq(json_get_str(bundle, "kind"), kind) ||
            (is_picture(bundle) && !str_is(kind, "value")))
            continue;
        (void)buf_adds(out, out->n ? "\n" : "");
        (void)buf_add_str(out, text);
    }
}

/* A value's display shows it for people; without one, it is written as JSON. */
static void add_value_text(struct buf *out, const json_t *run)
{
    const json_t *value = format_value(run);

    if (!json_get_true(run, "is_final_answer"))
        add_displays(out, run, STR("value"));
    if (out->n || !value)
        return;
    AUTO_FREE char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    (void)buf_add_str(out, json_is_string(value) ? json_str(value) : str_from(text));
}

/* Appends the parts that are ours, which are short. `shown`: the text has output or a value. */
static void add_facts(struct buf *out, const json_t *run, bool shown)
{
    size_t figures = count_figures(run);

    if (json_get_int(run, "total") && !format_error(run).n)
        format_tests(run, out);
    else if (!format_success(run))
        add_verdict(out, run);
    else if (!shown && !figures)
        (void)buf_adds(out, "The program ran and printed nothing.\n");
    if (figures)
        (void)buf_addf(out, "%s%zu figure%s shown.\n", out->n ? "\n" : "", figures,
                       figures == 1 ? " was" : "s were");
    format_add_files(out, json_object_get(run, "files"));
}

static uint64_t total_of(const json_t *run, const char *truncated, const char *bytes)
{
    int64_t n = json_get_true(run, truncated) ? json_get_int(run, bytes) : 0;

    return n > 0 ? (uint64_t)n : 0;
}

static size_t take_parts(const json_t *run, struct buf texts[PARTS_MAX],
                         struct model_part parts[PARTS_MAX])
{
    static const char *const titles[PARTS_MAX] = {"Output:", "Errors:", "Display:", "Value:"};
    static const char *const notes[PARTS_MAX] = {"stdout_rest", "stderr_rest", "", ""};
    const uint64_t totals[PARTS_MAX] = {total_of(run, "stdout_truncated", "stdout_bytes"),
                                        total_of(run, "stderr_truncated", "stderr_bytes")};
    size_t n = 0;

    (void)buf_add_str(&texts[0], json_get_str(run, "stdout"));
    model_add_errors(&texts[1], json_get_str(run, "stderr"));
    add_displays(&texts[2], run, STR("display"));
    add_value_text(&texts[3], run);
    for (size_t i = 0; i < PARTS_MAX; i++)
        if (texts[i].n)
            parts[n++] = (struct model_part){titles[i], buf_str(&texts[i]),
                                             json_get_str(run, notes[i]), totals[i]};
    return n;
}

static void add_all(struct buf *out, const json_t *run, size_t limit, struct buf texts[PARTS_MAX])
{
    struct model_part parts[PARTS_MAX];
    AUTO_BUF struct buf facts = {0};
    size_t n = take_parts(run, texts, parts), begin = out->n;

    buf_init(&facts, 64 << 10);
    add_facts(&facts, run, n > 0);
    size_t used = facts.n + n * PART_FRAME,
           share = fair_share(parts, n, limit > used ? limit - used : 0);
    for (size_t i = 0; i < n; i++)
        add_part(out, &parts[i], share);
    if (facts.n)
        (void)buf_addf(out, "%s%s", n ? "\n" : "", facts.p);
    if (out->n - begin > limit) {
        out->n = begin + utf8_cut(str_slice(buf_str(out), begin, out->n), limit);
        out->p[out->n] = '\0';
    }
}

int format_for_model(const json_t *run, size_t limit, struct buf *out)
{
    struct buf texts[PARTS_MAX] = {{0}};

    for (size_t i = 0; i < PARTS_MAX; i++)
        buf_init(&texts[i], out->limit);
    add_all(out, run, limit, texts);
    for (size_t i = 0; i < PARTS_MAX; i++)
        buf_done(&texts[i]);
    return out->overflow ? -1 : 0;
}

void format_markdown(const json_t *run, struct buf *out)
{
    (void)format_for_model(run, FORMAT_MODEL_MAX, out);
}
