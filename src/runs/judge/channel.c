/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/channel.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"

void channel_init(struct channel *c, size_t limit)
{
    buf_init(&c->bytes, limit);
}

void channel_done(struct channel *c)
{
    buf_done(&c->bytes);
}

static bool take_number(struct str *rest, int64_t *ret)
{
    struct str word;

    return str_next(rest, ' ', &word) && num_int64(word, ret) && *ret >= 0;
}

static bool take_how(struct str *rest, struct report *ret)
{
    struct str word;

    if (!str_next(rest, ' ', &word) || word.n >= sizeof ret->how)
        return false;
    memcpy(ret->how, word.p, word.n);
    ret->how[word.n] = '\0';
    return true;
}

/* The first lines of reports: whether they have a number, and whether three more lines with the
 * results follow. */
static const struct {
    const char *word;
    enum report_kind kind;
    bool numbered, whole;
} heads[] = {
    {"ready", REPORT_READY, false, false}, {"prepared", REPORT_PREPARED, false, false},
    {"setup", REPORT_SETUP, false, true},  {"load", REPORT_LOAD, false, true},
    {"begin", REPORT_BEGIN, true, false},  {"case", REPORT_CASE, true, true},
    {"end", REPORT_END, false, false},
};

/* False if the line is invalid. *ret_whole: three more lines belong to the report. */
static bool channel_read_head(struct str line, struct report *ret, bool *ret_whole)
{
    struct str word;
    int64_t number = 0, status = 0;
    size_t i = 0;

    *ret = (struct report){0};
    if (!str_next(&line, ' ', &word))
        return false;
    while (i < ARRAY_LEN(heads) && !str_is(word, heads[i].word))
        i++;
    if (i == ARRAY_LEN(heads) || (heads[i].numbered && !take_number(&line, &number)))
        return false;
    ret->kind = heads[i].kind;
    ret->number = (size_t)number;
    *ret_whole = heads[i].whole;
    if (!*ret_whole)
        return true;
    if (!take_how(&line, ret) || !take_number(&line, &status) || !take_number(&line, &ret->us))
        return false;
    ret->status = (int)status;
    return true;
}

static struct str channel_line_of(const struct channel *c, unsigned n)
{
    size_t from = n ? c->ends[n - 1] + 1 : 0;

    return str_slice(buf_str(&c->bytes), from, c->ends[n]);
}

/* True if the report is complete, or the input is invalid. */
static bool take_report(struct channel *c)
{
    struct report report;
    bool whole;

    if (!channel_read_head(channel_line_of(c, 0), &report, &whole)) {
        c->broken = true;
        return true;
    }
    if (whole && c->lines < 4)
        return false;
    if (whole) {
        report.payload = channel_line_of(c, 1);
        report.out = channel_line_of(c, 2);
        report.err = channel_line_of(c, 3);
    }
    c->report(c->ctx, &report);
    return true;
}

static bool channel_next_line(struct channel *c)
{
    const char *end = memchr(c->bytes.p + c->scanned, '\n', c->bytes.n - c->scanned);

    if (!end) {
        c->scanned = c->bytes.n;
        return false;
    }
    c->ends[c->lines++] = (size_t)(end - c->bytes.p);
    c->scanned = (size_t)(end - c->bytes.p) + 1;
    return true;
}

static void take_reports(struct channel *c)
{
    while (!c->broken && channel_next_line(c))
        if (take_report(c)) {
            buf_drop(&c->bytes, c->scanned);
            c->scanned = 0;
            c->lines = 0;
        }
}

void channel_feed(struct channel *c, struct str bytes)
{
    if (c->broken)
        return;
    c->broken = buf_add_str(&c->bytes, bytes) < 0;
    take_reports(c);
}
