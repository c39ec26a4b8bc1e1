/* SPDX-License-Identifier: Apache-2.0
 *
 * What `glovebox check` reports, in three formats: for people, as JSON, as SARIF. Each is made from
 * the verdicts' documents (result/verdict_json.h), program by program, for there may be thousands.
 */
#ifndef VERDICTS_CHECK_REPORT_H
#define VERDICTS_CHECK_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "guard/guard.h"

/* One program. */
struct check_item {
    const char *path;      /* as it was named */
    const json_t *verdict; /* a document; NULL if the file is unreadable: see err */
    const struct err *err;
};

struct check_totals {
    size_t files, allowed, refused, unread;
    size_t errors, warnings; /* findings that refuse, and others that are more than notes */
};

struct check_report {
    const struct check_format *format;
    FILE *out;
    bool quiet;
    size_t max_findings; /* of one program, for people; 0 for all */
    const char *prelude; /* as in a finding_style */
    struct check_totals totals;
    /* For the end of the SARIF file: {uri: its number}, and the files that could not be read. */
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

/* The level of a finding in its verdict: an error is a reason for refusing. */
enum check_rank { RANK_NOTE, RANK_WARNING, RANK_ERROR };
enum check_rank check_rank(const json_t *finding);

/* ---- findings for people, also used by `glovebox run` ---- */

struct finding_style {
    FILE *out;
    bool colour;
    enum check_rank least; /* lower ranks are not shown */
    const char *prelude;   /* its name in findings; NULL: <prelude> */
    size_t max;            /* 0 for all */
};

/* Whether a stream is a terminal that supports colours. */
bool check_colour(FILE *out);
/* For each finding: "path:3:5: error: message [rule]", the line with the place marked, the hint. */
void check_text_findings(const struct finding_style *style, const char *path,
                         const json_t *verdict);

/* ---- the rules ---- */

/* The rules of the guard and of other languages' tools: NULL after the last. */
const struct rule_info *check_rule(size_t i);
const struct rule_info *check_rule_find(struct str id);

#endif
