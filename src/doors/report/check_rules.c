/* SPDX-License-Identifier: Apache-2.0
 *
 * The guard's rules and profiles as lists and pages.
 */
#include <string.h>

#include "base/suggestion.h"
#include "console/help.h"
#include "report/check_report.h"
#include "report/print_json.h"

static json_t *rule_json(const struct rule_info *rule)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:s, s:s}", "id", rule->id, "stage",
                     guard_stage_name(rule->stage), "severity", severity_name(rule->severity),
                     "points", rule->points, "summary", rule->summary, "explanation",
                     rule->explanation ? rule->explanation : "");
}

static int longest_id(void)
{
    const struct rule_info *rule;
    size_t longest = 0;

    for (size_t i = 0; (rule = check_rule(i)); i++)
        longest = strlen(rule->id) > longest ? strlen(rule->id) : longest;
    return (int)longest;
}

void check_list_rules(bool json)
{
    const struct rule_info *rule;
    int wide = longest_id();
    json_t *list = json ? json_array() : NULL;

    if (!json)
        printf("%-*s  %-8s  %-8s  %6s  %s\n", wide, "RULE", "STAGE", "SEVERITY", "POINTS",
               "WHAT IT FINDS");
    for (size_t i = 0; (rule = check_rule(i)); i++)
        if (json)
            json_array_append_new(list, rule_json(rule));
        else
            printf("%-*s  %-8s  %-8s  %6d  %s\n", wide, rule->id, guard_stage_name(rule->stage),
                   severity_name(rule->severity), rule->points, rule->summary);
    if (json)
        print_json(json_pack("{s:o}", "rules", list));
}

void check_list_profiles(bool json)
{
    json_t *list = json ? json_array() : NULL;

    for (const struct profile_info *p = profiles; p->name; p++)
        if (json)
            json_array_append_new(list,
                                  json_pack("{s:s, s:s}", "name", p->name, "summary", p->summary));
        else
            printf("%-12s  %s\n", p->name, p->summary);
    if (json)
        print_json(json_pack("{s:o}", "profiles", list));
}

static bool is_profile(const char *name)
{
    const struct profile_info *p = profiles;

    while (p->name && strcmp(p->name, name) != 0)
        p++;
    return p->name;
}

static int no_such_rule(const char *id, struct err *err)
{
    struct suggestion near = {.word = str_from(id)};
    const struct rule_info *rule;

    if (is_profile(id))
        return err_set(err, ERR_USAGE,
                       "--explain: '%s' is a profile; see 'glovebox check --show-profile %s'", id,
                       id);
    for (size_t i = 0; (rule = check_rule(i)); i++)
        suggestion_try(&near, rule->id);
    return err_set(err, ERR_USAGE, "--explain: there is no rule '%.60s'; %s%s%s", id,
                   near.best ? "did you mean '" : "'glovebox check --list-rules' lists them",
                   near.best ? near.best : "", near.best ? "'?" : "");
}

int check_explain(const char *id, bool json, struct err *err)
{
    const struct rule_info *rule = check_rule_find(str_from(id));
    AUTO_BUF struct buf text = {0};

    if (!rule)
        return no_such_rule(id, err);
    if (json) {
        print_json(rule_json(rule));
        return 0;
    }
    buf_init(&text, 64 << 10);
    (void)buf_addf(&text, "%s: %s\n\n%s\n\nStage %s, severity %s, %d point%s.\n", rule->id,
                   rule->summary, rule->explanation ? rule->explanation : "",
                   guard_stage_name(rule->stage), severity_name(rule->severity), rule->points,
                   rule->points == 1 ? "" : "s");
    help_print_text(stdout, buf_str(&text));
    return 0;
}
