/* SPDX-License-Identifier: Apache-2.0 */
#include "report/compare_results.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "formats/json_get.h"
#include "judge/suite.h"
#include "judge/suite_lines.h"
#include "terminal/safe_text.h"

/* Rows by "ID\tSAMPLE". */
struct results {
    const char *path;
    json_t *rows;
    struct tally tally;
};

/* How the outcomes of a sample in both files go together. */
enum change { BOTH_PASSED, LOST, GAINED, NEITHER, ONLY_OLD, ONLY_NEW, CHANGES };

static const char *const names[CHANGES] = {
    [BOTH_PASSED] = "both_passed", [LOST] = "lost",         [GAINED] = "gained",
    [NEITHER] = "neither_passed",  [ONLY_OLD] = "only_old", [ONLY_NEW] = "only_new",
};

struct comparison {
    struct results old, new;
    json_t *lists[CHANGES]; /* of keys */
};

/* True if both rows are of one suite. A suite that was moved has another name, and the same
 * hashes. */
static bool is_one_suite(const json_t *known, const struct suite_result *row)
{
    return strcmp(json_get_text(known, "suite"), row->suite ? row->suite : "") == 0 ||
           (*row->hash && strcmp(json_get_text(known, "hash"), row->hash) == 0);
}

/* --resume repeats a sample without a verdict, and one that was changed since: the last verdict in
 * the file counts. */
static int add_result(struct results *r, const struct suite_result *row, struct err *err)
{
    AUTO_FREE char *key = xasprintf("%s\t%zu", row->id ? row->id : "", row->sample);
    const json_t *known = json_object_get(r->rows, key);
    const bool passed = row->all_passed && !row->error && !row->doubt;
    const bool is_judged = json_get_true(known, "judged");

    if (is_judged && !row->error && !is_one_suite(known, row))
        return err_set(err, ERR_USAGE, "%s: has results of several suites; compare files of one",
                       r->path);
    if (row->id && (!row->error || !is_judged))
        json_object_set_new(r->rows, key,
                            json_pack("{s:s, s:b, s:b, s:b, s:s, s:s}", "outcome",
                                      judged_name(row->outcome), "passed", passed, "counted",
                                      row->counted, "judged", !row->error, "suite",
                                      row->suite ? row->suite : "", "hash", row->hash));
    return 0;
}

static void add_up(struct results *r)
{
    const char *key;
    json_t *row;

    json_object_foreach(r->rows, key, row)
    {
        AUTO_FREE char *id = xstrndup(key, (size_t)(strrchr(key, '\t') - key));
        if (!json_get_true(row, "counted"))
            continue;
        struct tally_task *task = tally_task(&r->tally, id);
        task->n++;
        task->passed += json_get_true(row, "passed");
    }
}

static int read_results(struct results *r, const char *path, struct err *err)
{
    struct suite_lines lines;
    struct suite_result row;
    struct str line;
    int more;

    *r = (struct results){.path = path, .rows = json_object()};
    if (suite_lines_open(&lines, path, err) < 0)
        return -1;
    while ((more = suite_lines_next(&lines, &line, err)) > 0) {
        bool good = !suite_result_read(line, &row) || add_result(r, &row, err) == 0;
        suite_result_done(&row);
        if (!good) {
            more = -1;
            break;
        }
    }
    suite_lines_close(&lines);
    add_up(r);
    if (more == 0 && !json_object_size(r->rows))
        return err_set(err, ERR_USAGE,
                       "%s: has no results; 'glovebox test --suite FILE --results %s' writes them",
                       path, path);
    return more;
}

static enum change change_of(const json_t *old, const json_t *new)
{
    if (!old || !new)
        return old ? ONLY_OLD : ONLY_NEW;
    const bool before = json_get_true(old, "passed");
    const bool after = json_get_true(new, "passed");
    return before ? (after ? BOTH_PASSED : LOST) : after ? GAINED : NEITHER;
}

static void match(struct comparison *c)
{
    const char *key;
    json_t *row;

    for (int i = 0; i < CHANGES; i++)
        c->lists[i] = json_array();
    json_object_foreach(c->old.rows, key, row) json_array_append_new(
        c->lists[change_of(row, json_object_get(c->new.rows, key))], json_string(key));
    json_object_foreach(c->new.rows, key, row) if (!json_object_get(c->old.rows, key))
        json_array_append_new(c->lists[ONLY_NEW], json_string(key));
}

static size_t count(const struct comparison *c, enum change change)
{
    return json_array_size(c->lists[change]);
}

/* The chance of a difference at least as large if both were equally good: McNemar's exact test of
 * the samples in which they differ. */
static double chance_of(size_t lost, size_t gained)
{
    const double n = (double)(lost + gained);
    double sum = 0;

    for (size_t k = 0; k <= lost && k <= gained; k++)
        sum += exp(lgamma(n + 1) - lgamma((double)k + 1) - lgamma(n - (double)k + 1) - n * log(2));
    return fmin(2 * sum, 1);
}

/* ---- as JSON ---- */

static json_t *sample_json(const struct comparison *c, const char *key)
{
    const char *tab = strrchr(key, '\t');
    const json_t *old = json_object_get(c->old.rows, key), *new = json_object_get(c->new.rows, key);
    const char *before = json_get_text(old, "outcome");
    const char *after = json_get_text(new, "outcome");

    return json_pack("{s:s%, s:o, s:s?, s:s?}", "id", key, (size_t)(tab - key), "sample",
                     json_integer((json_int_t)strtoull(tab + 1, NULL, 10)), "old", before, "new",
                     after);
}

static json_t *side_json(const struct results *r)
{
    double from, to;
    size_t tasks;
    const double mean = tally_pass_at(&r->tally, 1, &tasks);

    tally_interval(&r->tally, 1, &from, &to);
    return json_pack("{s:s, s:I, s:f, s:[f, f]}", "path", r->path, "samples",
                     (json_int_t)json_object_size(r->rows), "pass_at_1", mean, "pass_at_1_interval",
                     from, to);
}

static void print_json(const struct comparison *c)
{
    json_t *doc = json_pack("{s:o, s:o}", "old", side_json(&c->old), "new", side_json(&c->new));

    for (int i = 0; i < CHANGES; i++)
        json_object_set_new(doc, names[i], json_integer((json_int_t)count(c, (enum change)i)));
    json_object_set_new(doc, "p_value", json_real(chance_of(count(c, LOST), count(c, GAINED))));
    json_t *samples = json_array(), *key;
    size_t k;
    for (int i = LOST; i <= GAINED; i++)
        json_array_foreach(c->lists[i], k, key)
            json_array_append_new(samples, sample_json(c, json_string_value(key)));
    json_object_set_new(doc, "changed", samples);
    AUTO_FREE char *text = json_dumps(doc, JSON_COMPACT | JSON_REAL_PRECISION(12));
    json_decref(doc);
    puts(text ? text : "{}");
}

/* ---- for people ---- */

static void print_sample(const struct comparison *c, const char *word, const char *key)
{
    json_t *sample = sample_json(c, key);
    AUTO_FREE char *id = safe_line(json_string_value(json_object_get(sample, "id")));

    printf("%s %s (sample %lld): %s, was %s\n", word, id,
           (long long)json_integer_value(json_object_get(sample, "sample")),
           json_string_value(json_object_get(sample, "new")),
           json_string_value(json_object_get(sample, "old")));
    json_decref(sample);
}

static void print_list(const struct comparison *c, enum change change, const char *word)
{
    json_t *key;
    size_t i;

    json_array_foreach(c->lists[change], i, key) print_sample(c, word, json_string_value(key));
}

static void print_side(const struct results *r)
{
    double from, to;
    size_t tasks;
    const double mean = tally_pass_at(&r->tally, 1, &tasks);
    AUTO_FREE char *path = safe_line(r->path);

    tally_interval(&r->tally, 1, &from, &to);
    printf("%s: pass@1 %.4f (95%%: %.4f to %.4f; %zu task%s)\n", path, mean, from, to, tasks,
           tasks == 1 ? "" : "s");
}

static void print_text(const struct comparison *c)
{
    const size_t lost = count(c, LOST), gained = count(c, GAINED);

    print_list(c, LOST, "LOST  ");
    print_list(c, GAINED, "gained");
    print_side(&c->old);
    print_side(&c->new);
    printf("%zu passed in both, %zu lost, %zu gained, %zu passed in neither\n",
           count(c, BOTH_PASSED), lost, gained, count(c, NEITHER));
    if (count(c, ONLY_OLD) || count(c, ONLY_NEW))
        printf("%zu only in the first file, %zu only in the second\n", count(c, ONLY_OLD),
               count(c, ONLY_NEW));
    if (lost + gained)
        printf("chance of such a difference between equally good models: %.3g\n",
               chance_of(lost, gained));
}

int compare_results(const char *old_path, const char *new_path, bool as_json, struct err *err)
{
    struct comparison c = {0};
    int status = -1;

    if (read_results(&c.old, old_path, err) == 0 && read_results(&c.new, new_path, err) == 0) {
        match(&c);
        (as_json ? print_json : print_text)(&c);
        status = count(&c, LOST) > 0;
    }
    for (int i = 0; i < CHANGES; i++)
        json_decref(c.lists[i]);
    json_decref(c.old.rows);
    json_decref(c.new.rows);
    tally_done(&c.old.tally);
    tally_done(&c.new.tally);
    return status;
}
