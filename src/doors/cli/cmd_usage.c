/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox usage`: the usage of models, from the run log.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "console/commands.h"
#include "console/model_review.h"
#include "console/options.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "formats/json_write.h"
#include "llm/usage.h"
#include "request/setting.h"
#include "store/log_when.h"
#include "store/usage.h"
#include "terminal/safe_text.h"

#define AT(member) offsetof(struct cli_settings, member)

enum { COLUMNS = 7, CELL = 80 };

/* In the order of enum usage_by. */
static const char *const groups[] = {"day", "model", "component", NULL};

static const struct opt usage_options[] = {
    {.name = "by",
     .kind = OPT_CHOICE,
     .offset = AT(usage_by),
     .arg = "WHAT",
     .group = "Which usage",
     .choices = groups,
     .help = "a line for each day, model or component"},
    {.name = "since",
     .kind = OPT_STRING,
     .offset = AT(since),
     .arg = "WHEN",
     .group = "Which usage",
     .help = "usage at WHEN or later: 2h, 30d, 2025-01-31, '2025-01-31 18:00'"},
    {0},
};

static const struct opt *const tables[] = {usage_options, json_option, general_options, NULL};

/* ---- rows ---- */

static json_t *row_json(const struct usage_sum *s)
{
    const struct llm_usage tokens = {.prompt_tokens = s->prompt_tokens,
                                     .completion_tokens = s->completion_tokens};

    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:I}", "runs", (json_int_t)s->runs, "requests",
        (json_int_t)s->requests, "prompt_tokens", (json_int_t)s->prompt_tokens, "completion_tokens",
        (json_int_t)s->completion_tokens, "total_tokens", (json_int_t)llm_usage_tokens(&tokens),
        "cached_tokens", (json_int_t)s->cached_tokens, "cost", s->cost, "requests_without_tokens",
        (json_int_t)s->without_tokens, "requests_without_cost", (json_int_t)s->without_cost);
}

struct rows {
    json_t *list;
    const char *group; /* the name of a row's first field */
};

static void on_row(const struct usage_sum *sum, void *ctx)
{
    struct rows *rows = ctx;
    json_t *row = json_object();

    json_object_set_new(row, rows->group, json_text(sum->name));
    json_t *figures = row_json(sum);
    json_object_update(row, figures);
    json_decref(figures);
    json_array_append_new(rows->list, row);
}

static void on_total(const struct usage_sum *sum, void *ctx)
{
    *(json_t **)ctx = row_json(sum);
}

/* Makes {by, log, rows, total}; `s` is NULL without a log. The caller owns it; NULL with *err. */
static json_t *make_document(struct store *s, const char *path, enum usage_by by, int64_t since_ms,
                             struct err *err)
{
    const struct usage_sum nothing = {0};
    struct rows rows = {.list = json_array(), .group = groups[by]};
    json_t *total = NULL;

    if (s && (usage_sums(s, by, since_ms, on_row, &rows, err) < 0 ||
              usage_sums(s, USAGE_TOTAL, since_ms, on_total, &total, err) < 0)) {
        json_decref(rows.list);
        json_decref(total);
        return NULL;
    }
    return json_pack("{s:s, s:o, s:o, s:o}", "by", groups[by], "log", json_text(str_from(path)),
                     "rows", rows.list, "total", total ? total : row_json(&nothing));
}

/* ---- the table ---- */

/* True if the figure is unknown: a sum of 0 would mean that it was free. */
static bool is_unknown(const json_t *row, size_t column)
{
    int64_t requests = json_get_int(row, "requests");

    return requests && column == COLUMNS - 1 &&
           json_get_int(row, "requests_without_cost") == requests;
}

static void fill_cell(const json_t *row, size_t column, const char *group, char ret[CELL])
{
    static const char *const names[COLUMNS] = {
        "", "runs", "requests", "prompt_tokens", "completion_tokens", "cached_tokens", "cost"};
    bool partly =
        json_integer_value(json_object_get(
            row, column == COLUMNS - 1 ? "requests_without_cost" : "requests_without_tokens")) > 0;
    const char *more = partly && column > 2 ? "+" : "";
    const json_t *value = json_object_get(row, column ? names[column] : group);
    AUTO_BUF struct buf text = {0};

    buf_init(&text, 8 << 10);
    if (is_unknown(row, column))
        (void)buf_adds(&text, "unknown");
    else if (json_is_real(value))
        (void)buf_addf(&text, "$%.6f%s", json_real_value(value), more);
    else if (json_is_integer(value))
        (void)buf_addf(&text, "%" JSON_INTEGER_FORMAT "%s", json_integer_value(value), more);
    else
        safe_text_add(&text, value ? json_str(value) : STR("total"), false);
    snprintf(ret, CELL, "%.*s", (int)utf8_cut(buf_str(&text), CELL - 1), text.p);
}

static void print_row(const json_t *row, const char *group, const size_t *widths)
{
    char cell[CELL];

    for (size_t i = 0; i < COLUMNS; i++) {
        fill_cell(row, i, group, cell);
        size_t blanks = widths[i] - utf8_count(str_from(cell));
        printf("%s%*s%s%*s", i ? "  " : "", i ? (int)blanks : 0, "", cell, i ? 0 : (int)blanks, "");
    }
    putchar('\n');
}

static void cmd_usage_measure(const json_t *row, const char *group, size_t *widths)
{
    char cell[CELL];

    for (size_t i = 0; i < COLUMNS; i++) {
        fill_cell(row, i, group, cell);
        size_t n = utf8_count(str_from(cell));
        widths[i] = n > widths[i] ? n : widths[i];
    }
}

static void print_head(const char *group, size_t *widths)
{
    static const char *const heads[COLUMNS] = {NULL,     "RUNS",   "REQUESTS", "PROMPT",
                                               "ANSWER", "CACHED", "COST"};

    for (size_t i = 0; i < COLUMNS; i++) {
        const char *head = i ? heads[i] : group;
        widths[i] = strlen(head) > widths[i] ? strlen(head) : widths[i];
        printf("%s%*s", i ? "  " : "", (i ? 1 : -1) * (int)widths[i], head);
    }
    putchar('\n');
}

static void print_text(const json_t *doc, int by)
{
    const char *group = groups[by];
    const json_t *rows = json_object_get(doc, "rows"), *total = json_object_get(doc, "total"), *row;
    size_t widths[COLUMNS] = {0}, i;

    json_array_foreach(rows, i, row)
    {
        cmd_usage_measure(row, group, widths);
    }
    cmd_usage_measure(total, group, widths);
    static const char *const shouted[] = {"DAY", "MODEL", "COMPONENT"};
    print_head(shouted[by], widths);
    json_array_foreach(rows, i, row)
    {
        print_row(row, group, widths);
    }
    print_row(total, group, widths);
    if (json_integer_value(json_object_get(total, "requests_without_tokens")) ||
        json_integer_value(json_object_get(total, "requests_without_cost")))
        puts(
            "+ and an unknown part: some services report no tokens, and some models have no price");
}

/* ---- the command ---- */

static bool is_off(const struct cli_settings *set)
{
    return set->common.log && strcmp(set->common.log, "off") == 0;
}

/* *ret is NULL if the default log does not exist yet. */
static int open_log(const struct cli_settings *set, char **ret_path, struct store **ret,
                    struct err *err)
{
    bool named = set->common.log && !is_off(set);

    if (named)
        *ret_path = xstrdup(set->common.log);
    else if (store_default_path(ret_path, err) < 0)
        return -1;
    if (store_open(*ret_path, STORE_READ, ret, err) == 0)
        return 0;
    return err->sys == ENOENT && !named ? 0 : -1;
}

static int cmd_usage_report(const struct cli_settings *set, json_t *doc, struct err *err)
{
    const json_t *rows = json_object_get(doc, "rows");

    if (set->json) {
        AUTO_FREE char *text = json_write(doc, isatty(STDOUT_FILENO));
        puts(text);
    } else if (json_array_size(rows)) {
        print_text(doc, set->usage_by);
    } else {
        printf("no usage yet in %s\n", json_string_value(json_object_get(doc, "log")));
    }
    return fflush(stdout) != 0 ? err_sys(err, "write to standard output") : 0;
}

static int usage(struct cli_options *options, struct err *err)
{
    const struct cli_settings *set = &options->settings;
    AUTO_FREE char *path = NULL;
    struct store *s = NULL;
    int64_t since_ms = 0;

    if (options->args.operand_n || options->args.rest_n)
        return err_set(err, ERR_USAGE, "'glovebox usage' takes no arguments, only options");
    if (set->since && log_parse_moment(set->since, clock_wall_ms(), &since_ms, err) < 0)
        return err_wrap(err, "--since");
    if (open_log(set, &path, &s, err) < 0)
        return -1;
    if (is_off(set))
        model_note(NULL, "the run log is off: what models use now is not counted");
    json_t *doc = make_document(s, path, (enum usage_by)set->usage_by, since_ms, err);
    store_close(s);
    int status = doc ? cmd_usage_report(set, doc, err) : -1;
    json_decref(doc);
    return status;
}

const struct command command_usage = {
    .name = "usage",
    .summary = "tokens, cost and runs of models, from the run log",
    .usage = "glovebox usage [--by day|model|component] [--since WHEN] [--json]",
    .verbs = V_USAGE,
    .tables = tables,
    .perform = usage,
};
