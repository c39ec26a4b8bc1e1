/* SPDX-License-Identifier: Apache-2.0
 *
 * The report of `glovebox check`, in three formats: for people, as JSON, as SARIF. It is made from
 * the verdicts' documents (result/verdict_json.h), one program at a time, for there may be
 * thousands.
 */
#ifndef REPORT_CHECK_REPORT_H
#define REPORT_CHECK_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "guard/guard.h"

/* One program. */
struct check_item {
    const char *path;      /* as the user wrote it */
    const json_t *verdict; /* the verdict's document; NULL if the file is unreadable: see err */
    const struct err *err;
};

struct check_totals {
    size_t files, allowed, refused, unread;
    size_t errors, warnings; /* numbers of findings with RANK_ERROR and RANK_WARNING */
};

struct check_report {
    const struct check_format *format;
    FILE *out;
    bool quiet;
    size_t max_findings; /* findings printed for one program, for people; 0: all */
    const char *prelude; /* as in a finding_style */
    struct check_totals totals;
    /* For the end of the SARIF file: {uri: its index}, and the files that could not be read. */
    json_t *artifacts, *notices;
    size_t result_count;
};

struct check_format {
    void (*begin)(struct check_report *r);
    void (*item)(struct check_report *r, const struct check_item *item);
    void (*end)(struct check_report *r);
};

extern const struct check_format check_text, check_json, check_sarif;

void check_report_begin(struct check_report *r);
void check_report_item(struct check_report *r, const struct check_item *item);
void check_report_end(struct check_report *r);

/* The level of a finding in its verdict. An error is a reason to refuse the program. */
enum check_rank { RANK_NOTE, RANK_WARNING, RANK_ERROR };
enum check_rank check_rank(const json_t *finding);

/* ---- findings for people, also used by `glovebox run` ---- */

struct finding_style {
    FILE *out;
    bool colour;
    enum check_rank least; /* findings of a lower rank are not shown */
    const char *prelude;   /* the prelude's name in findings; NULL: <prelude> */
    size_t max;            /* 0 for all */
};

/* Prints for each finding: "path:3:5: error: message [rule]", the line with the marked columns, the
 * hint. */
void check_text_findings(const struct finding_style *style, const char *path,
                         const json_t *verdict);

/* ---- the rules ---- */

/* Returns a rule of the guard or of other languages' tools; NULL after the last. */
const struct rule_info *check_rule(size_t i);
const struct rule_info *check_rule_find(struct str id);
/* check_rules.c: --list-rules, --explain and --list-profiles, printed to standard output. */
void check_list_rules(bool json);
void check_list_profiles(bool json);
/* -1 with ERR_USAGE and the nearest name. */
int check_explain(const char *id, bool json, struct err *err);

#endif
