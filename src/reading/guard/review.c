/* SPDX-License-Identifier: Apache-2.0
 *
 * The last stage: a reviewer's opinion about a program that the other stages allow.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "guard/guard.h"
#include "policy/policy_parts.h"
#include "policy/rules.h"

static struct finding *add_finding(struct verdict *v)
{
    v->findings = xrealloc_array(v->findings, v->n + 1, sizeof *v->findings);
    v->room = v->n + 1;
    return &v->findings[v->n++];
}

/* Sets the messages that kodeagent's users expect. */
static void set_texts(const struct policy *policy, const char *reason, struct verdict_texts *texts)
{
    if (!policy || policy->texts != TEXTS_KODEAGENT)
        return;
    texts->exception_type = xstrdup("CodeSecurityError");
    texts->exception_message =
        xasprintf("Code execution blocked due to security concerns: %s", reason);
}

void guard_reviewed(const struct policy *policy, const struct guard_review *review,
                    struct verdict *v)
{
    const struct rule_info *rule = guard_rule(RULE_REVIEW_REFUSED);
    const char *hint = rule_hints[RULE_REVIEW_REFUSED];

    v->stage = GUARD_REVIEW;
    v->allowed = review->secure && review->answered;
    if (v->allowed)
        return;
    free(v->reason);
    v->reason = xstrdup(review->reason);
    v->risk += rule->points;
    *add_finding(v) = (struct finding){.rule = rule->id,
                                       .severity = rule->severity,
                                       .points = rule->points,
                                       .refuses = true,
                                       .message = xstrdup(review->reason),
                                       .hint = review->answered ? xstrdup(hint) : NULL,
                                       .excerpt = xstrdup("")};
    set_texts(policy, review->reason, &v->texts);
}
