/* SPDX-License-Identifier: Apache-2.0
 *
 * SARIF 2.1.0, for viewers of code scanning. Its `results` come before what is only known at the
 * end, so that it can be written while the programs are read.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/check_report.h"
#include "result/verdict_json.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static void put(FILE *out, json_t *v)
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

/* What viewers sort by, from 0 to 10. */
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

static void begin(struct check_report *r)
{
    json_t *driver =
        json_pack("{s:s, s:s, s:s, s:o}", "name", "glovebox", "version", GLOVEBOX_VERSION,
                  "semanticVersion", GLOVEBOX_VERSION, "rules", rules_json());

    r->artifacts = json_object();
    r->notices = json_array();
    fputs("{\"$schema\": \"" SCHEMA "\", \"version\": \"2.1.0\", \"runs\": [{\n"
          "\"columnKind\": \"unicodeCodePoints\",\n\"tool\": ",
          r->out);
    put(r->out, json_pack("{s:o}", "driver", driver));
    fputs(",\n\"results\": [", r->out);
}

/* ---- places ---- */

static bool is_plain(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           strchr("-._~/", c);
}

/* A relative path stays relative, which is what viewers match with a repository. */
static char *uri_of(const char *path)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 3 * strlen(path) + 16);
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    if (*path == '/')
        (void)buf_adds(&b, "file://");
    for (; *path; path++)
        if (is_plain((unsigned char)*path))
            (void)buf_addc(&b, *path);
        else
            (void)buf_addf(&b, "%%%02X", (unsigned char)*path);
    return buf_take(&b);
}

/* A file may be named twice; a list of artifacts may not. */
static int add_artifact(struct check_report *r, const char *uri)
{
    const json_t *known = json_object_get(r->artifacts, uri);

    if (known)
        return (int)json_integer_value(known);
    int index = (int)json_object_size(r->artifacts);
    json_object_set_new(r->artifacts, uri, json_integer(index));
    return index;
}

static void set_number(json_t *object, const char *key, uint32_t n)
{
    if (n)
        json_object_set_new(object, key, json_integer(n));
}

static json_t *region_json(const struct finding *f)
{
    json_t *region = json_object();

    set_number(region, "startLine", f->line);
    set_number(region, "startColumn", f->column);
    if (f->end_line >= f->line)
        set_number(region, "endLine", f->end_line);
    if (f->column && (f->end_line > f->line || f->end_column >= f->column))
        set_number(region, "endColumn", f->end_column);
    return region;
}

static json_t *location_json(struct check_report *r, const char *path, const struct finding *f)
{
    AUTO_FREE char *uri = uri_of(path);
    json_t *place =
        json_pack("{s:{s:s, s:i}}", "artifactLocation", "uri", uri, "index", add_artifact(r, uri));

    if (f && f->line)
        json_object_set_new(place, "region", region_json(f));
    if (f && f->line && f->excerpt)
        json_object_set_new(
            place, "contextRegion",
            json_pack("{s:i, s:o}", "startLine", (int)f->line, "snippet", message(f->excerpt)));
    return json_pack("[{s:o}]", "physicalLocation", place);
}

/* ---- results ---- */

static void add_subject(json_t *properties, const struct finding *f)
{
    const struct {
        const char *key, *text;
    } parts[] = {{"name", f->name}, {"module", f->module}, {"call", f->call}, {"label", f->label}};

    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        if (parts[i].text)
            json_object_set_new(properties, parts[i].key, json_text(str_from(parts[i].text)));
}

static void put_result(struct check_report *r, const char *path, const struct finding *f)
{
    AUTO_FREE char *text =
        f->hint && *f->hint ? xasprintf("%s. %s", f->message, f->hint) : xstrdup(f->message);
    long rule = rule_index(f->rule);
    json_t *result = json_pack("{s:s, s:s, s:o, s:o, s:{s:s, s:i}}", "ruleId", f->rule, "level",
                               levels[check_rank(f)], "message", message(text), "locations",
                               location_json(r, path, f), "properties", "severity",
                               severity_name(f->severity), "points", f->points);

    add_subject(json_object_get(result, "properties"), f);
    if (rule >= 0)
        json_object_set_new(result, "ruleIndex", json_integer(rule));
    fputs(r->result_count++ ? ",\n" : "\n", r->out);
    put(r->out, result);
}

static void item(struct check_report *r, const struct check_item *it)
{
    AUTO_FREE char *uri = uri_of(it->path);

    (void)add_artifact(r, uri);
    if (!it->verdict)
        json_array_append_new(r->notices, json_pack("{s:s, s:o, s:o}", "level", "error", "message",
                                                    message(it->err->msg), "locations",
                                                    location_json(r, it->path, NULL)));
    if (!it->verdict)
        return;
    for (size_t i = 0; i < it->verdict->n; i++)
        put_result(r, it->path, &it->verdict->findings[i]);
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

static void end(struct check_report *r)
{
    fputs("\n],\n\"artifacts\": ", r->out);
    put(r->out, artifacts_json(r->artifacts));
    fputs(",\n\"invocations\": [", r->out);
    put(r->out, json_pack("{s:b, s:O}", "executionSuccessful", !r->totals.unread,
                          "toolExecutionNotifications", r->notices));
    fputs("]\n}]}\n", r->out);
    json_decref(r->artifacts);
    json_decref(r->notices);
}

const struct check_format check_sarif = {begin, item, end};
