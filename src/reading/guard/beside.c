/* SPDX-License-Identifier: Apache-2.0
 *
 * Verdicts about texts that run with a program and are not part of its code.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "guard/guard.h"
#include "policy/policy_parts.h"
#include "policy/rules.h"

static void set_line(struct finding *f, const char *what)
{
    char *message = f->line ? xasprintf("%s, line %u: %s", what, f->line, f->message)
                            : xasprintf("%s: %s", what, f->message);

    free(f->message);
    f->message = message;
    f->line = f->end_line = f->prelude_line = f->column = f->end_column = f->excerpt_column = 0;
    free(f->excerpt);
    f->excerpt = xstrdup("");
}

void guard_about(const char *what, struct verdict *v)
{
    char *reason = xasprintf("%s: %s", what, v->reason ? v->reason : "");

    free(v->reason);
    v->reason = reason;
    for (size_t i = 0; i < v->n; i++)
        set_line(&v->findings[i], what);
}

void guard_unread(const char *what, const char *unread, struct verdict *v)
{
    const struct rule_info *rule = guard_rule(RULE_LANGUAGE_NOT_READ);
    char *message = xasprintf("%s: %s, which can run and which nothing here reads", what, unread);

    verdict_done(v);
    *v = (struct verdict){.stage = GUARD_INPUT, .reason = message, .risk = rule->points};
    v->findings = xcalloc(1, sizeof *v->findings);
    v->n = v->room = 1;
    v->findings[0] = (struct finding){.rule = rule->id,
                                      .severity = rule->severity,
                                      .points = rule->points,
                                      .refuses = true,
                                      .message = xstrdup(message),
                                      .hint = xstrdup("Give data as data, and modules as text."),
                                      .excerpt = xstrdup("")};
}
