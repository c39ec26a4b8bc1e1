/* SPDX-License-Identifier: Apache-2.0
 *
 * SARIF 2.1.0, for code scanning viewers. `results` is written first, while the programs are read;
 * the other parts are only known at the end.
 */
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "report/check_report.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static void check_sarif_put(FILE *out, json_t *v)
{
    json_dumpf(v, out, isatty(fileno(out)) ? JSON_ENSURE_ASCII : 0);
    json_decref(v);
}

static json_t *message(const char *s)
{
    return json_pack("{s:o}", "text", json_text(str_from(s)));
}

/* ---- rules ---- */

static const char *const levels[] = {
    [RANK_NOTE] = "note", [RANK_WARNING] = "warning", [RANK_ERROR] = "error"};

/* The number by which viewers sort, from 0 to 10. */
static const struct {
    const char *level, *security;
} severities[] = {
    [SEVERITY_INFO] = {"note", "0.0"},      [SEVERITY_LOW] = {"note", "2.0"},
    [SEVERITY_MEDIUM] = {"warning", "5.0"}, [SEVERITY_HIGH] = {"warning", "7.5"},
    [SEVERITY_CRITICAL] = {"error", "9.5"},
};

static json_t *rule_json(const struct rule_info *rule)
{
    const char *why = rule->explanation && *rule->explanation ? rule->explanation : rule->summary;

    return json_pack("{s:s, s:o, s:o, s:o, s:{s:s}, s:{s:[s, s], s:s}}", "id", rule->id,
                     "shortDescription", message(rule->summary), "fullDescription", message(why),
                     "help", message(why), "defaultConfiguration", "level",
                     severities[rule->severity].level, "properties", "tags", "security",
                     guard_stage_name(rule->stage), "security-severity",
                     severities[rule->severity].security);
}

static json_t *rules_json(void)
{
    json_t *rules = json_array();
    const struct rule_info *rule;

    for (size_t i = 0; (rule = check_rule(i)); i++)
        json_array_append_new(rules, rule_json(rule));
    return rules;
}

static long rule_index(const char *id)
{
    const struct rule_info *rule;

    for (size_t i = 0; (rule = check_rule(i)); i++)
        if (strcmp(rule->id, id) == 0)
            return (long)i;
    return -1;
}

static void check_sarif_begin(struct check_report *r)
{
    json_t *driver =
        json_pack("{s:s, s:s, s:s, s:o}", "name", "glovebox", "version", GLOVEBOX_VERSION,
                  "semanticVersion", GLOVEBOX_VERSION, "rules", rules_json());

    r->artifacts = json_object();
    r->notices = json_array();
    fputs("{\"$schema\": \"" SCHEMA "\", \"version\": \"2.1.0\", \"runs\": [{\n"
          "\"columnKind\": \"unicodeCodePoints\",\n\"tool\": ",
          r->out);
    check_sarif_put(r->out, json_pack("{s:o}", "driver", driver));
    fputs(",\n\"results\": [", r->out);
}

/* ---- places ---- */

/* A relative path stays relative, so that viewers can find the file in a repository. */
static char *uri_of(const char *path)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 3 * strlen(path) + 16);
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    if (*path == '/')
        (void)buf_adds(&b, "file://");
    (void)percent_add(&b, str_from(path), "-._~/");
    return buf_take(&b);
}

/* A file may be named twice on the command line, but only once in the list of artifacts. */
static int add_artifact(struct check_report *r, const char *uri)
{
    const json_t *known = json_object_get(r->artifacts, uri);

    if (known)
        return (int)json_integer_value(known);
    int index = (int)json_object_size(r->artifacts);
    json_object_set_new(r->artifacts, uri, json_integer(index));
    return index;
}

static void set_number(json_t *object, const char *key, int64_t n)
{
    if (n)
        json_object_set_new(object, key, json_integer(n));
}

static json_t *region_json(const json_t *f)
{
    json_t *region = json_object();
    int64_t line = json_get_int(f, "line"), column = json_get_int(f, "column"),
            end_line = json_get_int(f, "end_line"), end_column = json_get_int(f, "end_column");

    set_number(region, "startLine", line);
    set_number(region, "startColumn", column);
    if (end_line >= line)
        set_number(region, "endLine", end_line);
    if (column && (end_line > line || end_column >= column))
        set_number(region, "endColumn", end_column);
    return region;
}

static json_t *location_json(struct check_report *r, const char *path, const json_t *f)
{
    int64_t line = json_get_int(f, "cell") ? 0 : json_get_int(f, "line"); /* of the file */
    const char *excerpt = json_get_text(f, "excerpt");
    AUTO_FREE char *uri = uri_of(path);
    json_t *place =
        json_pack("{s:{s:s, s:i}}", "artifactLocation", "uri", uri, "index", add_artifact(r, uri));

    if (line)
        json_object_set_new(place, "region", region_json(f));
    if (line && excerpt)
        json_object_set_new(
            place, "contextRegion",
            json_pack("{s:I, s:o}", "startLine", (json_int_t)line, "snippet", message(excerpt)));
    return json_pack("[{s:o}]", "physicalLocation", place);
}

/* ---- results ---- */

static void add_subject(json_t *properties, const json_t *f)
{
    static const char *const keys[] = {"name", "module", "call", "label"};

    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (json_get_text(f, keys[i]))
            json_object_set(properties, keys[i], json_object_get(f, keys[i]));
}

/* A notebook's findings have line numbers of cells, not of the file. */
static char *cell_place(const json_t *f)
{
    long long cell = json_get_int(f, "cell"), line = json_get_int(f, "line");

    return !cell  ? xstrdup("")
           : line ? xasprintf("cell %lld, line %lld: ", cell, line)
                  : xasprintf("cell %lld: ", cell);
}

static void put_result(struct check_report *r, const char *path, const json_t *f)
{
    const char *id = json_get_text(f, "rule"), *words = json_get_text(f, "message"),
               *hint = json_get_text(f, "hint");
    AUTO_FREE char *place = cell_place(f);
    AUTO_FREE char *text =
        hint ? xasprintf("%s%s. %s", place, words, hint) : xasprintf("%s%s", place, words);
    long rule = rule_index(id);
    json_t *result = json_pack(
        "{s:s, s:s, s:o, s:o, s:{s:O, s:O}}", "ruleId", id, "level", levels[check_rank(f)],
        "message", message(text), "locations", location_json(r, path, f), "properties", "severity",
        json_object_get(f, "severity"), "points", json_object_get(f, "points"));

    add_subject(json_object_get(result, "properties"), f);
    if (rule >= 0)
        json_object_set_new(result, "ruleIndex", json_integer(rule));
    fputs(r->result_count++ ? ",\n" : "\n", r->out);
    check_sarif_put(r->out, result);
}

static void check_sarif_item(struct check_report *r, const struct check_item *it)
{
    AUTO_FREE char *uri = uri_of(it->path);
    const json_t *finding;
    size_t i;

    (void)add_artifact(r, uri);
    if (!it->verdict)
        json_array_append_new(r->notices, json_pack("{s:s, s:o, s:o}", "level", "error", "message",
                                                    message(it->err->msg), "locations",
                                                    location_json(r, it->path, NULL)));
    json_array_foreach(json_object_get(it->verdict, "findings"), i, finding)
    {
        put_result(r, it->path, finding);
    }
}

static json_t *artifacts_json(json_t *index)
{
    json_t *list = json_array(), *number;
    const char *uri;

    json_object_foreach(index, uri, number)
    {
        json_array_append_new(list, json_pack("{s:{s:s}}", "location", "uri", uri));
    }
    return list;
}

static void check_sarif_end(struct check_report *r)
{
    fputs("\n],\n\"artifacts\": ", r->out);
    check_sarif_put(r->out, artifacts_json(r->artifacts));
    fputs(",\n\"invocations\": [", r->out);
    check_sarif_put(r->out, json_pack("{s:b, s:O}", "executionSuccessful", !r->totals.unread,
                                      "toolExecutionNotifications", r->notices));
    fputs("]\n}]}\n", r->out);
    json_decref(r->artifacts);
    json_decref(r->notices);
}

const struct check_format check_sarif = {check_sarif_begin, check_sarif_item, check_sarif_end};
