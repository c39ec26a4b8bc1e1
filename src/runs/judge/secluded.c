/* SPDX-License-Identifier: Apache-2.0
 *
 * How to run a program that judges. The request's folders, variables and so on are for the
 * candidate, which may have written to those folders: a module, a start-up file or a package there
 * would run as part of the judge.
 */
#include "judge/parts.h"

void judge_seclude(struct run_request *q)
{
    q->program.text = NULL;
    q->program.language = NULL;
    q->program.args = NULL;
    q->workspace.files = NULL;
    q->workspace.inputs = NULL;
    q->workspace.input_count = 0;
    q->workspace.work_dir = NULL;
    q->workspace.withheld = NULL;
    q->workspace.out_dir = NULL;
    q->program.stdin_fd = -1;
    q->program.env = NULL;
    q->place.pool = NULL;
    q->place.cold = true;
    q->place.net_host = false;
    q->place.net_rules = NULL;
    q->policy.no_check = true;
    q->policy.review = false;
    q->policy.profile = NULL;
    q->program.prelude = NULL;
    q->program.prelude_text = (struct str){0};
    q->context.path = NULL;
    q->context.invocation = NULL;
    q->context.execution_id = NULL;
    q->workspace.data = NULL;
    q->workspace.value_count = 0;
    q->workspace.optimize_data = false;
    q->door.log = "off";
    q->door.sink = NULL;
}
